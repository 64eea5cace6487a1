/**
 * The folder of the server's unix socket, which only its user can enter. It is beside the data, where no cleaner deletes
 * files; if its path would be too long there, or the file system has no sockets, below /tmp, whose cleaners delete by age.
 */
import { chmod, chown, mkdir, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, closedFolder } from './account.js';
import { noteHolder, removeDeadFolders } from './dead-sockets.js';
import { isInFallback, type ClusterLocation } from './location.js';

/** Maximum bytes of a socket's path: 107 on Linux, 103 on others. */
const MAX_PATH_LENGTH = process.platform === 'linux' ? 107 : 103;
const NAME = '.s.PGSQL.5432';

export const socketIn = (folder: string): string => join(folder, NAME);

/** Creates the empty folder of the socket. The caller has the lock of the data directory, and no process of the cluster runs. */
export async function newSocketFolder(location: ClusterLocation, dataDir: string): Promise<string> {
  for (const parent of [dataDir, ...(isInFallback(location.pgData) ? [join(location.pgData, '..')] : [])]) {
    const folder = join(parent, 'socket');
    if (Buffer.byteLength(socketIn(folder)) > MAX_PATH_LENGTH) continue;
    if (location.account && (await closedFolder(parent, location.account))) continue;
    await rm(folder, { recursive: true, force: true });
    await makeSocketFolder(folder, location.account);
    if (await hasSockets(folder)) return folder;
    await rm(folder, { recursive: true, force: true });
  }
  const parent = (await stat('/tmp').catch(() => undefined)) ? '/tmp' : tmpdir();
  await removeDeadFolders(parent, NAME, location.account);
  const folder = await mkdtemp(join(parent, 'orbweaver-'));
  await noteHolder(folder);
  await makeSocketFolder(folder, location.account);
  return folder;
}

/** Creates the folder if it is missing. */
export async function makeSocketFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  if (account) await chown(folder, account.uid, account.gid);
}

/** Whether the socket exists: without it no client can reach the server. Updates the times of folder and socket, for cleaners. */
export async function keepSocket(folder: string): Promise<boolean> {
  const now = new Date();
  try {
    await utimes(socketIn(folder), now, now);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
  await utimes(folder, now, now).catch(() => undefined);
  return true;
}

/** Shared folders of virtual machines, and some network file systems, support files but no sockets. */
async function hasSockets(folder: string): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(socketIn(folder), () => probe.close(() => resolve(true)));
  });
}
