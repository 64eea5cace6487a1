/** Agents for clients that speak through Node's `http` (axios): their sockets come from the guarded connector, too. */
import { Agent as HttpAgent, type ClientRequestArgs } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { type ConnectorPolicy, GuardedConnector } from './connector.js';

type OnCreate = (error: Error | null, socket: Duplex) => void;

export interface GuardedAgents {
  readonly httpAgent: HttpAgent;
  readonly httpsAgent: HttpsAgent;
}

/**
 * One connection for one request. A refused address fails the request with `EgressRefused`.
 * @param connectTimeoutMs name resolution, TCP and TLS handshakes together
 */
export function guardedAgents(policy: ConnectorPolicy, connectTimeoutMs: number): GuardedAgents {
  const creating = (protocol: 'http:' | 'https:') => (options: ClientRequestArgs, created?: OnCreate) => {
    const hostname = String(options.host ?? '').replace(/^\[|\]$/g, '');
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
