import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import type { SearchRequest } from '../../src/core/search/search-request.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { Searcher } from '../../src/search/searcher.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';

/** Near duplicates over the pages of a result: a hit of one page is not repeated by its copies on later ones. */

let db: TestDatabase;
let searcher: Searcher;
beforeAll(async () => {
  db = await testDatabase();
  searcher = new Searcher(db.pool, 1_000_000);
});
afterAll(() => db.drop());

/** A text of its own for each topic: texts of two topics differ in many bits. */
const textOf = (topic: number) => Array.from({ length: 60 }, (_, i) => `word${topic * 1_000 + i}`).join(' ');
const page = (id: string, topic: number, boost: number): IndexDocument => ({
  id,
  url: `http://site.test/${id}`,
  boost,
  fields: new Map([
    ['title', [`page ${topic}`]],
    ['content', [`ferry ${textOf(topic)}`]],
    ['lang', ['en']],
  ]),
  fieldBoosts: new Map(),
});

/** Writes a crawl whose documents rank in this order, each given by its topic. */
async function ranked(crawl: number, topics: readonly number[]): Promise<void> {
  const writer = new PostgresIndexWriter(db.pool, crawl);
  await writer.write(topics.map((topic, i) => page(`p${i}`, topic, 1e6 / (i + 1))));
  await writer.commit();
}

interface ShownPage {
  readonly hits: readonly string[];
  readonly duplicates: readonly number[];
}

/** All pages of a search for "ferry". */
async function pages(crawl: number, limit: number, collapse = true): Promise<ShownPage[]> {
  const all: ShownPage[] = [];
  for (let after: SearchRequest['after']; ;) {
    const request = { ...SEARCH_DEFAULTS, crawl, query: 'ferry', limit, collapse, ...(after && { after }) };
    const { hits, next } = await searcher.search(request);
    all.push({ hits: hits.map(({ id }) => id), duplicates: hits.map(({ duplicates }) => duplicates) });
    if (next === null) return all;
    after = next;
  }
}

describe('near duplicates', () => {
  it.each([1, 2, 3])('of a hit are on no later page, and all are counted (limit %i)', async (limit) => {
    await ranked(limit, [0, 1, 0, 2, 1, 0, 2, 0]);
    const shown = await pages(limit, limit);
    expect(shown.flatMap(({ hits }) => hits)).toEqual(['p0', 'p1', 'p3']);
    expect(shown.flatMap(({ duplicates }) => duplicates)).toEqual([3, 1, 1]);
  });

  it.each([1, 3, 100])('are hits of their own without collapsing (limit %i)', async (limit) => {
    const crawl = 20 + limit;
    await ranked(crawl, [0, 1, 0, 2, 1, 0, 2, 0]);
    const shown = await pages(crawl, limit, false);
    expect(shown.flatMap(({ hits }) => hits)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7']);
    expect(new Set(shown.flatMap(({ duplicates }) => duplicates))).toEqual(new Set([0]));
  });

  it('that are more than a page reads leave no page empty before the last', async () => {
    await ranked(10, [...Array.from({ length: 300 }, () => 0), 1, 2]);
    const shown = await pages(10, 1);
    expect(shown.map(({ hits }) => hits)).toEqual([['p0'], ['p300'], ['p301']]);
    // Among the documents that the page has read.
    expect(shown[0]!.duplicates).toEqual([81]);
  });

  it('that rank behind the first thousands are hits again, each page after the other', async () => {
    await ranked(11, [...Array.from({ length: 2_300 }, () => 0), 1]);
    const shown = (await pages(11, 100)).flatMap(({ hits }) => hits);
    expect(shown[0]).toBe('p0');
    expect(shown.at(-1)).toBe('p2300');
    expect(shown.length).toBeLessThan(10);
  });
});
