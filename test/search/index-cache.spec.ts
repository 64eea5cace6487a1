import { afterAll, beforeAll, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/index-writer.js';
import { Searcher } from '../../src/search/searcher.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** Searches with a cache that is smaller than the index: of each kind of data it keeps the newest entry only. */

const CRAWL = 1;
const OTHER = 2;
const SEGMENTS = 5;
const ids = Array.from({ length: SEGMENTS }, (_, n) => `p${n}`);
const USUAL = {
  crawl: CRAWL,
  query: 'ferry',
  limit: 20,
  facets: [],
  weights: [5, 3, 1.5, 1.5, 2, 1],
  bm25: { k1: 1.2, b: 0.75 },
  similarity: 'bm25f',
  expand: 'auto',
  explain: false,
  snippets: 0,
} as const;

let db: TestDatabase;

const page = (id: string): IndexDocument => ({
  id,
  url: `http://site.test/${id}`,
  boost: 1,
  fields: new Map([
    ['title', [`page ${id}`]],
    ['content', [`ferry number ${id}`]],
  ]),
  fieldBoosts: new Map(),
});

beforeAll(async () => {
  db = await testDatabase();
  for (const id of ids) {
    const writer = new PostgresIndexWriter(db.pool, CRAWL);
    await writer.write([page(id)]);
    await writer.flush();
  }
});
afterAll(() => db.drop());

const generation = async (): Promise<string> =>
  (await new Searcher(db.pool, 1_000_000).search({ ...USUAL, crawl: OTHER })).generation;

const found = async (searcher: Searcher): Promise<string[]> =>
  (await searcher.search(USUAL)).hits.map(({ id }) => id).sort();

it('find the same each time', async () => {
  const searcher = new Searcher(db.pool, 1);
  for (let time = 0; time < 3; time++) expect(await found(searcher)).toEqual(ids);
});

it('find the same beside each other', async () => {
  const searcher = new Searcher(db.pool, 1);
  const answers = await Promise.all(Array.from({ length: 6 }, () => found(searcher)));
  expect(answers).toEqual(Array(6).fill(ids));
});

it('the generation changes with a deletion that empties one segment and changes another', async () => {
  const writer = new PostgresIndexWriter(db.pool, OTHER);
  for (const some of [['a'], ['b', 'c']]) {
    await writer.write(some.map(page));
    await writer.flush();
  }
  const before = await generation();
  expect(await generation()).toBe(before);
  await writer.delete(['a', 'b']);
  expect(await generation()).not.toBe(before);
});
