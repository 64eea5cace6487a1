import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, nameCrawler } from './api-under-test.js';
import { addPages } from './seeded-pages.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
});
afterAll(() => api.close());

const crawl = (body: object) => request(api.url).post('/v1/crawls').send(body);
const jobs = async () => Number((await api.database.query<{ n: string }>('select count(*) as n from job'))[0]!.n);
const seedLines = async (name: string) =>
  (
    await api.database.query<{ line: string }>('select line from seed_url where list = $1 order by position', [name])
  ).map(({ line }) => line);

describe('POST /v1/crawls', () => {
  it('returns the running CRAWL job with its first child', async () => {
    const { status, body } = await crawl({ crawlId: 'k1', seeds: ['http://a.test/', 'http://b.test/\tnutch.score=2'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: expect.stringMatching(/^k1-default-CRAWL-\d+$/) as string,
      type: 'CRAWL',
      state: 'RUNNING',
      crawlId: 'k1',
      confId: 'default',
      parent: null,
      paused: false,
    });
    expect(body.children).toMatchObject([{ type: 'INJECT', round: 0, state: 'IDLE', parent: body.id }]);
    expect(await seedLines(body.args.seedName)).toEqual(['http://a.test/', 'http://b.test/\tnutch.score=2']);
  });

  it('is refused without http.agent.name', async () => {
    const nameless = { configId: 'nameless', params: { 'http.agent.name': '' } };
    await request(api.url).post('/config/create').send(nameless);
    const before = await jobs();
    const { status, body } = await crawl({ crawlId: 'k9', confId: 'nameless', seeds: ['http://a.test/'] });
    expect([status, body.code]).toEqual([400, 'FETCH_IMPOSSIBLE']);
    expect(body.detail).toContain('PUT /config/nameless/http.agent.name');
    expect(await jobs()).toBe(before);
  });

  it('counts the refused seeds in the notice and bounds how many it names', async () => {
    const bad = Array.from({ length: 30 }, (_, at) => `ftp://b${at}.test/`);
    const answer = await crawl({ crawlId: 'k8', seeds: ['http://a.test/', ...bad] });
    expect(answer.status).toBe(200);
    expect(answer.headers['orbweaver-notice']).toMatch(
      /^30 seeds are refused\. seeds\[1\] .*And 20 more are refused\.$/,
    );
  });

  it('starts from a stored seed list', async () => {
    await request(api.url)
      .post('/seed/create')
      .send({ name: 's1', seedUrls: [{ url: 'http://a.test/' }] });
    const { body } = await crawl({ crawlId: 'k2', seedName: 's1' });
    expect(body.args).toEqual({ seedName: 's1' });
  });

  it('continues with the pages of the crawl when no seeds are given', async () => {
    const { status, body } = await crawl({ crawlId: 'k1' });
    expect(status).toBe(200);
    expect(body.children).toMatchObject([{ type: 'GENERATE', round: 1 }]);
  });

  it('without seeds is refused for a crawl that exists and has no pages', async () => {
    await api.database.query(`insert into crawl (name) values ('empty') on conflict do nothing`);
    for (const crawlId of ['empty', '']) {
      const { status, body } = await crawl({ crawlId });
      expect([status, body.code]).toEqual([400, 'SEEDS_MISSING']);
      expect(body.detail).toContain(`Crawl "${crawlId}" has no pages to continue with`);
    }
  });

  it('without seeds is accepted for a crawl whose INJECT has not ended, and after that if it has pages', async () => {
    const body = { type: 'INJECT', crawlId: 'waiting', args: { seed: 'http://a.test/' } };
    const { id } = (await request(api.url).post('/job/create').send(body)).body as { id: string };
    const continuing = await crawl({ crawlId: 'waiting' });
    expect([continuing.status, continuing.body.type]).toEqual([200, 'CRAWL']);
    for (const one of [continuing.body.id, id]) await request(api.url).get(`/job/${one}/abort`);
    expect((await crawl({ crawlId: 'waiting' })).body.code).toBe('SEEDS_MISSING');
    const [row] = await api.database.query<{ id: number }>(`select id from crawl where name = 'waiting'`);
    await addPages(api.database, row!.id, [{ url: 'http://a.test/' }]);
    expect((await crawl({ crawlId: 'waiting' })).status).toBe(200);
  });

  it('plans ranks on request together with continuous rounds', async () => {
    const { body } = await crawl({ crawlId: 'k4', seeds: ['http://a.test/'], ranks: true });
    const [row] = await api.database.query<{ plan: object }>('select plan from job where id = $1', [body.id]);
    expect(row!.plan).toMatchObject({ ranks: true, continuous: true });
  });

  it.each<[conf: Record<string, string>, args: object, parsesWhileFetching: boolean, continuous: boolean]>([
    [{}, {}, true, true],
    [{ 'crawl.parse.while.fetching': 'false' }, {}, false, false],
    [{ 'crawl.parse.while.fetching': 'false', 'fetcher.parse': 'true' }, {}, true, true],
    [{ 'crawl.rounds.strict': 'true' }, {}, true, false],
    [{}, { rounds: 2 }, true, false],
    [{}, { dedup: true }, true, true],
    [{}, { index: true }, true, true],
    [{}, { index: true, rounds: 2 }, true, false],
    [{}, { invertLinks: true, dedup: true, index: true, ranks: true }, true, true],
  ])('with %j and %j plans that FETCH parses: %s, continuous rounds: %s', async (params, args, parses, continuous) => {
    await request(api.url)
      .post('/config/create')
      .send({ configId: 'planned', force: true, params: { 'http.agent.name': 'test', ...params } });
    const { body } = await crawl({ crawlId: 'k5', confId: 'planned', seeds: ['http://a.test/'], ...args });
    const [row] = await api.database.query<{ plan: object }>('select plan from job where id = $1', [body.id]);
    expect(row!.plan).toMatchObject({ parsesWhileFetching: parses, continuous });
  });

  it('accepts seeds as one text, and numbers as text', async () => {
    const { status, body } = await crawl({
      crawlId: 'k3',
      seeds: 'http://a.test/\n# a comment\n\nhttp://b.test/',
      rounds: '2',
    });
    expect(status).toBe(200);
    expect(await seedLines(body.args.seedName)).toContain('http://b.test/');
    const [row] = await api.database.query<{ plan: object }>('select plan from job where id = $1', [body.id]);
    expect(row!.plan).toMatchObject({ rounds: 2, seedName: body.args.seedName });
  });

  it.each([
    ['host', 'true', 'byHost'],
    ['domain', 'true', 'byDomain'],
    ['any', 'false', 'byHost'],
  ])('maps scope %s to db.ignore.external.links %s, mode %s, for all its jobs', async (scope, ignore, mode) => {
    const { body } = await crawl({ crawlId: 'k4', seeds: ['http://a.test/'], scope });
    const found = await api.database.query<{ params: Record<string, string> }>(
      'select s.params from job j join conf_snapshot s on s.hash = j.conf_hash where j.id = $1 or j.parent = $1',
      [body.id],
    );
    expect(found).toHaveLength(2);
    for (const { params } of found) {
      expect([params['db.ignore.external.links'], params['db.ignore.external.links.mode']]).toEqual([ignore, mode]);
    }
  });

  it('accepts valid seeds next to refused ones and names the refused ones', async () => {
    const { status, headers } = await crawl({
      crawlId: 'k5',
      seeds: ['http://a.test/', 'ftp://a.test/', 'mailto:a@b.test'],
    });
    expect(status).toBe(200);
    expect(headers['orbweaver-notice']).toContain('seeds[1] has a scheme that is not crawled');
    expect(headers['orbweaver-notice']).toContain('seeds[2]');
  });

  it('refuses a list without any crawlable seed, with a reason per seed', async () => {
    const before = await jobs();
    const seeds = [
      'ftp://a.test/',
      'site.test',
      'http://a.test/x.gif',
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://2130706433/',
      `http://a.test/${'x'.repeat(3_000)}`,
      17,
      'http://a.test/\nhttp://b.test/',
    ];
    const { status, body } = await crawl({ crawlId: 'k6', seeds });
    expect([status, body.code]).toEqual([400, 'SEEDS_REFUSED']);
    expect(body.errors.map(({ field }: { field: string }) => field)).toEqual(seeds.map((_, at) => `seeds[${at}]`));
    const reasons = body.errors.map(({ message }: { message: string }) => message);
    expect(reasons[0]).toContain('only http and https');
    expect(reasons[1]).toContain('no URL with a scheme');
    expect(reasons[2]).toMatch(/urlfilter-(?:regex|suffix), rule/);
    expect(reasons[3]).toContain('http.filter.ipaddress.exclude');
    expect(reasons[4]).toContain('http.filter.ipaddress.exclude');
    expect(reasons[5]).toContain('http.filter.ipaddress.exclude');
    expect(reasons[6]).toContain('too long');
    expect(reasons[7]).toContain('must be a text');
    expect(reasons[8]).toContain('more than one line');
    expect(await jobs()).toBe(before);
  });

  it('refuses a stored list without any crawlable line', async () => {
    await request(api.url)
      .post('/seed/create')
      .send({ name: 'bad', seedUrls: [{ url: 'http://a.test/x.gif' }, { url: 'ftp://a.test/' }] });
    const { status, body } = await crawl({ crawlId: 'k6', seedName: 'bad' });
    expect([status, body.code]).toEqual([400, 'SEEDS_REFUSED']);
    for (const [at, { field, message }] of body.errors.entries()) {
      expect(field).toBe(`seed list bad, line ${at + 1}`);
      expect(message.startsWith(`${field} `)).toBe(true);
    }
  });

  it('counts the lines of a text of seeds from 1', async () => {
    const { headers } = await crawl({ crawlId: 'k5-text', seeds: 'http://a.test/\nftp://a.test/' });
    expect(headers['orbweaver-notice']).toMatch(/^seeds, line 2 has a scheme/);
  });

  it('checks the first 1,000 lines of a stored list', async () => {
    const urls = Array.from({ length: 1_001 }, (_, n) => `${n < 999 ? 'http' : 'ftp'}://a.test/${n}`);
    await request(api.url)
      .post('/seed/create')
      .send({ name: 'long', seedUrls: urls.map((url) => ({ url })) })
      .expect(200);
    const { status, headers } = await crawl({ crawlId: 'k5-long', seedName: 'long' });
    expect(status).toBe(200);
    expect(headers['orbweaver-notice']!.match(/line \d+/g)).toEqual(['line 1000']);
  });

  it.each<[string, object, string, string]>([
    ['no seeds for a crawl that has no pages', { crawlId: 'new' }, 'SEEDS_MISSING', '"new"'],
    ['an empty list', { seeds: [] }, 'SEEDS_MISSING', 'empty'],
    ['comments only', { seeds: ['# nothing', ''] }, 'SEEDS_MISSING', 'comments'],
    ['an object for seeds', { seeds: { a: 1 } }, 'FIELDS_INVALID', 'seeds'],
    ['seeds and seedName', { seeds: ['http://a.test/'], seedName: 's1' }, 'FIELDS_INVALID', 'seedName'],
    [
      'an unknown list',
      { seedName: 's9' },
      'JOB_SEED_UNKNOWN',
      '"s9"; create one with POST /seed/create, or send the lines as seeds.',
    ],
    ['a number for seedName', { seedName: 9 }, 'FIELDS_INVALID', 'seedName'],
    ['a bad crawl id', { crawlId: 'a b', seeds: ['http://a.test/'] }, 'FIELDS_INVALID', 'crawlId'],
    ['an unknown configuration', { confId: 'c9', seeds: ['http://a.test/'] }, 'CONFIG_ID_UNKNOWN', 'c9'],
    ['rounds of 0', { rounds: 0, seeds: ['http://a.test/'] }, 'JOB_ARGS_INVALID', 'rounds'],
    ['rounds in words', { rounds: 'many', seeds: ['http://a.test/'] }, 'JOB_ARGS_INVALID', 'rounds'],
    ['a huge topN', { topN: 1e18, seeds: ['http://a.test/'] }, 'JOB_ARGS_INVALID', 'topN'],
    ['a negative limit', { limit: -1, seeds: ['http://a.test/'] }, 'JOB_ARGS_INVALID', 'limit'],
    ['an unknown scope', { scope: 'world', seeds: ['http://a.test/'] }, 'JOB_ARGS_INVALID', 'scope'],
    ['an array for a body', [], 'FIELDS_INVALID', 'seeds'],
  ])('%s returns 400, and no job is created', async (_, body, code, named) => {
    const before = await jobs();
    const answer = await crawl(body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect(answer.body.detail).toContain(named);
    expect(answer.body.errors?.[0]?.field ?? '').not.toContain('args.');
    expect(await jobs()).toBe(before);
  });

  it.each([
    ['url_dir', 'seedFiles/s1'],
    ['seedDir', 's1'],
    ['seed', 'http://b.test/'],
  ])('refuses the job argument %s and points to seedName', async (field, value) => {
    for (const seeds of [{ seeds: ['http://a.test/'] }, { seedName: 's1' }, { crawlId: 'k1' }]) {
      const before = await jobs();
      const { status, body } = await crawl({ ...seeds, [field]: value });
      expect([status, body.code, body.errors?.[0].field]).toEqual([400, 'FIELDS_INVALID', field]);
      expect(body.detail).toContain('seedName');
      expect(await jobs()).toBe(before);
    }
    expect((await crawl({ crawlId: 'k9', seeds: ['http://a.test/'], [field]: null })).status).toBe(200);
  });

  it.each([
    ['url_dir', ['s1']],
    ['seedDir', ['s1']],
    ['seedDir', { a: 1 }],
  ])('as a job of type CRAWL refuses a %s that is no text: %j', async (field, value) => {
    const body = { type: 'CRAWL', crawlId: 'k8', args: { [field]: value } };
    const answer = await request(api.url).post('/job/create').send(body);
    expect([answer.status, answer.body.code, answer.body.errors?.[0].field]).toEqual([
      400,
      'JOB_ARGS_INVALID',
      `args.${field}`,
    ]);
  });

  it('names an unknown field in a notice and creates the crawl', async () => {
    const { status, headers } = await crawl({ crawlId: 'k7', seeds: ['http://a.test/'], depth: 3 });
    expect(status).toBe(200);
    expect(headers['orbweaver-notice']).toContain('depth');
  });

  it('is also available as POST /job/create with type CRAWL', async () => {
    const body = { type: 'CRAWL', crawlId: 'k8', args: { seedName: 's1', rounds: '3' } };
    const answer = await request(api.url).post('/job/create').send(body);
    expect(answer.body).toMatchObject({ type: 'CRAWL', state: 'RUNNING' });
    expect((await request(api.url).get(`/job/${answer.body.id}`)).body.children).toHaveLength(1);
  });
});

describe('a crawl by the id of its CRAWL job', () => {
  let id: string;
  beforeAll(async () => {
    id = (await crawl({ crawlId: 'life', seeds: ['http://a.test/'] })).body.id;
  });

  it('is read and listed, and GET /job lists it with its children', async () => {
    expect((await request(api.url).get(`/v1/crawls/${id}`)).body).toMatchObject({
      id,
      counters: {},
      children: [{ round: 0 }],
    });
    const listed = (await request(api.url).get('/v1/crawls?crawlId=life')).body;
    expect(listed).toMatchObject({ crawls: [{ id, createdAt: expect.stringMatching(/T.*Z$/) }], cursor: null });
    const all = (await request(api.url).get('/job?crawlId=life')).body;
    expect(all.map(({ type, parent }: { type: string; parent: string }) => [type, parent])).toEqual([
      ['INJECT', id],
      ['CRAWL', null],
    ]);
  });

  it('is paused and resumed with its child', async () => {
    const post = async (verb: string) => (await request(api.url).post(`/v1/crawls/${id}/${verb}`)).body as boolean;
    expect(await post('pause')).toBe(true);
    const paused = (await request(api.url).get(`/v1/crawls/${id}`)).body;
    expect(paused).toMatchObject({ paused: true, state: 'RUNNING', children: [{ paused: true, state: 'IDLE' }] });
    expect(paused.msg).toMatch(/^paused/);
    expect(await post('resume')).toBe(true);
    expect(await post('resume')).toBe(false);
    expect((await request(api.url).get(`/v1/crawls/${id}`)).body).toMatchObject({ paused: false });
  });

  it('is aborted with its child', async () => {
    expect((await request(api.url).post(`/v1/crawls/${id}/abort`)).body).toBe(true);
    expect((await request(api.url).get(`/v1/crawls/${id}`)).body).toMatchObject({
      state: 'KILLED',
      result: { reason: 'stopped' },
      children: [{ state: 'KILLED' }],
    });
    const again = async (name: string) => {
      const { body, headers } = await request(api.url).post(`/v1/crawls/${name}/stop`);
      return [body, headers['orbweaver-notice']];
    };
    expect(await again(id)).toEqual([false, `Job ${id} has ended already: KILLED.`]);
    expect(await again('life')).toEqual([false, 'Crawl "life" has no job that has not ended.']);
  });

  it.each(['', '/pause', '/resume', '/stop', '/abort'])(
    'returns 404 for an id that is no CRAWL job (path suffix: %j)',
    async (verb) => {
      const inject = (await request(api.url).get('/job?crawlId=life')).body[0].id as string;
      for (const other of ['nobody', inject, 'a'.repeat(400)]) {
        const answer = await (verb === ''
          ? request(api.url).get(`/v1/crawls/${other}`)
          : request(api.url).post(`/v1/crawls/${other}${verb}`));
        expect([answer.status, answer.body.code]).toEqual([404, 'JOB_UNKNOWN']);
      }
    },
  );
});

it('GET /v1/crawls lists the newest crawl first and continues after its cursor', async () => {
  for (const n of [1, 2, 3]) await crawl({ crawlId: 'many', seeds: ['http://a.test/'], rounds: n });
  const first = (await request(api.url).get('/v1/crawls?crawlId=many&limit=2')).body;
  const second = (await request(api.url).get(`/v1/crawls?crawlId=many&limit=2&cursor=${first.cursor}`)).body;
  const rounds = [...first.crawls, ...second.crawls].map(({ args }: { args: { rounds: number } }) => args.rounds);
  expect([rounds, second.cursor]).toEqual([[3, 2, 1], null]);
});
