import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { Searcher } from '../../src/search/searcher.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';

/** The score of a hit is that of its explanation, in an index of several languages too. */

const CRAWL = 1;
let db: TestDatabase;
let searcher: Searcher;

const page = (id: string, lang: string, title: string, content: string, ...anchors: string[]): IndexDocument => ({
  id,
  url: `http://${id}.test/`,
  boost: 1,
  fields: new Map<string, (string | Date)[]>([
    ['title', [title]],
    ['content', [`${title}\n${content}`]],
    ['anchor', anchors],
    ['lang', [lang]],
    ['date', [new Date('2022-02-02')]],
  ]),
  fieldBoosts: new Map(),
});

beforeAll(async () => {
  db = await testDatabase();
  const writer = new PostgresIndexWriter(db.pool, CRAWL);
  await writer.write([
    page('one', 'xx', 'Light lights', 'lights light boat night lights light boats old night boat'),
    page('two', 'en', 'Light lights', 'lights light boat night lights light boats old night boat'),
    page('three', 'de', 'Boat', 'the night boats and the old light, don’t light the night'),
    page('four', 'xx', 'Other', 'old don’t night boat the lights of a harbour'),
    page('five', 'en', 'Night', 'a harbour'),
    page('six', 'xx', 'Light', 'a pier', 'lights'),
  ]);
  await writer.commit();
  searcher = new Searcher(db.pool, 1_000_000);
});
afterAll(() => db.drop());

const request = { ...SEARCH_DEFAULTS, crawl: CRAWL, explain: true };

describe.each(['bm25f', 'bm25', 'classic'] as const)('similarity=%s', (similarity) => {
  it.each([
    ['a word with a form in each language', 'lights'],
    ['words, one of which the title has twice', 'lights harbour'],
    ['a word in one field', 'title:lights content:boats'],
    ['a word of which one form is in the field, and another one in the title', 'anchor:lights'],
    ['a phrase with other terms in each language', '"night boats"'],
    ['a phrase with stop words of one language', '"old don’t night"~2'],
    ['brackets that a word excludes', 'night (boats -lights)'],
    ['brackets that only a filter matches', 'night ((+date:2022 -harbour) lights)'],
  ])('of %s: %s', async (_, query) => {
    const { hits } = await searcher.search({ ...request, query, similarity });
    expect(hits.length).toBeGreaterThan(0);
    for (const { id, score, explanation } of hits)
      expect([id, explanation!.value.toFixed(4)]).toEqual([id, score.toFixed(4)]);
  });
});
