import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { usageError } from '../exit-codes.js';

/** What the server accepts as the body of a request with seeds. */
const MAX_BYTES = 16_777_216;
/** Hadoop ignores these names too: `.hidden`, `_SUCCESS`. */
const HIDDEN = /^[._]/;

/**
 * The seeds of a file, or of the files of a folder, as lines; undefined if there is no such path. A file that cannot be read
 * whole is refused: its seeds would be missing without a word.
 * @throws StartError `environment`, which names the file
 */
export async function readSeedFiles(command: string, path: string): Promise<string | undefined> {
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return undefined;
  const names = stats.isDirectory() ? (await readdir(path)).filter((name) => !HIDDEN.test(name)).sort() : [];
  const texts: string[] = [];
  let left = MAX_BYTES;
  for (const file of stats.isDirectory() ? names.map((name) => join(path, name)) : [path]) {
    const bytes = await readWhole(file, left).catch((error: Error) => {
      throw usageError(command, `cannot read the seeds of ${file}: ${error.message}`);
    });
    left -= bytes.length;
    texts.push(textOfSeeds(command, file, bytes));
  }
  const seed = texts.join('\n');
  if (seed.trim() === '') throw usageError(command, `there is no seed in ${path}`);
  return seed;
}

async function readWhole(file: string, max: number): Promise<Buffer> {
  const stats = await stat(file);
  if (stats.isDirectory()) throw new Error('it is a folder; only the files of one folder are read');
  const bytes = stats.size > max ? undefined : await readFile(file);
  // A pipe has no size before it is read.
  if (bytes === undefined || bytes.length > max)
    throw new Error(`a job takes ${MAX_BYTES} bytes of seeds; divide them over several calls`);
  return bytes;
}

/** Without a byte order mark. */
function textOfSeeds(command: string, file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw usageError(command, `the seeds of ${file} are not text in UTF-8`);
  }
}
