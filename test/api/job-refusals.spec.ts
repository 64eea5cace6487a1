import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, nameCrawler, storeSeedList } from './api-under-test.js';

/** Jobs that cannot work are refused on creation and store nothing; invalid seeds can be skipped. */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
  await storeSeedList(api);
});
afterAll(() => api?.close());

const create = (body: object) => request(api.url).post('/job/create').send(body);
const inject = (args: object, crawlId = 'k1') => create({ type: 'INJECT', crawlId, args });
const waiting = async () => (await api.database.query<{ n: number }>('select count(*)::int as n from job'))[0]?.n;

describe('a job that sends requests to web servers', () => {
  beforeAll(async () => {
    const confs = {
      nameless: { 'http.agent.name': ' ' },
      speechless: { 'plugin.includes': 'urlfilter-regex|parse-html' },
    };
    for (const [configId, params] of Object.entries(confs))
      await request(api.url).post('/config/create').send({ configId, params });
  });
  const lists = async () => (await api.database.query('select name from seed_list')).length;

  it.each(['FETCH', 'SITEMAP', 'CRAWL'])(
    '%s is refused without http.agent.name, and no job or seed list is stored',
    async (type) => {
      const before = [await waiting(), await lists()];
      const args = type === 'CRAWL' ? { seed: 'http://site.test/' } : {};
      const { status, body } = await create({ type, crawlId: 'k1', confId: 'nameless', args });
      expect([status, body.code]).toEqual([400, 'FETCH_IMPOSSIBLE']);
      expect(body.detail).toContain('configuration "nameless"');
      expect(body.detail).toContain('PUT /config/nameless/http.agent.name');
      expect([await waiting(), await lists()]).toEqual(before);
    },
  );

  it('is refused without a protocol plugin for HTTP', async () => {
    const { status, body } = await create({ type: 'FETCH', crawlId: 'k1', confId: 'speechless', args: {} });
    expect([status, body.code]).toEqual([400, 'FETCH_IMPOSSIBLE']);
    expect(body.detail).toContain('plugin.includes');
  });

  it.each(['INJECT', 'GENERATE', 'PARSE', 'UPDATEDB'])(
    'is not %s, which is accepted without http.agent.name',
    async (type) => {
      const args = type === 'INJECT' ? { seedName: 's1' } : {};
      expect((await create({ type, crawlId: 'k1', confId: 'nameless', args })).status).toBe(200);
    },
  );
});

describe('a job of type CRAWL without seeds', () => {
  const crawl = (crawlId: string, args: object) => create({ type: 'CRAWL', crawlId, args });

  it.each([[{}], [{ seed: '' }], [{ seeds: ['http://a.test/'] }], [{ seedName: null, rounds: '2' }]])(
    'is refused with the args %j for a crawl that has no pages, and no job is created',
    async (args) => {
      const before = await waiting();
      const { status, body } = await crawl('unseeded', args);
      expect([status, body.code, body.errors[0].field]).toEqual([400, 'SEEDS_MISSING', 'args.seed']);
      expect(body.detail).toContain('Crawl "unseeded" has no pages to continue with; send the lines as args.seed');
      expect(await waiting()).toBe(before);
    },
  );

  it('continues a crawl whose INJECT has not ended', async () => {
    await inject({ seedName: 's1' }, 'seeded');
    const { status, body } = await crawl('seeded', {});
    expect([status, body.type]).toEqual([200, 'CRAWL']);
  });
});

describe('expr of GENERATE', () => {
  it('is refused for an unknown status', async () => {
    const { status, body } = await create({ type: 'GENERATE', crawlId: 'k1', args: { expr: "status == 'db_fetchd'" } });
    expect([status, body.code]).toEqual([400, 'JOB_ARGS_INVALID']);
    expect(body.detail).toContain('"db_fetchd" is no status of a page; there are db_unfetched');
  });

  it('accepts the name of a status in any letter case', async () => {
    const { status } = await create({ type: 'GENERATE', crawlId: 'k1', args: { expr: "status == 'DB_UNFETCHED'" } });
    expect(status).toBe(200);
  });
});

