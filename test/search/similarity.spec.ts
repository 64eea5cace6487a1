import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import type { SearchRequest } from '../../src/core/search/search-request.js';
import { Searcher } from '../../src/search/searcher.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';

/** Ranking by Lucene's similarities beyond the twenty documents of lucene.spec.ts: boosts, filters, segments, languages. */
const ONE = 1;
const PARTED = 2;
let db: TestDatabase;
let searcher: Searcher;

const page = (id: string, content: string, more: Partial<IndexDocument> & { lang?: string } = {}): IndexDocument => ({
  id,
  url: `http://h.test/${id}`,
  boost: 1,
  fieldBoosts: new Map(),
  ...more,
  fields: new Map([
    ['title', ['harbour']],
    ['content', [content]],
    ['lang', [more.lang ?? 'zxx']],
  ]),
});

const words = ['ferry', 'boat', 'night', 'winter', 'keeper', 'lamp'];
const pages = [
  ...words.map((word, i) => page(`w${i}`, [word, ...words.slice(0, i), word].join(' '))),
  page('heavy', 'lantern oil', { boost: 4 }),
  page('light', 'lantern oil rope'),
  page('german', 'laterne rope', { lang: 'de' }),
  page('near', 'anchor chain rope'),
  page('far', 'anchor the long chain rope'),
];

beforeAll(async () => {
  db = await testDatabase();
  for (const [crawl, maxDocuments] of [
    [ONE, 1_000],
    [PARTED, 3],
  ] as const) {
    const writer = new PostgresIndexWriter(db.pool, crawl, { maxDocuments, maxBytes: 1e9 });
    await writer.write(pages);
    await writer.commit();
  }
  searcher = new Searcher(db.pool, 1_000_000);
});
afterAll(() => db.drop());

const search = (query: string, more: Partial<SearchRequest> = {}) =>
  searcher.search({
    crawl: ONE,
    query,
    ...SEARCH_DEFAULTS,
    weights: [0, 0, 0, 0, 0, 1],
    similarity: 'classic',
    explain: true,
    ...more,
  });
const scores = async (query: string, more: Partial<SearchRequest> = {}) =>
  Object.fromEntries((await search(query, more)).hits.map(({ id, score }) => [id, Number(score.toPrecision(6))]));

describe.each(['classic', 'bm25'] as const)('similarity=%s', (similarity) => {
  const queries = [
    'ferry',
    'ferry boat night -lamp',
    '+winter (keeper OR lamp)^2 lang:zxx',
    '"night winter" boat*',
    '((ferry lang:de) OR (boat site:h.test)) keeper',
    '(ferry AND lamp) OR (night AND -keeper)',
    '"anchor chain"~4',
    '"anchor rope chain"~1 lamp',
    '"anchor rope chain"~2',
    'host:h.test lantern',
    'title:harbour^0.5 rope',
    'date:1999 OR rope',
    'lang:de OR ferry',
    'lang:de',
  ];

  it.each(queries)('explains each score for %s', async (query) => {
    const { hits } = await search(query, { similarity, weights: [5, 3, 1.5, 1.5, 2, 1] });
    expect(hits).not.toEqual([]);
    for (const { score, explanation } of hits) expect(explanation!.value).toBeCloseTo(score, 5);
  });

  it.each(queries)('returns the same scores with one segment and several for %s', async (query) => {
    expect(await scores(query, { similarity, crawl: PARTED })).toEqual(await scores(query, { similarity }));
  });

  it('returns the same documents as bm25f', async () => {
    const found = async (query: string, name: SearchRequest['similarity']) =>
      Object.keys(await scores(query, { similarity: name, weights: [1, 1, 1, 1, 1, 1] })).sort();
    for (const query of queries) {
      const documents = await found(query, 'bm25f');
      expect(documents).not.toEqual([]);
      expect(await found(query, similarity)).toEqual(documents);
    }
  });
});

it.each(['classic', 'bm25', 'bm25f'] as const)('nested boosts leave scores finite: %s', async (similarity) => {
  const query = Array.from({ length: 16 }, () => 0).reduce((inner) => `(${inner} boat)^999`, 'ferry^999');
  const { hits } = await search(query, { similarity });
  expect(hits.length).toBeGreaterThan(1);
  for (const { score } of hits) expect(Number.isFinite(score)).toBe(true);
});

describe('similarity=classic', () => {
  it('includes the boost of a document in its norm', async () => {
    const { heavy, light } = await scores('lantern');
    // 4/√2 and 1/√3, truncated to three bits: 2.5 and 0.5.
    expect(heavy! / light!).toBeCloseTo(5, 4);
  });

  it('counts a repeated word as so many clauses', async () => {
    const idf = (df: number): number => 1 + Math.log(pages.length / (df + 1));
    const [ferry, boat] = [idf(6), idf(5)];
    const once = await scores('ferry boat');
    const twice = await scores('ferry ferry boat');
    const factor = Math.sqrt((ferry ** 2 + boat ** 2) / (2 * ferry ** 2 + boat ** 2));
    expect(twice['w0']! / once['w0']!).toBeCloseTo(((2 * 2) / 3 / (1 / 2)) * factor, 4);
  });

  it('does not count a filter as a clause', async () => {
    expect(await scores('ferry boat lang:zxx')).toEqual(await scores('ferry boat'));
  });

  it('weights a phrase match by its distance', async () => {
    // √(1 / (1 + 2)); the norms of three and of five words are 0.5 and 0.4375.
    const { near, far } = await scores('"anchor chain"~2');
    expect(far! / near!).toBeCloseTo((Math.sqrt(1 / 3) * 0.4375) / 0.5, 4);
  });

  it('allows query expansion', async () => {
    const { expansion } = await search('rope lantern anchor', { expand: 'on' });
    expect(expansion.reason).toBe('expansion is on');
  });

  it('scores 1 for a query of filters only', async () => {
    expect(await scores('lang:de')).toEqual({ german: 1 });
  });
});
