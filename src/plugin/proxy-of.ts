import type { Conf } from '../core/conf/properties.js';
import type { OwnPort } from '../core/address/own-ports.js';
import { Proxy } from '../core/http/proxy.js';
import { openGuard } from './egress-guards.js';
import { withoutBrackets } from '../core/url/ip-host.js';

/** The proxy of a configuration, which serves all protocols. */
export function proxyOf(conf: Conf, ownPorts: readonly OwnPort[]): Proxy | undefined {
  const type = conf['http.proxy.type'];
  if (conf['http.proxy.host'] === '' || type === 'DIRECT') return undefined;
  return new Proxy({
    type: type === 'HTTP' ? 'http' : 'socks',
    host: withoutBrackets(conf['http.proxy.host']),
    port: conf['http.proxy.port'],
    username: conf['http.proxy.username'],
    password: conf['http.proxy.password'],
    realm: conf['http.proxy.realm'],
    exceptions: conf['http.proxy.exception.list'],
    // The address is set by an admin, but our own ports are still refused.
    guard: openGuard(ownPorts),
  });
}
