/** Why nobody reaches a database whose server works: the unix socket that it is to be reached by is not there. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, type Pool } from 'pg';

/** The path of the socket of a pool's database, if it has one and that is gone. */
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
