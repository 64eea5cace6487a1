import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import type { SearchRequest } from '../../src/core/search/search-request.js';
import { Searcher } from '../../src/search/searcher.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';

/** Words that stand near each other: read for the first documents of a ranking only, which come before all others. */
const ONE = 1;
const PARTED = 2;
/** So many documents that the last pages are not compared with all earlier ones (MAX_COMPARED). */
const MANY = 3;
/** Documents whose positions are read. */
const FIRST = 100;
let db: TestDatabase;
let searcher: Searcher;

const page = (id: string, content: string): IndexDocument => ({
  id,
  url: `http://h.test/${id}`,
  boost: 1,
  fieldBoosts: new Map(),
  fields: new Map([
    ['title', [`page ${id}`]],
    ['content', [content]],
    ['lang', ['en']],
  ]),
});

/** The same words, ever further apart; few enough that no two pages are nearly the same. */
const others = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, i) => `w${from + i}`).join(' ');
const apart = Array.from({ length: 150 }, (_, i) => {
  const gap = i % 10;
  return page(`a${i}`, `ferries ${others(0, gap)} timetable ${others(gap, 10)}`);
});
const pages = [
  ...apart,
  {
    ...page('title', 'boats'),
    fields: new Map([
      ['title', ['Harbour office']],
      ['content', ['boats']],
    ]),
  },
  page('office', 'harbour office'),
  page('form', 'a ferry and timetables'),
  page('one', 'ferries only'),
];
/** No two with other words in common. */
const many = Array.from({ length: 2_000 }, (_, i) => {
  const [first, gap] = [12 * i, i % 11];
  return page(`m${i}`, `ferries ${others(first, first + gap)} timetable ${others(first + gap, first + 11)}`);
});

beforeAll(async () => {
  db = await testDatabase();
  for (const [crawl, maxDocuments] of [
    [ONE, 1_000],
    [PARTED, 30],
  ] as const) {
    const writer = new PostgresIndexWriter(db.pool, crawl, { maxDocuments, maxBytes: 1e9 });
    await writer.write(pages);
    await writer.commit();
  }
  const writer = new PostgresIndexWriter(db.pool, MANY, { maxDocuments: 5_000, maxBytes: 1e9 });
  await writer.write(many);
  await writer.commit();
  searcher = new Searcher(db.pool, 1_000_000);
});
afterAll(() => db.drop());

const search = (query: string, more: Partial<SearchRequest> = {}) =>
  searcher.search({
    crawl: ONE,
    query,
    ...SEARCH_DEFAULTS,
    limit: 200,
    explain: true,
    ...more,
  });
const scores = async (query: string, more: Partial<SearchRequest> = {}) =>
  Object.fromEntries((await search(query, more)).hits.map(({ id, score }) => [id, Number(score.toPrecision(5))]));
/** The ids of all hits, page by page; none may come twice. */
async function readOn(more: Partial<SearchRequest>, limitAt: (read: number) => number): Promise<string[]> {
  const read: string[] = [];
  for (let after: SearchRequest['after']; ;) {
    const { hits, next } = await search('ferries timetable', {
      ...more,
      limit: limitAt(read.length),
      ...(after && { after }),
    });
    read.push(...hits.map(({ id }) => id));
    expect(new Set(read).size).toBe(read.length);
    if (next === null) return read;
    expect(hits).not.toEqual([]);
    after = next;
  }
}
const hasProximity = (hit: { explanation?: unknown }): boolean => JSON.stringify(hit.explanation).includes('proximity');

describe('words that stand near each other', () => {
  const queries = ['ferries timetable', '+ferry^2 timetables', '(ferry OR boat)^3 timetable -nothing'];

  it.each(queries)('are a part of each score that is explained: %s', async (query) => {
    const { hits } = await search(query);
    expect(hits.some(hasProximity)).toBe(true);
    for (const { score, explanation } of hits) expect(explanation!.value).toBeCloseTo(score, 4);
  });

  it.each(queries)('score the same however documents lie in segments: %s', async (query) => {
    expect(await scores(query, { crawl: PARTED })).toEqual(await scores(query));
  });

  it('bring pages to the top that have them side by side', async () => {
    const { hits } = await search('ferries timetable', { limit: 2 });
    expect(hits.map(({ id }) => id)).toEqual(['a0', 'a10']);
  });

  it('count for the first documents, which come before all others', async () => {
    const { hits } = await search('ferries timetable');
    const counted = hits.map(hasProximity);
    expect(hits.length).toBeGreaterThan(FIRST);
    expect(counted.lastIndexOf(true)).toBe(FIRST - 1);
    expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
  });

  it('do not count where the query is the title of the best page', async () => {
    const { hits } = await search('harbour office');
    expect(hits.map(({ id }) => id)).toEqual(['title', 'office']);
    expect(hits.some(hasProximity)).toBe(false);
  });

  it.each(['classic', 'bm25'] as const)('do not count with similarity=%s', async (similarity) => {
    const { hits } = await search('ferries timetable', { similarity });
    expect(hits.some(hasProximity)).toBe(false);
  });

  it('are read on by a cursor, each document once and in the same order', async () => {
    const all = (await search('ferries timetable')).hits.map(({ id }) => id);
    const read = await readOn({}, () => 7);
    expect(read.slice(0, all.length)).toEqual(all);
  });

  it('are read on by a cursor to the last of very many documents, each once', async () => {
    // Of few hits the first documents, which are ranked anew for each page, would leave none.
    const read = await readOn({ crawl: MANY, explain: false }, (n) => (n < 1_800 ? 200 : 10));
    expect(read.toSorted()).toEqual(many.map(({ id }) => id).toSorted());
  });
});
