import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { StartError } from '../core/start-error.js';

/**
 * For a command that reads what a data directory contains: in a mistyped one it would make a new, empty database and find
 * nothing wrong. @throws StartError `dataDir` if there is no embedded database
 */
export async function requireDatabase(command: string, dataDir: string): Promise<void> {
  const path = resolve(dataDir);
  const missing = await lstat(join(path, 'postgres')).then(
    () => false,
    // A folder that is closed to us is reported by the start of the database.
    ({ code }: NodeJS.ErrnoException) => code === 'ENOENT' || code === 'ENOTDIR',
  );
  if (missing) throw new StartError('dataDir', `${command}: there is no database in ${path}`);
}
