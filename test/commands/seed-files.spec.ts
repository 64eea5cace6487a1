import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readSeedFiles } from '../../src/commands/nutch/seed-files.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';

/** The seed files of `orbweaver inject`: all of them are read whole, or the command is refused. */

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
});
afterAll(() => folder.remove());

/** A folder with these files. */
async function seedsIn(name: string, files: Record<string, string | Buffer>): Promise<string> {
  const path = join(folder.path, name);
  await mkdir(path);
  for (const [file, content] of Object.entries(files)) await writeFile(join(path, file), content);
  return path;
}

describe('readSeedFiles', () => {
  it('reads a file, or all files of a folder in the order of their names', async () => {
    const path = await seedsIn('two', { 'b.txt': 'http://b.test/\n', 'a.txt': 'http://a.test/\n' });
    expect(await readSeedFiles('inject', join(path, 'a.txt'))).toBe('http://a.test/\n');
    expect(await readSeedFiles('inject', path)).toBe('http://a.test/\n\nhttp://b.test/\n');
  });

  it('removes the byte order mark of each file, and ignores hidden files as Hadoop does', async () => {
    const files = { 'a.txt': '\ufeffhttp://a.test/', 'b.txt': '\ufeffhttp://b.test/', '.c': 'x', _SUCCESS: '' };
    expect(await readSeedFiles('inject', await seedsIn('marks', files))).toBe('http://a.test/\nhttp://b.test/');
  });

  it('returns undefined for a path that does not exist: the name of a stored list', async () => {
    expect(await readSeedFiles('inject', join(folder.path, 'stored'))).toBeUndefined();
  });

  it.each<[string, Record<string, string | Buffer>, RegExp]>([
    [
      'that is not UTF-8',
      { 'a.txt': 'http://a.test/', 'b.txt': Buffer.from([0x68, 0xe4]) },
      /b\.txt are not text in UTF-8/,
    ],
    [
      'that is too large',
      { 'a.txt': '', 'b.txt': Buffer.alloc(16_777_217, 'a') },
      /b\.txt: a job takes 16777216 bytes/,
    ],
    [
      'that makes them too large together',
      { 'a.txt': Buffer.alloc(9_000_000, 'a'), 'b.txt': Buffer.alloc(9_000_000, 'b') },
      /b\.txt: a job takes 16777216 bytes/,
    ],
    ['without seeds', { 'a.txt': ' \n' }, /there is no seed in/],
  ])('refuses files, one of them %s', async (what, files, reason) => {
    await expect(readSeedFiles('inject', await seedsIn(what, files))).rejects.toThrow(reason);
  });

  it('refuses a folder with a file that cannot be read, or with folders', async () => {
    const broken = await seedsIn('broken', { 'a.txt': 'http://a.test/' });
    await symlink('/nonexistent', join(broken, 'b.txt'));
    await expect(readSeedFiles('inject', broken)).rejects.toThrow(/cannot read the seeds of .*b\.txt: ENOENT/);
    const deep = await seedsIn('deep', { 'a.txt': 'http://a.test/' });
    await mkdir(join(deep, 'more'));
    await expect(readSeedFiles('inject', deep)).rejects.toThrow(/more: it is a folder/);
  });
});
