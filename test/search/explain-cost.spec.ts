import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { PositionCursor } from '../../src/core/search/postings/position-cursor.js';
import { PostingCursor } from '../../src/core/search/postings/posting-codec.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { Searcher } from '../../src/search/searcher.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** What explanations of scores cost: they are computed on the event loop of the API. */

const CRAWL = 1;
const HITS = 50;
const WORDS = ['ferry', 'night', 'train', 'harbour'];
let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
  const writer = new PostgresIndexWriter(db.pool, CRAWL);
  await writer.write(
    Array.from({ length: 600 }, (_, n) => ({
      id: `p${n}`,
      url: `http://site.test/p${n}`,
      boost: 1,
      fields: new Map([['content', [`${WORDS.join(' ')} ${n}`]]]),
      fieldBoosts: new Map<string, number>(),
    })),
  );
  await writer.commit();
});
afterAll(() => db.drop());
afterEach(() => vi.restoreAllMocks());

it.each(['bm25f', 'bm25', 'classic'] as const)('by %s, they read postings once for all hits', async (similarity) => {
  const usual = { crawl: CRAWL, limit: HITS, facets: [], weights: [5, 3, 1.5, 1.5, 2, 1], snippets: 0, similarity };
  const query = `${WORDS.join(' ')} "ferry night" "night train"`;
  const documents = vi.spyOn(PostingCursor.prototype, 'next');
  const phrases = vi.spyOn(PositionCursor.prototype, 'positions');
  const steps = async (explain: boolean): Promise<number> => {
    const before = documents.mock.calls.length + phrases.mock.calls.length;
    const searcher = new Searcher(db.pool, 1_000_000);
    const request = { ...usual, query, explain, expand: 'off', collapse: true, bm25: { k1: 1.2, b: 0.75 } } as const;
    const { hits } = await searcher.search(request);
    expect(hits).toHaveLength(HITS);
    expect(hits.every(({ explanation }) => (explanation !== undefined) === explain)).toBe(true);
    return documents.mock.calls.length + phrases.mock.calls.length - before;
  };
  const [without, withThem] = [await steps(false), await steps(true)];
  // One pass over the postings of each word; then those of the hits alone are read, several times for each hit.
  expect(withThem - without).toBeLessThan(600 * 2 * WORDS.length + 10 * HITS ** 2);
});
