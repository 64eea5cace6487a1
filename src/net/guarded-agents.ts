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
  /** Ends all requests, and lets no further one begin. */
  close(): void;
}

/**
 * One connection per request. If the address is refused, the request fails with `EgressRefused`.
 * @param connectTimeoutMs name resolution, TCP and TLS handshakes together
 */
export function guardedAgents(policy: ConnectorPolicy, connectTimeoutMs: number): GuardedAgents {
  const opening = new Set<GuardedConnector>();
  let isClosed = false;
  const creating = (protocol: 'http:' | 'https:') => (options: ClientRequestArgs, created?: OnCreate) => {
    const hostname = withoutBrackets(String(options.host ?? ''));
    const target = { hostname, protocol, port: String(options.port ?? '') };
    const connector = new GuardedConnector(policy, connectTimeoutMs);
    opening.add(connector);
    connector.connect(target, (error, socket) => {
      opening.delete(connector);
      if (isClosed) socket?.destroy();
      created?.(isClosed ? new Error('the agent is closed') : error, socket as Duplex);
    });
    if (isClosed) connector.cancel();
    return undefined;
  };
  const httpAgent = new HttpAgent({ keepAlive: false });
  const httpsAgent = new HttpsAgent({ keepAlive: false });
  httpAgent.createConnection = creating('http:');
  httpsAgent.createConnection = creating('https:');
  const close = (): void => {
    isClosed = true;
    for (const connector of opening) connector.cancel();
    // The clients' own ends wait for requests without an answer, and some answers never end.
    httpAgent.destroy();
    httpsAgent.destroy();
  };
  return { httpAgent, httpsAgent, close };
}
