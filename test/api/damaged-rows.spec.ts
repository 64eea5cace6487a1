import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';
import { addPages, newCrawl } from './seeded-pages.js';

/** Rows that were changed by hand (F24) are read like the others: no list ends at them. */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await addPages(api.database, await newCrawl(api.database, 'k1'), [
    { url: 'http://a.test/', row: { metadata: JSON.stringify('text') } },
    { url: 'http://b.test/', row: { metadata: JSON.stringify([1, 2]) } },
    { url: 'http://c.test/', row: { fetch_time: '-infinity' } },
    { url: 'http://d.test/', row: { fetch_time: 'infinity', prev_fetch_time: '294276-12-31T00:00:00Z' } },
    { url: 'http://e.test/' },
  ]);
  await api.database.query(`update host set blocked_until = 'infinity' where host = 'test.a'`);
});
afterAll(() => api.close());

const urls = ['a', 'b', 'c', 'd', 'e'].map((name) => `http://${name}.test/`);

describe('damaged rows', () => {
  it('are in a dump', async () => {
    const query = { type: 'dump', crawlId: 'k1', args: { format: 'csv' } };
    const { body } = await request(api.url).post('/db/crawldb').send(query).buffer(true).expect(200);
    for (const url of urls) expect(String(body)).toContain(url);
  });

  it('are in a list of pages, without metadata that are no object', async () => {
    const { body } = await request(api.url).get('/v1/pages?crawlId=k1').expect(200);
    expect(body.pages.map((page: { url: string }) => page.url)).toEqual(urls);
    const { body: page } = await request(api.url)
      .get(`/v1/pages/${encodeURIComponent(urls[0]!)}?crawlId=k1`)
      .expect(200);
    expect(page.metadata).toEqual({});
  });

  it('show times that are infinite or too late as the first or last that JSON and PostgreSQL can represent', async () => {
    const time = async (url: string) =>
      (
        await request(api.url)
          .get(`/v1/pages/${encodeURIComponent(url)}?crawlId=k1`)
          .expect(200)
      ).body;
    expect(await time('http://c.test/')).toMatchObject({ fetchTime: '-004712-01-01T00:00:00.000Z' });
    const last = '+275760-09-13T00:00:00.000Z';
    expect(await time('http://d.test/')).toMatchObject({ fetchTime: last, prevFetchTime: last });
    const { body } = await request(api.url).get('/v1/hosts?crawlId=k1').expect(200);
    expect(body.hosts).toHaveLength(5);
  });
});
