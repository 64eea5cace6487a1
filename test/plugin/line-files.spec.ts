import { type FileHandle, mkdir, open, readFile, readdir, rm, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { IndexWriters } from '../../src/cycle/index/index-writers.js';
import { defaults } from '../../src/core/conf/properties.js';
import { NO_MAPPING } from '../../src/core/indexing/field-mapping.js';
import { indexWriters } from '../../src/plugin/builtin/index-writers.js';
import { LineFiles } from '../../src/plugin/builtin/line-files.js';
import type { WriterContext } from '../../src/plugin/extension-points.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';

/** Files of an index writer on a disk that fails: INDEX calls it again with the same lines. */

let folder: TemporaryFolder;
let prototype: FileHandle;
beforeEach(async () => {
  folder = await temporaryFolder();
  const handle = await open(join(folder.path, 'any'), 'w');
  prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
});
afterEach(async () => {
  vi.restoreAllMocks();
  await folder.remove();
});

const PARTS = 4;
const lines = Array.from({ length: 40 }, (_, n) => ({ id: `id ${n}`, line: `line ${n}` }));
const place = () => join(folder.path, 'files');
const context = () => ({ folder: place(), position: null }) as WriterContext;
const filesOf = () => new LineFiles(context(), 'txt', { parts: String(PARTS) });

async function written(): Promise<string[]> {
  const names = (await readdir(place())).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(place(), name), 'utf8')));
  return texts.flatMap((text) => text.split('\n')).filter((line) => line !== '');
}

const all = lines.map(({ line }) => line).sort();

it('are whole when the system writes a part of the bytes at a time', async () => {
  const files = filesOf();
  const { write } = prototype;
  vi.spyOn(prototype, 'write').mockImplementation(function (this: FileHandle, ...given: unknown[]) {
    const [bytes, from, length, at] = given as [Buffer, number, number, number];
    return write.apply(this, [bytes, from, Math.min(length, 7), at] as never) as never;
  });
  await files.append(lines);
  await files.close();
  expect((await written()).sort()).toEqual(all);
});

it('have each line once when one of them could not be written at first', async () => {
  const files = filesOf();
  const { write } = prototype;
  let calls = 0;
  vi.spyOn(prototype, 'write').mockImplementation(function (this: FileHandle, ...given: unknown[]) {
    if (++calls === PARTS) return Promise.reject(new Error('ENOSPC'));
    return write.apply(this, given as never) as never;
  });
  await expect(files.append(lines)).rejects.toThrow('ENOSPC');
  await files.append(lines);
  await files.close();
  expect((await written()).sort()).toEqual(all);
});

it('are refused where those of an earlier attempt are missing or shorter, as on another machine', async () => {
  const files = filesOf();
  await files.append(lines);
  const position = files.position();
  await files.close();
  const next = () => new LineFiles({ ...context(), position }, 'txt', { parts: String(PARTS) });
  const first = join(place(), 'part-r-00000.txt');
  const before = await readFile(first);
  await truncate(first, before.length - 1);
  await expect(next().append(lines)).rejects.toThrow(`its file has ${before.length - 1} of ${before.length} bytes`);
  expect(await readFile(first)).toEqual(before.subarray(0, -1));
  await rm(place(), { recursive: true });
  await expect(next().append(lines)).rejects.toThrow(`its file has 0 of ${before.length} bytes`);
});

it('are opened again when they could not be opened at first', async () => {
  await mkdir(join(place(), 'part-r-00002.txt'), { recursive: true });
  const files = filesOf();
  await expect(files.append(lines)).rejects.toThrow('EISDIR');
  await rm(join(place(), 'part-r-00002.txt'), { recursive: true });
  await files.append(lines);
  await files.close();
  expect((await written()).sort()).toEqual(all);
});

it.each(['indexer-jsonl', 'indexer-csv', 'indexer-dummy'])(
  'of %s have each document once on a slow disk',
  async (id) => {
    const writer = indexWriters.find((one) => one.id === id)!.makeIndexWriter(defaults, {}, context());
    const { write } = prototype;
    vi.spyOn(prototype, 'write').mockImplementation(async function (this: FileHandle, ...given: unknown[]) {
      await sleep(50);
      return write.apply(this, given as never) as never;
    });
    const limits = { retries: 5, timeoutMs: 1, signal: new AbortController().signal };
    const writers = new IndexWriters([{ id, mapping: NO_MAPPING, writer }], limits);
    const document = { id: 'test.site:http/', url: '', boost: 1, fields: new Map(), fieldBoosts: new Map() };
    await writers.send({ documents: [document], deleted: [] });
    await writers.close();
    expect([...writers.givenUp]).toEqual([]);
    expect((await written()).filter((line) => line.includes('test.site'))).toHaveLength(1);
  },
);
