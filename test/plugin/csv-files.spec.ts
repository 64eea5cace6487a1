import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { chosenWriter, openWriter } from './chosen-writer.js';

/** What the files of the writer to csv contain; index-writers.spec.ts has what it shares with the others. */

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

const opened = (parameters: Record<string, string>) =>
  openWriter(chosenWriter({ plugin: 'indexer-csv', parameters: { fields: 'id,title,anchor', ...parameters } }), {
    folder: folder.path,
  });

async function written(): Promise<string[]> {
  const names = await readdir(folder.path);
  return (await Promise.all(names.map((name) => readFile(join(folder.path, name), 'utf8')))).sort();
}

const page: IndexDocument = {
  id: 'test.a:http/1',
  url: 'http://a.test/1',
  boost: 1,
  fields: new Map([
    ['title', ['title 1']],
    ['anchor', ['one, "two"', 'three\nfour']],
  ]),
  fieldBoosts: new Map(),
};

it('have a header line and quoted values', async () => {
  const csv = opened({ parts: '2' });
  await csv.write([page]);
  await csv.close();
  expect(await written()).toEqual([
    'id,title,anchor\r\n',
    'id,title,anchor\r\ntest.a:http/1,title 1,"one, ""two""|three\nfour"\r\n',
  ]);
});

it.each([
  ['TRUE', true],
  ['', true],
  ['False', false],
  ['no', false],
])('with the parameter header "%s" have a header line: %s (as in Nutch)', async (header, isThere) => {
  const csv = opened({ parts: '1', header });
  await csv.commit();
  await csv.close();
  expect(await written()).toEqual([isThere ? 'id,title,anchor\r\n' : '']);
});
