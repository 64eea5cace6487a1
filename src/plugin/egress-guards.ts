/** Egress guards of a configuration. */
import { networkInterfaces } from 'node:os';
import type { Conf } from '../core/conf/properties.js';
import { type EgressGuard, LAST_LOW_PORT, makeEgressGuard } from '../core/address/egress-guard.js';
import type { OwnPort } from '../core/address/own-ports.js';
import { MAX_PORT, portRange } from '../core/address/port-range.js';

/**
 * The egress guard of a configuration: the addresses and ports that its fetches may connect to.
 * @param ownPorts ports on which this server and its database listen: never connected to
 */
export const guardOf = (conf: Conf, ownPorts: readonly OwnPort[]): EgressGuard => guardFor('http', conf, ownPorts);

/** Ports that a protocol needs although the port rule, which is made for HTTP, names them. */
const PROTOCOL_PORTS: Readonly<Record<string, readonly number[]>> = { ftp: [21] };

/** The egress guard of a configuration for the URLs of one scheme. */
export function guardFor(scheme: string, conf: Conf, ownPorts: readonly OwnPort[]): EgressGuard {
  const needed = PROTOCOL_PORTS[scheme] ?? [];
  const denied = portsOf(conf['http.filter.ports.exclude']).filter((port) => !needed.includes(port));
  return makeEgressGuard({
    exclude: conf['http.filter.ipaddress.exclude'],
    include: conf['http.filter.ipaddress.include'],
    ownPorts,
    ownAddresses: ownAddresses(),
    deniedPorts: denied.filter((port) => port > LAST_LOW_PORT),
    allowedLowPorts: portsOf([`1-${LAST_LOW_PORT}`]).filter((port) => !denied.includes(port)),
  });
}

/** The guard for engines and proxies that an admin has named: allows any address and port but our own. */
export const openGuard = (ownPorts: readonly OwnPort[]): EgressGuard =>
  makeEgressGuard({
    exclude: [],
    include: [],
    ownPorts,
    ownAddresses: ownAddresses(),
    deniedPorts: [],
    allowedLowPorts: portsOf([`1-${LAST_LOW_PORT}`]),
  });

/** The addresses of this machine, without their zones (`fe80::1%eth0`). */
const ownAddresses = (): string[] =>
  Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address.replace(/%.*$/, '')));

/**
 * The ports that a list of ports and ranges (`1-79`) names. A rule that is neither, which check-conf refuses, names all
 * ports.
 */
const portsOf = (ranges: readonly string[]): number[] =>
  ranges.flatMap((range) => {
    const { from, to } = portRange(range) ?? { from: 1, to: MAX_PORT };
    return Array.from({ length: to - from + 1 }, (_, i) => from + i);
  });
