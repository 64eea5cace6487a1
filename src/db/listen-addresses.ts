/**
 * The addresses on which this server and its database listen.
 *
 * The host and port of the database are those that its driver reads from URL (`?host=` and `?port=` too) and environment
 * (PGHOST, PGPORT); the driver knows neither service files nor several hosts. If the connection uses a socket, a proxy or a
 * pooler, only the server knows where it listens.
 */
import pg, { type Pool } from 'pg';
import type { OwnPort } from '../core/address/own-ports.js';
import { row } from './sql.js';

interface Listening {
  /** Address of the connection on the server; null on a unix socket. */
  address: string | null;
  port: number | null;
  /** The setting `port`, which is also part of the socket's name. */
  setting: number;
}

/**
 * The endpoints to which no fetch may connect. Rejects if the database does not respond.
 * @param apiPort port of the API on this machine; 0 if there is none
 */
export async function ownPorts(pool: Pool, apiPort: number): Promise<OwnPort[]> {
  // Created without connecting: it reads options, URL and environment like those of the pool.
  const { host, port } = new pg.Client(pool.options);
  const server = await row<Listening>(pool)`
    select host(inet_server_addr()) as address, inet_server_port() as port, current_setting('port')::int as setting`;
  const here = [apiPort, port, server?.port ?? 0, server?.setting ?? 0].filter((candidate) => candidate > 0);
  const elsewhere = [
    ...(host.startsWith('/') ? [] : [{ host, port }]),
    ...(server?.address && server.port ? [{ host: server.address, port: server.port }] : []),
  ];
  return [...new Set(here), ...elsewhere];
}
