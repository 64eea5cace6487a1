import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Env } from '../conf/env.js';
import { StartError } from '../core/start-error.js';
import { type OpenedDatabase, openDatabase } from './database.js';

/**
 * The database of a command that can run beside a server: as `openDatabase`, but if a server runs on the data directory, its
 * embedded database that it has started.
 * @throws StartError as `openDatabase`; `dataDirInUse` if that database refuses us, with how to reach it
 */
export async function openDatabaseInUse(env: Env, log: (line: string) => void): Promise<OpenedDatabase> {
  const lost = (error: Error): void => log(error.message);
  try {
    return await openDatabase(env, log, lost);
  } catch (error) {
    if (!(error instanceof StartError) || error.failure !== 'dataDirInUse') throw error;
    const published = join(env.dataDir, 'postgres.url');
    const url = (await readFile(published, 'utf8').catch(() => '')).trim();
    const how = `set DATABASE_URL to the content of ${published} while it runs (as its user), or stop it`;
    if (url === '') throw new StartError('dataDirInUse', `${error.message}; ${how}`);
    log(`a server runs on ${env.dataDir}: works on its database`);
    return openDatabase({ ...env, databaseUrl: url }, log, lost).catch((refused: unknown) => {
      if (!(refused instanceof StartError) || refused.failure !== 'database') throw refused;
      throw new StartError('dataDirInUse', `${error.message}, and ${refused.message}; ${how}`);
    });
  }
}
