import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, nameCrawler, storeSeedList } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
  await storeSeedList(api);
});
afterAll(() => api?.close());

const create = (body: unknown) =>
  request(api.url)
    .post('/job/create')
    .send(body as object);

describe('lists of jobs continue after a cursor', () => {
  const jobs = [1, 2, 3, 4, 5];
  beforeAll(async () => {
    for (const n of jobs) await create({ type: 'GENERATE', crawlId: 'pages', args: { topN: n } });
    await api.database.query(
      `update job set state = 'KILLED', started_at = now(), ended_at = now() where crawl_id = 'pages' and (args->>'topN')::int < 5`,
    );
  });

  it('GET /job returns the next URL in Link, and none in the last response', async () => {
    const seen: number[] = [];
    let address: string | undefined = '/job?crawlId=pages&limit=2';
    for (let asked = 0; address !== undefined && asked < 9; asked++) {
      const answer: request.Response = await request(api.url).get(address);
      seen.push(...answer.body.map((job: { args: { topN: number } }) => job.args.topN));
      const next = /^<([^>]+)>; rel="next"$/.exec(answer.headers['link'] ?? '')?.[1];
      address = next && `/job${next}`;
    }
    expect(seen).toEqual([5, 4, 3, 2, 1]);
  });

  it('keeps the filters of the first request in Link', async () => {
    const { headers } = await request(api.url).get('/job?crawlId=pages&state=KILLED&limit=1');
    expect(headers['link']).toMatch(/^<\?crawlId=pages&state=KILLED&limit=1&cursor=\d+>; rel="next"$/);
  });

  it.each([
    'http://proxy.test/crawler/job?crawlId=pages&limit=1',
    'http://proxy.test/crawler/job/?crawlId=pages&limit=1',
  ])('links to the next page of %s, behind a proxy that adds a prefix (RFC 8288 §3.2, RFC 3986 §5)', async (asked) => {
    const { pathname, search } = new URL(asked);
    const { headers } = await request(api.url).get(pathname.slice('/crawler'.length) + search);
    const next = new URL(/^<([^>]+)>/.exec(headers['link']!)![1]!, asked);
    expect(next.origin + next.pathname).toBe(`http://proxy.test${pathname}`);
  });

  it('refuses a malformed cursor', async () => {
    for (const path of ['/job', '/v1/crawls']) {
      const { status, body } = await request(api.url).get(`${path}?cursor=garbage`);
      expect([status, body.code]).toEqual([400, 'FIELDS_INVALID']);
      expect(body.detail).toContain('cursor');
    }
  });
});
