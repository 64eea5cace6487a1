import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { IndexCache } from '../../src/search/index-cache.js';
import { IndexSnapshot } from '../../src/search/index-snapshot.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { Searcher } from '../../src/search/searcher.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';

/** Searches with a cache that is smaller than the index: of each kind of data it keeps the newest entry only. */

const CRAWL = 1;
const OTHER = 2;
const UNEVEN = 3;
const LARGE = 4;
const SEGMENTS = 5;
const ids = Array.from({ length: SEGMENTS }, (_, n) => `p${n}`);
const REQUEST = {
  crawl: CRAWL,
  query: 'ferry',
  ...SEARCH_DEFAULTS,
  limit: 20,
  expand: 'auto',
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
  (await new Searcher(db.pool, 1_000_000).search({ ...REQUEST, crawl: OTHER })).generation;

const found = async (searcher: Searcher): Promise<string[]> =>
  (await searcher.search(REQUEST)).hits.map(({ id }) => id).sort();

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

it('a word whose postings are too large is left out of a search, and found again when they are not', async () => {
  const writer = new PostgresIndexWriter(db.pool, LARGE);
  const texts = new Map([['content', ['aaa']]]);
  await writer.write([{ ...page('zz'), fields: texts }]);
  await writer.flush();
  const searcher = new Searcher(db.pool, 1_000_000);
  const asked = async () => {
    const { hits, isExact, notes } = await searcher.search({ ...REQUEST, crawl: LARGE, query: 'aaa' });
    return { ids: hits.map(({ id }) => id), isExact, notes };
  };
  // As those of a word in millions of documents: more than a query reads.
  const [block] = await db.query<{ term: string; post: Buffer }>(
    `select term, post from search_posting where crawl = ${LARGE} order by term`,
  );
  expect(block!.term).toBe('aaa');
  await db.query(
    `update search_posting set post = post || decode(repeat('00', 33554432), 'hex') where crawl = ${LARGE} and term = 'aaa'`,
  );
  const note = '"aaa" occurs in too many documents and was left out.';
  expect(await asked()).toEqual({ ids: [], isExact: false, notes: [note] });
  await db.query(`update search_posting set post = $1 where crawl = ${LARGE} and term = 'aaa'`, [block!.post]);
  expect(await asked()).toEqual({ ids: ['zz'], isExact: true, notes: [] });
});

interface Answer {
  rows: { seg: number; columns?: Buffer }[];
}

describe('of columns that exceed the cache, a search reads', () => {
  /** The documents of the segments whose columns are read by each of some searches, one after the other. */
  async function readBySearches(crawl: number, cacheBytes: number, searches: number): Promise<number[][]> {
    const cache = new IndexCache(cacheBytes);
    const read: number[][] = [];
    for (let n = 0; n < searches; n++) {
      const query = vi.spyOn(db.pool, 'query');
      const { segments } = await IndexSnapshot.open(db.pool, crawl, cache);
      const answers = await Promise.all(query.mock.results.map(({ value }) => value as Promise<Answer>));
      query.mockRestore();
      const segs = answers.flatMap(({ rows }) => rows.flatMap(({ seg, columns }) => (columns ? [seg] : [])));
      read.push(segments.filter(({ state }) => segs.includes(state.seg)).map(({ columns }) => columns.size));
    }
    return read;
  }

  it('those that do not fit beside the others', async () => {
    const [first, ...later] = await readBySearches(CRAWL, 3_500, 8);
    expect(first).toEqual([1, 1, 1, 1, 1]);
    expect(later).toEqual(Array(7).fill([1]));
  });

  it('the small segments, if the largest one fills the cache', async () => {
    for (const n of [1, 300, 2, 3]) {
      const writer = new PostgresIndexWriter(db.pool, UNEVEN);
      await writer.write(Array.from({ length: n }, (_, at) => page(`${n}-${at}`)));
      await writer.flush();
    }
    const later = (await readBySearches(UNEVEN, 10_000, 8)).slice(2);
    expect(later).toEqual(Array(6).fill([1, 2, 3]));
  });
});
