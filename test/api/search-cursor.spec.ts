import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** Cursors of searches whose scores are very small or very large numbers. */

let api: ApiUnderTest;

const page = (id: string): IndexDocument => ({
  id: `test.site:http/${id}`,
  url: `http://site.test/${id}`,
  boost: 1,
  fields: new Map([
    ['title', [`page ${id}`]],
    ['content', [`ferry number ${id}`]],
  ]),
  fieldBoosts: new Map(),
});

beforeAll(async () => {
  api = await apiUnderTest();
  const writer = new PostgresIndexWriter(api.database.pool, await crawlNumber(api.database.pool, 'k1'));
  await writer.write(['a', 'b', 'c'].map(page));
  await writer.commit();
});
afterAll(() => api?.close());

const search = (query: Record<string, string | number>) =>
  request(api.url)
    .get('/v1/search')
    .query({ crawlId: 'k1', limit: 1, ...query });

describe('the cursor of a search', () => {
  it.each([
    ['ferry', /^0\.\d/],
    ['ferry^0.001', /^0\.000/],
    ['ferry^0', /^0$/],
    ['(ferry^0.02)^0.001', /^0\.00000/],
    ['((ferry^0.001)^0.001)^0.001', /e-/],
    // The product of boosts is limited.
    ['((((((((ferry^999)^999)^999)^999)^999)^999)^999)^999)', /^\d{6}\.\d/],
  ])('of the query %s, whose scores have the form of %s, leads to the next page', async (q, form) => {
    const found: string[] = [];
    let cursor = '';
    do {
      const { status, body } = await search({ q, cursor });
      expect(status, JSON.stringify(body)).toBe(200);
      expect(String(body.hits[0].score)).toMatch(form);
      found.push(...body.hits.map(({ id }: { id: string }) => id));
      cursor = body.cursor ?? '';
    } while (cursor !== '' && found.length < 10);
    expect(found.sort()).toEqual(['a', 'b', 'c'].map((id) => `test.site:http/${id}`));
  });
});
