import type { Pool } from 'pg';

/** Where PostgreSQL listens when nothing else is said. */
const usualPort = 5432;

/** Ports of this server and its database: no fetch may reach them on this machine. */
export function ownPorts(pool: Pool, apiPort: number): number[] {
  const { connectionString, port } = pool.options;
  const database = Number(URL.parse(connectionString ?? '')?.port ?? 0) || Number(port ?? usualPort);
  return [apiPort, database].filter((one) => one > 0);
}
