/** Why a running database server cannot be reached: its unix socket is missing. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type Pool } from 'pg';

/** The path of the socket of a pool's database, if it has one and that is missing. */
export async function missingSocket(pool: Pool): Promise<string | undefined> {
  const { host, port } = new Client(pool.options);
  if (!host.startsWith('/')) return undefined;
  const path = join(host, `.s.PGSQL.${port}`);
  const gone = await stat(path).then(
    () => false,
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT',
  );
  return gone ? path : undefined;
}
