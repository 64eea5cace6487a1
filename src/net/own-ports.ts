/** Where this server and its database listen: no fetch may reach them, whatever a configuration opens. */

/** A TCP port of a host: an IP address, or a name whose addresses are asked for at each connection to that port. */
export interface OwnEndpoint {
  readonly host: string;
  readonly port: number;
}

/** A number is a port of this machine, on all its addresses. */
export type OwnPort = number | OwnEndpoint;
