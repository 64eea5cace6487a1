/**
 * Data outside of their DATA_DIR are removed when that is gone. Beside them is a note: the path of the data directory, and the
 * identity of each folder on the path. They are removed only if the first missing folder was removed from the very folder it
 * was in: if a disk is not mounted, the path ends in another one. And only after a day: a folder that was moved is recognized
 * by its next start.
 */
import { DAY_MS } from '../../core/day.js';
import { lstat, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { clusterProcesses } from './leftovers.js';

const NOTE = 'data-dir.json';
/** How long data are kept after their data directory is gone. */
const GRACE_MS = DAY_MS;
const dayAfter = (since: number): string => new Date(since + GRACE_MS).toISOString();

interface Note {
  dataDir: string;
  /** Folders of the path, from the root: path and identity. */
  way: [path: string, identity: string][];
  /** When a start first found it gone, ms since the epoch. */
  goneSince?: number;
}

/** Notes to which data directory (absolute, symbolic links resolved) a folder belongs. */
export async function noteOwner(folder: string, dataDir: string): Promise<void> {
  const way: Note['way'] = [];
  for (let path = dirname(dataDir); ; path = dirname(path)) {
    way.unshift([path, await identityOf(path)]);
    if (path === dirname(path)) break;
  }
  await writeNote(folder, { dataDir, way });
}

async function writeNote(folder: string, note: Note): Promise<void> {
  const draft = join(folder, `${NOTE}.new`);
  await rm(draft, { force: true });
  await writeFile(draft, `${JSON.stringify(note)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, join(folder, NOTE));
}

/**
 * Removes the data of directories that have been gone for a day, and logs each, before that too. Data without a readable note
 * stay.
 */
export async function removeOrphans(location: string, log: (line: string) => void): Promise<void> {
  for (const name of await readdir(location).catch(() => [])) {
    const folder = join(location, name);
    const note = await noteIn(folder);
    if (note === undefined || !(await isGone(note, folder))) continue;
    if ((await clusterProcesses(join(folder, 'postgres'))).length > 0) continue;
    const { goneSince = Date.now() } = note;
    if (Date.now() - goneSince < GRACE_MS) {
      await writeNote(folder, { ...note, goneSince });
      log(
        `${folder} holds the database of ${note.dataDir}, which is gone: a start from ${dayAfter(goneSince)} on removes it`,
      );
      continue;
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    log(`removed ${folder}: it held the database of ${note.dataDir}, which is gone`);
  }
}

async function noteIn(folder: string): Promise<Note | undefined> {
  try {
    const note = JSON.parse(await readFile(join(folder, NOTE), 'utf8')) as Note;
    return typeof note.dataDir === 'string' && Array.isArray(note.way) ? note : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the data directory was removed; also if another directory has its name by now, with data of its own. */
async function isGone({ dataDir, way }: Note, folder: string): Promise<boolean> {
  for (const [path, identity] of way) {
    const current = await identityOf(path);
    // The missing folder was in this one before, which is the same: so it was removed.
    if (current === 'missing') return true;
    if (current === 'unknown' || current !== identity) return false;
  }
  if ((await identityOf(dataDir)) === 'missing') return true;
  const link = await readlink(join(dataDir, 'postgres')).catch(() => undefined);
  return link !== undefined && resolve(dataDir, link) !== join(folder, 'postgres');
}

/** The identity of a folder, whatever is mounted there: its inode number, and when it was created. */
async function identityOf(path: string): Promise<string> {
  try {
    const { ino, birthtimeMs } = await lstat(path);
    return `${ino}:${Math.floor(birthtimeMs)}`;
  } catch (error) {
    return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'missing' : 'unknown';
  }
}
