/**
 * Where this server and its database listen.
 *
 * The host and port of the database are those that its driver reads of URL (`?host=` and `?port=` too) and environment (PGHOST, PGPORT);
 * the driver knows neither service files nor several hosts. Where it goes through a socket, a proxy or a pooler, only the server
 * can say where it listens.
 */
import pg, { type Pool } from 'pg';
import type { OwnPort } from '../net/own-ports.js';
import { row } from './sql.js';

interface Listening {
  /** Of the connection, as the server has it; null on a unix socket. */
  address: string | null;
  port: number | null;
  /** The setting `port`, which names the socket too. */
  setting: number;
}

/**
 * The endpoints that no fetch may reach. Rejects when the database does not answer.
 * @param apiPort port of the API on this machine; 0 where there is none
 */
export async function ownPorts(pool: Pool, apiPort: number): Promise<OwnPort[]> {
  // Made and not connected: it reads options, URL and environment as those of the pool do.
  const { host, port } = new pg.Client(pool.options);
  const server = await row<Listening>(pool)`
    select host(inet_server_addr()) as address, inet_server_port() as port, current_setting('port')::int as setting`;
  const here = [apiPort, port, server?.port ?? 0, server?.setting ?? 0].filter((one) => one > 0);
  const elsewhere = [
    ...(host.startsWith('/') ? [] : [{ host, port }]),
    ...(server?.address && server.port ? [{ host: server.address, port: server.port }] : []),
  ];
  return [...new Set(here), ...elsewhere];
}
