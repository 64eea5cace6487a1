import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** search.bm25.*: three texts that begin with the same word: short, long, and one of the same length with more of the word. */

const texts = {
  short: 'lantern and oil',
  long: `lantern and oil ${'of a harbour '.repeat(20)}`,
  often: `lantern and oil ${'of a lantern '.repeat(20)}`,
};
let api: ApiUnderTest;

const document = ([name, text]: [string, string]): IndexDocument => ({
  id: `test.site:http/${name}`,
  url: `http://site.test/${name}`,
  boost: 1,
  fields: new Map([
    ['content', [text]],
    ['lang', ['en']],
  ]),
  fieldBoosts: new Map(),
});

beforeAll(async () => {
  api = await apiUnderTest();
  const writer = new PostgresIndexWriter(api.database.pool, await crawlNumber(api.database.pool, 'k1'));
  await writer.write(Object.entries(texts).map(document));
  await writer.commit();
});
afterAll(() => api?.close());

/** The score of each text. */
async function scores(similarity: string, params: Record<string, string>): Promise<Record<string, number>> {
  await api.database.query(
    `insert into crawl_conf (id, params) values ('c1', $1) on conflict (id) do update set params = excluded.params`,
    [JSON.stringify(params)],
  );
  const query = { q: 'lantern', crawlId: 'k1', confId: 'c1', similarity };
  const { body } = await request(api.url).get('/v1/search').query(query);
  const hits = body.hits as { id: string; score: number }[];
  return Object.fromEntries(hits.map(({ id, score }) => [id.slice(id.lastIndexOf('/') + 1), score]));
}

describe.each(['bm25f', 'bm25'])('with similarity %s', (similarity) => {
  it('search.bm25.b 0 makes texts of any length equal', async () => {
    const found = await scores(similarity, { 'search.bm25.b': '0' });
    expect(found['short']).toBe(found['long']);
    expect(found['often']).toBeGreaterThan(found['long']!);
  });

  it('search.bm25.k1 0 makes one occurrence count as much as many', async () => {
    const found = await scores(similarity, { 'search.bm25.k1': '0' });
    expect(found['short']).toBeGreaterThan(0);
    expect([found['long'], found['often']]).toEqual([found['short'], found['short']]);
  });

  it('the defaults are k1 1.2 and b 0.75', async () => {
    const found = await scores(similarity, {});
    expect(found).toEqual(await scores(similarity, { 'search.bm25.k1': '1.2', 'search.bm25.b': '0.75' }));
    expect(found['short']).toBeGreaterThan(found['long']!);
    expect(found['often']).toBeGreaterThan(found['long']!);
  });
});

it('search.bm25.k1 0 gives words that stand side by side, and those that do not, a finite score', async () => {
  await api.database.query(`update crawl_conf set params = '{"search.bm25.k1": "0"}' where id = 'c1'`);
  const query = { q: 'lantern oil harbour', crawlId: 'k1', confId: 'c1', explain: 'true' };
  const { body } = await request(api.url).get('/v1/search').query(query);
  const found = (body.hits as { score: number }[]).map(({ score }) => score);
  expect(found).toHaveLength(3);
  expect(found.every((score) => Number.isFinite(score) && score > 0)).toBe(true);
});

it.each([
  ['search.bm25.k1', '-1'],
  ['search.bm25.b', '1.1'],
])('%s %s is refused', async (name, value) => {
  const answer = await request(api.url)
    .post('/config/create')
    .send({ configId: 'c2', force: true, params: { [name]: value } });
  expect(answer.status).toBe(400);
  expect(answer.text).toContain(name);
});