describe('Long.MAX_VALUE, Nutch’s value for no limit', () => {
  it.each([
    ['topN', 2 ** 63],
    ['topN', '9223372036854775807'],
    ['curTime', 2 ** 63],
    ['curTime', '9223372036854775807'],
  ])('is accepted as %s of GENERATE (%j)', async (name, value) => {
    const { status } = await create({ type: 'GENERATE', crawlId: 'k1', args: { [name]: value } });
    expect(status).toBe(200);
  });

  it('is refused as threads of FETCH, as too great', async () => {
    const args = { threads: '9223372036854775807' };
    const { status, body } = await create({ type: 'FETCH', crawlId: 'k1', args });
    expect([status, body.detail]).toEqual([
      400,
      expect.stringContaining('args.threads must not be greater than 1000 (given: "9223372036854775807")'),
    ]);
  });
});

describe('an argument that a job cannot use', () => {
  it.each([
    ['topN', 'many', 'args.topN must be an integer number (given: "many")'],
    ['topN', -2, 'args.topN must not be less than -1 (given: -2)'],
    ['batch', {}, 'args.batch must be a string (given: {})'],
    ['maxNumSegments', 1.5, 'args.maxNumSegments must be an integer number (given: 1.5)'],
    [
      'batch',
      'a b',
      'args.batch must be 1 to 128 letters, digits, dots, colons, dashes or underscores, no dot or colon first (given: "a b")',
    ],
    [
      'batch',
      '-all',
      'args.batch must not be -all, -reparse or -reindex: these words name sets of batches (given: "-all")',
    ],
  ])('is refused with one reason: %s %j', async (name, value, why) => {
    const { status, body } = await create({ type: 'GENERATE', crawlId: 'k1', args: { [name]: value } });
    expect([status, body.code]).toEqual([400, 'JOB_ARGS_INVALID']);
    expect(body.detail).toBe(`GENERATE cannot run with these args: ${why}.`);
    expect(body.errors).toEqual([{ field: `args.${name}`, message: why }]);
  });

  it.each([{}, { segment: null, batch: 'merged' }])('is missing: MERGESEGS without segments, %j', async (args) => {
    const { status, body } = await create({ type: 'MERGESEGS', crawlId: 'k1', args });
    expect([status, body.code]).toEqual([400, 'JOB_ARGS_INVALID']);
    expect(body.detail).toContain('one of segment, segment_dir, segments_dir and dir is required');
  });

  it.each(['-all', '-reparse', '-reindex'])('names no new batch: %s', async (batch) => {
    for (const type of ['GENERATE', 'MERGESEGS'])
      expect((await create({ type, crawlId: 'k1', args: { batch, segment_dir: 'segments' } })).status).toBe(400);
  });
});

describe('INJECT with seeds in the request', () => {
  const lines = ['http://a.test/', 'no url', '# a comment', 'http://b.test/', `http://c.test/${'c'.repeat(16_384)}`];

  it('is refused for invalid lines', async () => {
    const { status, body } = await inject({ seed: lines.join('\n') });
    expect([status, body.code, body.errors.length]).toEqual([400, 'SEED_LIST_INVALID', 2]);
  });

  it.each(['INJECT', 'CRAWL'])('skips invalid lines with skipInvalid and names them in a notice (%s)', async (type) => {
    const answer = await create({ type, crawlId: 'skips', args: { seed: lines.join('\n'), skipInvalid: true } });
    expect(answer.status).toBe(200);
    const said = answer.headers['orbweaver-notice'];
    expect(said).toContain('2 of 5 seed lines are left out: seed, line 2 is no URL');
    expect(said).toContain('seed, line 5 is longer than 16384 characters');
    const list = (await request(api.url).get(`/seed/${answer.body.args.seedName}`)).body;
    expect(list.seedUrls.map(({ url }: { url: string }) => url)).toEqual([lines[0], lines[2], lines[3]]);
  });
});
