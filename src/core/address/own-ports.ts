/** Ports of this server and its database: no fetch may connect to them, whatever a configuration allows. */

/** A TCP port of a host: an IP address, or a name that is resolved at each connection to that port. */
export interface OwnEndpoint {
  readonly host: string;
  readonly port: number;
}

/** A number is a port of this machine, on all its addresses. */
export type OwnPort = number | OwnEndpoint;
