import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import type { SearchCursor, SearchRequest } from '../../src/core/search/search-request.js';
import { Searcher } from '../../src/search/searcher.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** Boosts of zero, and very small and very large ones: of words, fields and documents. */

const CRAWL = 1;
let db: TestDatabase;
let searcher: Searcher;

const page = (id: string, more: Partial<IndexDocument> = {}): IndexDocument => ({
  id,
  url: `http://h.test/${id}`,
  boost: 1,
  fields: new Map([
    ['title', [`harbour ${id}`]],
    ['content', [`ferry boat harbour ${id} ${id} ${id}`]],
  ]),
  fieldBoosts: new Map(),
  ...more,
});

const pages = [
  page('usual'),
  page('zero', { boost: 0 }),
  page('tiny', { boost: 1e-300 }),
  page('huge', { boost: 1e300 }),
  page('zerofield', { fieldBoosts: new Map([['content', 0]]) }),
  page('tinyfield', { fieldBoosts: new Map([['content', 1e-300]]) }),
  page('hugefield', { fieldBoosts: new Map([['content', 1e300]]) }),
  page('hugeboth', { boost: 1e300, fieldBoosts: new Map([['content', 1e300]]) }),
];
const all = pages.map(({ id }) => id).sort();

beforeAll(async () => {
  db = await testDatabase();
  const writer = new PostgresIndexWriter(db.pool, CRAWL, { maxDocuments: 3, maxBytes: 1e9 });
  await writer.write(pages);
  await writer.commit();
  searcher = new Searcher(db.pool, 1_000_000);
});
afterAll(() => db.drop());

const usual = {
  crawl: CRAWL,
  limit: 3,
  facets: [],
  bm25: { k1: 1.2, b: 0.75 },
  expand: 'off',
  collapse: true,
  explain: true,
  snippets: 0,
} as const;

/** `ferry` with the product of n boosts of 0.001. */
const small = (n: number): string =>
  Array.from({ length: n - 1 }).reduce<string>((inner) => `(${inner})^0.001`, 'ferry^0.001');

const queries = [
  'ferry',
  'ferry^0',
  '+ferry^0 boat',
  'ferry^0 boat^0',
  '(ferry boat)^0',
  '+(ferry^0 boat)^0 harbour',
  '"ferry boat"^0',
  'ferr*^0',
  'title:harbour^0',
  'title:harbour^0 ferry',
  'host:h.test^0',
  'ferry^0 host:h.test',
  small(13),
  `${small(13)} boat`,
  small(17),
  '(ferry^999)^999',
  '((ferry^999)^999)^0',
  '(ferry^999)^999 boat^0',
];

describe.each([
  ['as shipped', [5, 3, 1.5, 1.5, 2, 1], usual.bm25],
  ['of the text alone', [0, 0, 0, 0, 0, 1], usual.bm25],
  ['of zero', [0, 0, 0, 0, 0, 0], usual.bm25],
  ['as shipped, k1 0', [5, 3, 1.5, 1.5, 2, 1], { k1: 0, b: 1 }],
  ['of zero, k1 0', [0, 0, 0, 0, 0, 0], { k1: 0, b: 1 }],
] as const)('with weights of fields %s', (_, weights, bm25) => {
  describe.each(['classic', 'bm25', 'bm25f'] as const)('similarity=%s', (similarity) => {
    it.each(queries)('scores, explanations and cursors are numbers: %s', async (query) => {
      const found: string[] = [];
      let after: SearchCursor | null = null;
      do {
        const request: SearchRequest = { ...usual, query, weights, bm25, similarity, ...(after && { after }) };
        const { hits, next } = await searcher.search(request);
        for (const { id, score, explanation } of hits) {
          found.push(id);
          expect([id, Number.isFinite(score) && score >= 0]).toEqual([id, true]);
          // Scores have 32 bits: the smallest ones are rounded to 0.
          expect(Math.abs(explanation!.value - score), id).toBeLessThan(0.001 * score + 1e-40);
        }
        after = next;
      } while (after !== null && found.length < 100);
      expect(new Set(found).size).toBe(found.length);
      if (similarity !== 'bm25f' && weights[0] > 0) expect(found.sort()).toEqual(all);
    });
  });
});
