import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, nameCrawler, storeSeedList } from './api-under-test.js';

const ISO = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

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
const inject = (args: object, crawlId = 'k1') => create({ type: 'INJECT', crawlId, args });
const waiting = async () => (await api.database.query<{ n: number }>('select count(*)::int as n from job'))[0]?.n;

describe('POST /job/create', () => {
  it('returns the JobInfo with all fields and creates a WAITING task', async () => {
    const { status, body } = await inject({ seedName: 's1' });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^k1-default-INJECT-\d+$/),
      type: 'INJECT',
      confId: 'default',
      args: { seedName: 's1' },
      result: null,
      state: 'IDLE',
      msg: 'idle',
      crawlId: 'k1',
      createdAt: expect.stringMatching(ISO),
      startedAt: null,
      parent: null,
      round: null,
      paused: false,
      endedAt: null,
    });
    expect(await api.database.query('select part, state from job_task where job = $1', [body.id])).toEqual([
      { part: 0, state: 'WAITING' },
    ]);
  });

  it('omits an empty crawl id from the job id', async () => {
    expect((await create({ type: 'GENERATE', args: {} })).body.id).toMatch(/^default-GENERATE-\d+$/);
  });

  it('returns only the id to a client that accepts only text/plain (2.x)', async () => {
    const answer = await create({ type: 'GENERATE', crawlId: 'k1', args: {} }).set('Accept', 'text/plain');
    expect(answer.text).toMatch(/^k1-default-GENERATE-\d+$/);
  });

  it('UPDATEDB works on the crawl of its argument crawl (2.x)', async () => {
    const { body } = await create({ type: 'UPDATEDB', crawlId: 'k1', args: { batch: '-all', crawl: 'k2' } });
    expect(body).toMatchObject({ id: expect.stringMatching(/^k2-default-UPDATEDB-\d+$/), crawlId: 'k2' });
    for (const crawl of ['', null, 'k1'])
      expect((await create({ type: 'UPDATEDB', crawlId: 'k1', args: { crawl } })).body.crawlId).toBe('k1');
    const refused = await create({ type: 'UPDATEDB', crawlId: 'k1', args: { crawl: '../k2' } });
    expect(refused.status).toBe(400);
    expect(refused.body.errors).toMatchObject([{ field: 'args.crawl' }]);
  });

  it.each([
    ['application/json'],
    ['*/*'],
    ['application/json, text/plain, */*'],
    ['text/html;q=0.5, application/json'],
  ])('returns the JobInfo for Accept: %s', async (accept) => {
    const answer = await create({ type: 'GENERATE', crawlId: 'k1', args: {} }).set('Accept', accept);
    expect(answer.body).toMatchObject({ type: 'GENERATE', paused: false });
  });

  it.each([
    { url_dir: 'seedFiles/s1' },
    { seedDir: '/tmp/1763600001000/seedFiles/s1/' },
    { seedName: 's1' },
    { url_dir: 'seedFiles/s1/urls', crawldb: 'k1/crawldb' },
  ])('INJECT resolves the seed list of %j and returns the args', async (args) => {
    expect((await inject(args)).body.args).toEqual({ ...args, seedName: 's1' });
  });

  it('INJECT stores inline seeds as a seed list that the job names', async () => {
    const { body } = await inject({ seed: 'http://a.test/\nhttp://b.test/\tlang=it' });
    expect(body.args.seed).toBeUndefined();
    const list = await request(api.url).get(`/seed/${body.args.seedName}`);
    expect(list.body.seedUrls.map(({ url }: { url: string }) => url)).toEqual([
      'http://a.test/',
      'http://b.test/\tlang=it',
    ]);
  });

  it.each(['INJECT', 'CRAWL'])('%s refuses inline seeds together with a seed list', async (type) => {
    for (const field of ['seedName', 'url_dir', 'seedDir']) {
      const args = { seed: 'http://a.test/', [field]: 'seedFiles/s1' };
      const { status, body } = await create({ type, crawlId: 'k', args });
      expect([status, body.code]).toEqual([400, 'JOB_ARGS_INVALID']);
      expect(body.errors.map((error: { field: string }) => error.field)).toEqual(['args.seed', `args.${field}`]);
      expect(body.detail).toContain('one of seed, seedName, url_dir and seedDir');
    }
  });

  it('INJECT accepts several names of the same list, and ignores empty fields', async () => {
    for (const args of [
      { url_dir: 'seedFiles/s1', seedDir: 'seedFiles/s1', seedName: 's1' },
      { seed: '', url_dir: 's1' },
      { seed: null, seedDir: 's1' },
    ])
      expect((await inject(args)).body.args.seedName).toBe('s1');
    const { status, body } = await inject({ seed: 'http://a.test/', seedName: '', url_dir: null, seedDir: '' });
    expect([status, body.args.seedName]).toEqual([200, expect.stringMatching(/^seed-/)]);
  });

  it('marks only the list of inline seeds as inline', async () => {
    const nameless = await request(api.url).post('/seed/create').send({ seedUrls: [] });
    const inline = async (name: string) =>
      (await api.database.query<{ inline: boolean }>('select inline from seed_list where name = $1', [name]))[0]
        ?.inline;
    const { body } = await inject({ seed: 'http://a.test/' });
    expect(await inline(body.args.seedName)).toBe(true);
    expect([await inline('s1'), await inline(nameless.text.split('/').at(-1)!)]).toEqual([false, false]);
  });

  it('GENERATE takes a seed list only from freegen (B19), not from the seed arguments of INJECT', async () => {
    const generate = (args: object) =>
      request(api.url).post('/job/create').send({ type: 'GENERATE', crawlId: 'k', args });
    expect((await generate({ freegen: 'seedFiles/s1' })).body.args).toEqual({ freegen: 's1' });
    const unknown = (await generate({ freegen: 's9' })).body;
    expect([unknown.code, unknown.detail]).toEqual([
      'JOB_SEED_UNKNOWN',
      'There is no seed list "s9"; create one with POST /seed/create.',
    ]);
    const limited = await generate({ freegen: 's1', expr: 'score > 8', sitemap: null, endKey: 'org', topN: 5 });
    expect(limited.headers['orbweaver-notice']).toBe(
      'With a batch from a list (freegen) only topN limits: expr, endKey change nothing.',
    );
    await create({ type: 'INJECT', crawlId: 'k', args: { seedName: 's1' } });
    for (const carried of [{ url_dir: 'seedFiles/s1' }, { seedDir: 's1' }, { seedName: 's1' }]) {
      const answer = await generate(carried);
      expect([answer.status, answer.body.args]).toEqual([200, carried]);
      expect(answer.headers['orbweaver-notice']).toContain(Object.keys(carried)[0]);
    }
  });

  it('GENERATE makes the first batch of a crawl from seedDir (B19)', async () => {
    const generate = (args: object, crawlId = 'fresh') =>
      request(api.url).post('/job/create').send({ type: 'GENERATE', crawlId, args });
    const first = await generate({ seedDir: 'seedFiles/s1', topN: 5 });
    expect([first.status, first.body.args]).toEqual([200, { seedDir: 'seedFiles/s1', topN: 5, freegen: 's1' }]);
    expect(first.headers['orbweaver-notice']).toBe(
      'The crawl has no pages: its first batch is the seed list that seedDir names, as with freegen.',
    );
    for (const ignored of [{ url_dir: 's1' }, { seedName: 's1' }, { seedDir: '' }])
      expect((await generate(ignored)).body.args).toEqual(ignored);
    expect((await generate({ seedDir: 's9' })).body.code).toBe('JOB_SEED_UNKNOWN');
    await request(api.url)
      .post('/job/create')
      .send({ type: 'INJECT', crawlId: 'seeded', args: { seedDir: 's1' } });
    for (const seedDir of ['s1', 's9']) {
      const later = await generate({ seedDir }, 'seeded');
      expect(later.body.args).toEqual({ seedDir });
      expect(later.headers['orbweaver-notice']).toContain(
        'seedDir changes nothing: it names the first batch of a crawl',
      );
    }
  });

  it.each(['seedName', 'freegen', 'sitemapUrlDir', 'hostDir'])(
    'a job that reads no list keeps a long argument %s unchanged',
    async (name) => {
      const args = { [name]: randomBytes(6_000).toString('base64') };
      const answer = await create({ type: 'PARSE', crawlId: 'k', args });
      expect([answer.status, answer.body.args]).toEqual([200, args]);
    },
  );

  it.each(['GENERATE', 'FETCH', 'PARSE', 'UPDATEDB', 'INVERTLINKS', 'DEDUP', 'SITEMAP', 'HOSTDB'])(
    '%s drops the argument seed, of any length, and returns a notice',
    async (type) => {
      for (const seed of ['http://a.test/', 'http://a.test/\n'.repeat(20_000)]) {
        const answer = await create({ type, crawlId: 'k', args: { seed, colour: 'green' } });
        expect([answer.status, answer.body.args]).toEqual([200, { colour: 'green' }]);
        expect(answer.headers['orbweaver-notice']).toContain(`Argument seed is not known to ${type}`);
      }
    },
  );

  it.each([
    ['FETCH', { stmDetect: true, sitemap: true, noParsing: '' }, 'stmDetect'],
    ['PARSE', { sitemap: true, force: true }, 'sitemap'],
  ])('%s returns a notice which of %j has no effect', async (type, args, name) => {
    const answer = await create({ type, crawlId: 'k', args });
    expect(answer.status).toBe(200);
    expect(answer.headers['orbweaver-notice']).toBe(`Argument ${name} is not known to ${type} and changes nothing.`);
  });

  it.each([
    ['an unknown list', { url_dir: 'seedFiles/s9' }, 'JOB_SEED_UNKNOWN', 's9'],
    ['a path outside of seedFiles', { seedDir: '../../etc' }, 'JOB_SEED_UNKNOWN', '../../etc'],
    ['a path with NUL', { seedDir: 'a\0' }, 'BODY_REFUSED', 'NUL'],
    ['no seed list and no seeds', {}, 'JOB_ARGS_INVALID', 'seedName, url_dir, seedDir and seed'],
    ['an invalid line', { seed: 'http://a.test/\nsite.test' }, 'SEED_LIST_INVALID', 'seed, line 2'],
    ['an object for a name', { seedName: { a: 1 } }, 'JOB_ARGS_INVALID', 'seedName'],
    ['an array for a flag', { seedName: 's1', overwrite: [] }, 'JOB_ARGS_INVALID', 'args.overwrite'],
    ['seeds and a list', { seed: 'http://a.test/', seedDir: 's1' }, 'JOB_ARGS_INVALID', 'args.seed and args.seedDir'],
  ])('INJECT with %s returns 400, and no job is created', async (_, args, code, named) => {
    const before = await waiting();
    const { status, body } = await inject(args);
    expect([status, body.code]).toEqual([400, code]);
    expect(body.detail).toContain(named);
    expect(await waiting()).toBe(before);
  });

  it.each([
    ['GENERATE', { topN: '50', force: 1, noFilter: 0, noNorm: -1 }],
    ['INJECT', { seedName: 's1', overwrite: 3 }],
    ['GENERATE', { topN: '50', numFetchers: '1', noFilter: 'true', adddays: '0' }],
    ['GENERATE', { topN: 50, filter: true, normalize: false, curTime: 1_763_600_000_000 }],
    ['GENERATE', { expr: "score > 8 and status == 'db_unfetched'", startKey: 'http://a.test/', endKey: 'test.z' }],
    ['GENERATE', { startKey: 'test.a:http/r?u=http://b/', endKey: 'org.apache/' }],
    ['FETCH', { threads: '5', segment: '20251121000000' }],
    ['FETCH', { batch: '-all', threads: 5, resume: false }],
    ['PARSE', { batch: '1763600000-1', force: true }],
    ['UPDATEDB', { batch: '-all' }],
    ['UPDATEDB', { segment: ['20251121000000'] }],
    ['INVERTLINKS', { linkdb: 'k1/linkdb', segment: ['20251121000000', '20251121000001'], noFilter: 'true' }],
    ['INVERTLINKS', {}],
    ['DEDUP', { crawldb: 'k1/crawldb' }],
    ['SITEMAP', {}],
    ['WEBGRAPH', { webgraphdb: 'k1/webgraphdb', force: 'true' }],
    ['LINKRANK', { iterations: '50' }],
    ['PAGERANK', { iterations: 20 }],
    ['HITS', {}],
    ['SCOREUPDATE', { crawldb: 'k1/crawldb' }],
    ['READDB', { sort: 'true', crawldb: 'k1/crawldb' }],
    ['HOSTDB', { hosts: 'a.test\tk=v', checkAll: true, force: 'false' }],
    ['SITEMAP', { sitemapUrls: ['http://a.test/sitemap.xml'], hosts: 'a.test, b.test', threads: '5', noStrict: '' }],
    ['DEDUP', { group: 'domain', compareOrder: 'httpsOverHttp,score' }],
  ])('%s accepts %j', async (type, args) => {
    expect((await create({ type, crawlId: 'k1', args })).status).toBe(200);
  });

  it.each([
    ['GENERATE', { topN: 'many' }, 'args.topN'],
    ['GENERATE', { topN: 1e18 }, 'args.topN'],
    ['GENERATE', { batch: '../x' }, 'args.batch'],
    ['GENERATE', { expr: 'score >' }, 'args.expr'],
    ['GENERATE', { expr: 'System.exit(0) == 1' }, 'args.expr'],
    ['GENERATE', { expr: { a: 1 } }, 'args.expr'],
    ['GENERATE', { startKey: '://' }, 'args.startKey'],
    ['GENERATE', { endKey: ['a'] }, 'args.endKey'],
    ['GENERATE', { endKey: '1http://a.test/' }, 'args.endKey'],
    ['FETCH', { threads: 1e9 }, 'args.threads'],
    ['FETCH', { threads: [1] }, 'args.threads'],
    ['INVERTLINKS', { segment: ['../x'] }, 'args.segment'],
    ['INVERTLINKS', { segment: [] }, 'args.segment'],
    ['INVERTLINKS', { batch: { a: 1 } }, 'args.batch'],
    ['DEDUP', { group: 'planet' }, 'args.group'],
    ['SITEMAP', { sitemapUrls: [] }, 'args.sitemapUrls'],
    ['SITEMAP', { sitemapUrls: [{}] }, 'args.sitemapUrls'],
    ['SITEMAP', { hosts: 7 }, 'args.hosts'],
    ['SITEMAP', { threads: 0 }, 'args.threads'],
    ['HOSTDB', { hosts: ['a.test'] }, 'args.hosts'],
    ['LINKRANK', { iterations: 0 }, 'args.iterations'],
    ['DEDUP', { compareOrder: 'score,colour' }, 'args.compareOrder'],
    ['DEDUP', { compareOrder: ['score', 'score'] }, 'args.compareOrder'],
    ['DEDUP', { compareOrder: [] }, 'args.compareOrder'],
    ['DEDUP', { compareOrder: [{}, null] }, 'args.compareOrder'],
  ])('%s refuses %j and names the field', async (type, args, field) => {
    const { status, body } = await create({ type, args });
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'JOB_ARGS_INVALID', field]);
    expect(body.detail).toContain('given:');
    expect(body.errors[0].message.startsWith(field)).toBe(true);
  });

  it('GENERATE says what startKey may be', async () => {
    const { body } = await create({ type: 'GENERATE', args: { startKey: '1http://a.test/' } });
    expect(body.errors).toEqual([
      {
        field: 'args.startKey',
        message:
          'args.startKey must be a URL such as http://site.test/, or a row key or the beginning of one such as test.site:http/ (given: "1http://a.test/")',
      },
    ]);
  });

  it('refuses args above 262,144 characters and names the largest one', async () => {
    const { status, body } = await create({ type: 'GENERATE', args: { topN: 5, junk: 'x'.repeat(300_000) } });
    expect([status, body.code, body.errors[0].field]).toEqual([400, 'JOB_ARGS_INVALID', 'args.junk']);
    expect(body.detail).toContain('300006 characters with its name');
    expect(body.detail).toContain('262144');
  });

  it('refuses args whose names alone exceed the limit, with a short message', async () => {
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, n) => [`${'x'.repeat(100)}${n}`, 1]));
    for (const junk of [{ ['x'.repeat(300_000)]: 1 }, many]) {
      const answer = await create({ type: 'GENERATE', args: { topN: 5, ...junk } });
      expect([answer.status, answer.body.code]).toEqual([400, 'JOB_ARGS_INVALID']);
      expect(answer.text.length).toBeLessThan(2_000);
    }
  });

  it('keeps unknown args and names them in a notice', async () => {
    const answer = await inject({ seedName: 's1', colour: 'green' });
    expect(answer.body.args).toMatchObject({ colour: 'green' });
    expect(answer.headers['orbweaver-notice']).toContain('Argument colour is not known to INJECT');
  });

  it.each([
    [undefined, 'JOB_CONFIG_MISSING'],
    [{ type: 'INJECT' }, 'JOB_ARGS_MISSING'],
    [{ type: 'INJECT', args: null }, 'JOB_ARGS_MISSING'],
    [{ type: 'CLASS', jobClassName: 'java.lang.Runtime', args: {} }, 'JOB_TYPE_UNKNOWN'],
    [{ args: {} }, 'JOB_TYPE_UNKNOWN'],
    [{ type: 'ANY', args: {} }, 'JOB_TYPE_UNKNOWN'],
    [{ type: 'GENERATE', confId: 'c9', args: {} }, 'CONFIG_ID_UNKNOWN'],
    [{ type: 'GENERATE', crawlId: { a: 1 }, args: {} }, 'FIELDS_INVALID'],
    [{ type: 'GENERATE', crawlId: "k'; drop table job; --", args: {} }, 'FIELDS_INVALID'],
    [{ type: 'GENERATE', crawlId: '../k', args: {} }, 'FIELDS_INVALID'],
    [{ type: 'GENERATE', args: 'x' }, 'FIELDS_INVALID'],
    [{ type: 'GENERATE', args: [] }, 'FIELDS_INVALID'],
  ])('%j returns 400 %s', async (body, code) => {
    const answer = body === undefined ? await request(api.url).post('/job/create') : await create(body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });

  it.each([
    [{ type: 'ANY', args: {} }, 'type', 'type must be one of INJECT, '],
    [{ type: 'GENERATE', confId: 'c9', args: {} }, 'confId', "Unknown configId 'c9'"],
    [{ type: 'GENERATE', args: { freegen: 's9' } }, 'args.freegen', 'There is no seed list "s9"'],
    [{ type: 'GENERATE', crawlId: 'new', args: { seedDir: 's9' } }, 'args.seedDir', 'There is no seed list "s9"'],
    [{ type: 'INJECT', args: { url_dir: 'seedFiles/s9' } }, 'args.url_dir', 'There is no seed list "seedFiles/s9"'],
  ])('%j names the field %s in errors', async (body, field, message) => {
    const answer = await create(body);
    expect([answer.status, answer.body.errors]).toEqual([
      400,
      [{ field, message: expect.stringContaining(message) as string }],
    ]);
  });

  it.each([
    ['FETCH', { batch: 'b1', segment: '20251121093000' }, 'Argument segment changes nothing: batch says which pages.'],
    ['UPDATEDB', { batch: '-all', segment: ['b1'] }, 'Argument segment changes nothing: batch says which pages.'],
    ['INDEX', { batch: 'b1', segment: 'b1' }, undefined],
    ['MERGESEGS', { batch: 'b1', segment: ['b2', 'b3'] }, undefined],
  ])('%s with %j: notice %s', async (type, args, said) => {
    expect((await create({ type, crawlId: 'k', args })).headers['orbweaver-notice']).toBe(said);
  });

  it('names the nearest argument for one that is not known', async () => {
    const answer = await create({ type: 'GENERATE', crawlId: 'k', args: { TopN: 1, colour: 'red' } });
    expect(answer.headers['orbweaver-notice']).toBe(
      'Argument TopN is not known to GENERATE and changes nothing; the nearest is topN. Argument colour is not known to GENERATE and changes nothing.',
    );
  });

  it('takes a snapshot of the configuration that later changes do not affect', async () => {
    await request(api.url)
      .post('/config/create')
      .send({ configId: 'copied', params: { 'http.agent.name': 'before' } });
    const { body } = await create({ type: 'GENERATE', confId: 'copied', args: {} });
    await request(api.url).put('/config/copied/http.agent.name').set('Content-Type', 'text/plain').send('after');
    const [row] = await api.database.query<{ name: string }>(
      `select params ->> 'http.agent.name' as name from conf_snapshot join job on conf_hash = hash where id = $1`,
      [body.id],
    );
    expect(row?.name).toBe('before');
  });

  it('stores one snapshot for equal configurations', async () => {
    const jobs = [
      (await create({ type: 'GENERATE', args: {} })).body.id,
      (await create({ type: 'GENERATE', args: {} })).body.id,
    ];
    expect(await api.database.query('select distinct conf_hash from job where id = any ($1)', [jobs])).toHaveLength(1);
  });
});
