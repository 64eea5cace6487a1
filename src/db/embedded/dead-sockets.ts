/**
 * Socket folders below /tmp that killed servers have left. A folder contains the line of the process that made it; it is
 * removed if that process has ended and nothing listens on the socket. If either is not certain, as in another container, it
 * stays.
 */
import { lstat, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import type { Account } from './account.js';
import { holderLine, holderState } from './holder.js';

const HOLDER = 'holder';
const SHAPE = /^orbweaver-\w{6}$/;
const MAX_LINE_BYTES = 1_000;

/** Notes in a new socket folder that this process has made it. */
export const noteHolder = (folder: string): Promise<void> =>
  writeFile(join(folder, HOLDER), holderLine(process.pid), { mode: 0o600 });

/** Whether the process that made a socket folder certainly runs. */
export async function isHeld(folder: string): Promise<boolean> {
  const line = await readFile(join(folder, HOLDER), 'utf8').catch(() => undefined);
  return line !== undefined && holderState(line, folder) === 'alive';
}

/**
 * Removes the folders of ended servers of our user, or of the user that runs the server.
 * @param socket name of the socket in a folder
 */
export async function removeDeadFolders(parent: string, socket: string, account: Account | undefined): Promise<void> {
  const owners = [process.getuid?.(), account?.uid];
  const names = await readdir(parent).catch(() => []);
  for (const folder of names.filter((name) => SHAPE.test(name)).map((name) => join(parent, name))) {
    if (!(await isDead(folder, socket, owners).catch(() => false))) continue;
    // The line is the last: until then a later start recognizes the folder. One with other files stays.
    for (const name of [socket, `${socket}.lock`, HOLDER]) await rm(join(folder, name), { force: true });
    await rmdir(folder).catch(() => undefined);
  }
}

async function isDead(folder: string, socket: string, owners: readonly (number | undefined)[]): Promise<boolean> {
  const stats = await lstat(folder);
  if (!stats.isDirectory() || !owners.includes(stats.uid)) return false;
  const line = await lstat(join(folder, HOLDER));
  if (!line.isFile() || line.size > MAX_LINE_BYTES) return false;
  if (holderState(await readFile(join(folder, HOLDER), 'utf8'), folder) !== 'dead') return false;
  return isClosed(join(folder, socket));
}

/** Whether certainly no process listens on a socket. */
function isClosed(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const connection = createConnection(path);
    connection.once('connect', () => (connection.destroy(), resolve(false)));
    connection.once('error', ({ code }: NodeJS.ErrnoException) =>
      resolve(code === 'ECONNREFUSED' || code === 'ENOENT'),
    );
  });
}
