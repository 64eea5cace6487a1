import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, nameCrawler } from './api-under-test.js';
import { addPages } from './seeded-pages.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
});
afterAll(() => api?.close());

const crawl = (body: object) => request(api.url).post('/v1/crawls').send(body);

describe('a crawl by its crawl id', () => {
  const get = async (path: string) => (await request(api.url).get(`/v1/crawls/${path}`)).body;
  const post = async (path: string) => (await request(api.url).post(`/v1/crawls/${path}`)).body as unknown;
  const idOf = async (made: ReturnType<typeof crawl>) => (await made).body.id as string;
  const stateOf = async (id: string) => (await request(api.url).get(`/job/${id}`)).body.state as string;

  it('resolves to its newest CRAWL job that has not ended, else to the newest', async () => {
    const first = await idOf(crawl({ crawlId: 'name', seeds: ['http://a.test/'] }));
    const second = await idOf(crawl({ crawlId: 'name' }));
    expect(await get('name')).toMatchObject({ id: second, counters: {}, children: [{ parent: second }] });
    await post(`${second}/abort`);
    expect((await get('name')).id).toBe(first);
    await post(`${first}/abort`);
    expect((await get('name')).id).toBe(second);
  });

  it('is paused, resumed, stopped and aborted with all its jobs, without jobs of other crawls', async () => {
    const one = await idOf(crawl({ crawlId: 'verbs', seeds: ['http://a.test/'] }));
    const other = await idOf(crawl({ crawlId: 'verbs2', seeds: ['http://a.test/'] }));
    const single = { type: 'GENERATE', crawlId: 'verbs', args: {} };
    const job = (await request(api.url).post('/job/create').send(single)).body.id as string;
    expect(await post('verbs/pause')).toBe(true);
    expect((await get(one)).paused).toBe(true);
    expect((await request(api.url).get(`/job/${job}`)).body.paused).toBe(true);
    expect((await get(other)).paused).toBe(false);
    expect([await post('verbs/resume'), await post('verbs/resume')]).toEqual([true, false]);
    expect(await post('verbs/stop')).toBe(true);
    expect([await stateOf(one), await stateOf(job)]).toEqual(['FINISHED', 'KILLED']);
    expect([await post('verbs/abort'), await post('verbs2/abort')]).toEqual([false, true]);
    expect(await stateOf(other)).toBe('KILLED');
  });

  it('lists its pages, by crawl id or by the id of its job', async () => {
    const id = await idOf(crawl({ crawlId: 'pages', seeds: ['http://a.test/'] }));
    const [{ crawl: number } = { crawl: 0 }] = await api.database.query<{ crawl: number }>(
      'select crawl from job where id = $1',
      [id],
    );
    await addPages(
      api.database,
      number,
      [1, 2, 3].map((n) => ({ url: `http://a.test/${n}` })),
    );
    for (const name of ['pages', id]) {
      const first = await get(`${name}/pages?limit=2`);
      expect(first.pages.map(({ url }: { url: string }) => url)).toEqual(['http://a.test/1', 'http://a.test/2']);
      expect((await get(`${name}/pages?cursor=${first.cursor}`)).pages).toMatchObject([{ url: 'http://a.test/3' }]);
      const lines = await request(api.url).get(`/v1/crawls/${name}/pages`).set('Accept', 'application/x-ndjson');
      expect(lines.text.trim().split('\n')).toHaveLength(3);
    }
  });

  it('returns 404 when it has no CRAWL job, while its pages and abort work', async () => {
    await request(api.url)
      .post('/job/create')
      .send({ type: 'INJECT', crawlId: 'single', args: { seed: 'http://a.test/' } });
    expect(await get('single')).toMatchObject({
      status: 404,
      code: 'JOB_UNKNOWN',
      detail: 'Crawl "single" has no job of type CRAWL; its jobs: GET /job?crawlId=single.',
    });
    expect((await get('single/pages')).pages).toEqual([]);
    expect(await post('single/abort')).toBe(true);
  });

  it('returns 404 for an unknown crawl', async () => {
    for (const path of ['none', 'none/pages', 'a%20b/pages'])
      expect(await get(path)).toMatchObject({ status: 404, code: 'JOB_UNKNOWN' });
  });
});
