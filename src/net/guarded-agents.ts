/** Agents for clients of Node's `http` (axios): the guarded connector opens their sockets, too. */
import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectorPolicy, GuardedConnector } from './connector.js';
import { withoutBrackets } from '../core/url/ip-host.js';

type OnCreate = (error: Error | null, socket: Duplex) => void;

export interface GuardedAgents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

/**
 * One connection per request. If the address is refused, the request fails with `EgressRefused`.
 * @param connectTimeoutMs name resolution, TCP and TLS handshakes together
 */
export function guardedAgents(policy: ConnectorPolicy, connectTimeoutMs: number): GuardedAgents {
  const creating = (protocol: 'http:' | 'https:') => (options: ClientRequestArgs, created?: OnCreate) => {
    const hostname = withoutBrackets(String(options.host ?? ''));
    const target = { hostname, protocol, port: String(options.port ?? '') };
    new GuardedConnector(policy, connectTimeoutMs).connect(target, (error, socket) =>
      created?.(error, socket as Duplex),
    );
    return undefined;
  };
  const httpAgent = new HttpAgent({ keepAlive: false });
  const httpsAgent = new HttpsAgent({ keepAlive: false });
  httpAgent.createConnection = creating('http:');
  httpsAgent.createConnection = creating('https:');
  return { httpAgent, httpsAgent };
}
