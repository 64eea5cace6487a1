import { chmod, chown, mkdir, mkdtemp, rm, stat, utimes } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Account, closedFolder } from './account.js';
import { isInFallback, type ClusterLocation } from './location.js';

/**
 * Where the embedded server listens: a unix socket in a folder that its user alone can enter. It lies beside the data, where nobody cleans
 * up; where its path would be too long there, or the file system has no sockets, below /tmp, whose cleaners go by age.
 */

/** Bytes of a socket's path: 107 with Linux, 103 with others. */
const MAX_PATH_LENGTH = process.platform === 'linux' ? 107 : 103;
const NAME = '.s.PGSQL.5432';

export const socketIn = (folder: string): string => join(folder, NAME);

/** The folder of the socket, made empty. The lock of the data directory is held, and nothing of the cluster runs. */
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
  const folder = await mkdtemp(join(parent, 'orbweaver-'));
  await makeSocketFolder(folder, location.account);
  return folder;
}

/** Makes the folder where it is not there (any more). */
export async function makeSocketFolder(folder: string, account: Account | undefined): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  if (account) await chown(folder, account.uid, account.gid);
}

/** Whether the socket is there: without it nobody reaches the server any more. Makes folder and socket young for cleaners. */
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

/** Shared folders of virtual machines, and some network file systems, have files and no sockets. */
async function hasSockets(folder: string): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(socketIn(folder), () => probe.close(() => resolve(true)));
  });
}
