import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, nameCrawler, storeSeedList } from './api-under-test.js';

/** Jobs of 1.x name their crawl by the paths of its stores: `{"crawldb": "k1/crawldb"}` (B16). */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
  await storeSeedList(api);
});
afterAll(() => api?.close());

const create = (type: string, args: object, rest: object = {}) =>
  request(api.url)
    .post('/job/create')
    .send({ type, args: type === 'INJECT' ? { seedName: 's1', ...args } : args, ...rest });

const WITH_CRAWLDB = [
  'INJECT',
  'GENERATE',
  'UPDATEDB',
  'INVERTLINKS',
  'DEDUP',
  'SITEMAP',
  'HOSTDB',
  'SCOREUPDATE',
  'READDB',
];

describe('a job whose request names no crawl', () => {
  it.each(WITH_CRAWLDB)('takes the crawl from its argument crawldb (%s)', async (type) => {
    for (const crawldb of ['k1/crawldb', '/data/nutch/k1/crawldb/', './k1/crawldb/current']) {
      const { status, body, headers } = await create(type, { crawldb }, { crawlId: '' });
      expect([status, body.crawlId, headers['orbweaver-notice']]).toEqual([200, 'k1', undefined]);
      expect(body).toMatchObject({ id: expect.stringMatching(`^k1-default-${type}-\\d+$`), args: { crawldb } });
    }
  });

  it.each<[string, object]>([
    ['INVERTLINKS', { linkdb: 'k2/linkdb' }],
    ['LINKRANK', { webgraphdb: 'k2/webgraphdb' }],
    ['GENERATE', { hostdb: 'k2/hostdb' }],
    ['SITEMAP', { hostdb: 'k2/hostdb' }],
    ['GENERATE', { segments_dir: 'k2/segments' }],
    ['GENERATE', { segment_dir: 'k2/segments' }],
    ['INVERTLINKS', { dir: 'k2/segments' }],
    ['PARSE', { segment: 'k2/segments/20251121093000' }],
    ['FETCH', { segment: 'k2/segments/20251121093000', segment_dir: 'k2/segments' }],
    ['UPDATEDB', { segment: ['k2/segments/20251121093000', '20251121093001'], crawldb: 'k2/crawldb' }],
    ['UPDATEDB', { crawl: 'k2', crawldb: 'k2/crawldb' }],
  ])('takes the crawl from its other paths (%s %j)', async (type, args) => {
    const { status, body } = await create(type, args);
    expect([status, body.crawlId]).toEqual([200, 'k2']);
  });

  it.each(WITH_CRAWLDB)('returns a notice when the path names no crawl (%s)', async (type) => {
    for (const crawldb of ['crawldb', 'somewhere/else', '/crawldb']) {
      const { status, body, headers } = await create(type, { crawldb });
      expect([status, body.crawlId]).toEqual([200, '']);
      expect(headers['orbweaver-notice']).toContain(
        `args.crawldb names no crawl, as "k1/crawldb" does (given: "${crawldb}")`,
      );
    }
  });

  it('is refused when its paths name several crawls', async () => {
    const { status, body } = await create('INVERTLINKS', { crawldb: 'k1/crawldb', linkdb: 'k2/linkdb' });
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'JOB_ARGS_INVALID', 'args.linkdb']);
    expect(body.detail).toContain('args.linkdb names the crawl "k2", args.crawldb the crawl "k1"');
  });

  it.each(['../crawldb', 'a crawl/crawldb', `${'x'.repeat(200)}/crawldb`])(
    'is refused when a path contains an invalid crawl id (%j)',
    async (crawldb) => {
      const { status, body } = await create('DEDUP', { crawldb });
      expect([status, body.errors[0].field]).toEqual([400, 'args.crawldb']);
    },
  );
});

describe('a job whose request names a crawl', () => {
  it.each(WITH_CRAWLDB)('accepts a path that names the same crawl, without a notice (%s)', async (type) => {
    const { status, body, headers } = await create(type, { crawldb: 'k1/crawldb' }, { crawlId: 'k1' });
    expect([status, body.crawlId, headers['orbweaver-notice']]).toEqual([200, 'k1', undefined]);
  });

  it.each(WITH_CRAWLDB)('is refused when a path names another crawl, and no job is created (%s)', async (type) => {
    const before = await jobs();
    const { status, body } = await create(type, { crawldb: 'k2/crawldb' }, { crawlId: 'k1' });
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'JOB_ARGS_INVALID', 'args.crawldb']);
    expect(body.detail).toContain('args.crawldb names the crawl "k2", crawlId the crawl "k1"');
    expect(await jobs()).toBe(before);
  });

  it('keeps crawlId and returns a notice when the path names no crawl', async () => {
    const { body, headers } = await create('DEDUP', { crawldb: 'crawldb' }, { crawlId: 'k1' });
    expect(body.crawlId).toBe('k1');
    expect(headers['orbweaver-notice']).toContain('the job works on the crawl "k1"');
  });

  it('returns a notice that a path argument unknown to the job type has no effect', async () => {
    const { body, headers } = await create('FETCH', { crawldb: 'k2/crawldb' }, { crawlId: 'k1' });
    expect([body.crawlId, headers['orbweaver-notice']]).toEqual([
      'k1',
      'Argument crawldb is not known to FETCH and changes nothing.',
    ]);
  });
});

it('POST /seedList stores no seeds when the paths of its job name another crawl', async () => {
  const seeds = { name: 'other', seedUrls: [{ url: 'http://site.test/' }], crawlId: 'k1' };
  const answer = await request(api.url)
    .post('/seedList')
    .send({ ...seeds, args: { crawldb: 'k2/crawldb' } });
  expect([answer.status, answer.body.code]).toEqual([400, 'JOB_ARGS_INVALID']);
  expect((await request(api.url).get('/seed/other')).status).toBe(404);
});

const jobs = async () => (await api.database.query<{ n: number }>('select count(*)::int as n from job'))[0]?.n;
