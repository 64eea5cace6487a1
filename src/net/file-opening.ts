/** Opens a file or directory at its real path, and makes sure that this is what was opened. */
import { type Stats, constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir, readlink, realpath } from 'node:fs/promises';
import type { ListedEntry } from '../core/listing/listing-page.js';

/** Entries that are listed; each costs a look at its file. */
const MAX_ENTRIES = 10_000;

/** A path whose characters are bytes. */
export const pathBuffer = (bytes: string): Buffer => Buffer.from(bytes, 'latin1');

/**
 * Opens for reading what was found at a real path.
 * @param stats of what was found there
 * @returns null if another file is there now
 */
export async function openChecked(real: string, stats: Stats): Promise<FileHandle | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;
  const handle = await open(pathBuffer(real), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  try {
    const opened = await handle.stat();
    const isSame = opened.ino === stats.ino && opened.dev === stats.dev;
    if (isSame && (await pathOf(handle, real)) === real) return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
  await handle.close();
  return null;
}

/** On Linux, the path of an open file is known to the kernel; elsewhere its path is resolved again. */
async function pathOf({ fd }: FileHandle, real: string): Promise<string> {
  const path =
    process.platform === 'linux'
      ? await readlink(`/proc/self/fd/${fd}`, { encoding: 'buffer' })
      : await realpath(pathBuffer(real), { encoding: 'buffer' });
  return path.toString('latin1');
}

/** The files and directories of an open directory by name; symbolic links as files, whose fetch decides where they lead. */
export async function listDirectory(
  { fd }: FileHandle,
  real: string,
  ends: AbortSignal,
): Promise<{ entries: ListedEntry[]; more: boolean }> {
  // On Linux what is listed is the open directory, whatever is at its path by now.
  const base = process.platform === 'linux' ? `/proc/self/fd/${fd}` : real;
  const entries: ListedEntry[] = [];
  let more = false;
  for await (const { name } of await opendir(pathBuffer(`${base}/`), { encoding: 'latin1' as BufferEncoding })) {
    ends.throwIfAborted();
    more = entries.length >= MAX_ENTRIES;
    if (more) break;
    const stats = await lstat(pathBuffer(`${base}/${name}`)).catch(() => null);
    const isListed = stats !== null && (stats.isFile() || stats.isDirectory() || stats.isSymbolicLink());
    if (isListed)
      entries.push({
        name,
        isDirectory: stats.isDirectory(),
        size: stats.isFile() ? stats.size : null,
        modified: stats.mtimeMs,
      });
  }
  return { entries: entries.sort((a, b) => (a.name < b.name ? -1 : 1)), more };
}
