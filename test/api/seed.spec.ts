import fc from 'fast-check';
import pg from 'pg';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listNamesOf } from '../../src/conf/seed-list.store.js';
import { type ApiUnderTest, apiUnderTest, nameCrawler } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api?.close());

const create = (body: unknown) =>
  request(api.url)
    .post('/seed/create')
    .send(body as object);

describe('POST /seed/create', () => {
  it('returns the path that INJECT accepts as url_dir', async () => {
    const answer = await create({
      id: '12345',
      name: 's1',
      seedUrls: [{ id: 0, url: 'http://site.test/\tnutch.score=10' }],
    });
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, 'seedFiles/s1', 'text/plain']);
    expect((await request(api.url).get('/seed/s1')).body).toEqual({
      id: 12345,
      name: 's1',
      seedFilePath: 'seedFiles/s1',
      seedUrls: [{ id: 0, url: 'http://site.test/\tnutch.score=10' }],
      total: 1,
    });
  });

  it('assigns a name to a list without one', async () => {
    expect((await create({ seedUrls: [{ url: 'http://site.test/' }] })).text).toMatch(/^seedFiles\/seed-\d+-\d+$/);
  });

  it('replaces a list of the same name', async () => {
    await create({ name: 's2', seedUrls: [{ url: 'http://a.test/' }, { url: 'http://b.test/' }] });
    await create({ name: 's2', seedUrls: [{ url: 'http://c.test/' }] });
    expect((await request(api.url).get('/seed/s2')).body).toMatchObject({
      total: 1,
      seedUrls: [{ url: 'http://c.test/' }],
    });
  });

  it('stores one complete list when several of the same name arrive at once', async () => {
    const list = (n: number) =>
      create({ name: 's3', seedUrls: Array.from({ length: 50 }, (_, at) => ({ url: `http://h${n}.test/${at}` })) });
    const answers = await Promise.all([1, 2, 3, 4, 5].map(list));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { body } = await request(api.url).get('/seed/s3');
    expect(new Set((body as { seedUrls: { url: string }[] }).seedUrls.map(({ url }) => url.split('/')[2])).size).toBe(
      1,
    );
    expect(body).toMatchObject({ total: 50 });
  });

  it('accepts comments and blank lines', async () => {
    expect(
      (await create({ name: 's4', seedUrls: [{ url: '# a comment' }, { url: '' }, { url: 'http://a.test/' }] })).status,
    ).toBe(200);
  });

  const blank = 'http://site.test/ nutch.score=10';
  const belongs = 'has a blank where a TAB belongs between the URL and key=value';

  it.each([
    ['/seed/create', { name: 'blank', seedUrls: [{ url: 'http://a.test/b' }, { url: blank }] }, 'seedUrls[1].url'],
    ['/seedList', { name: 'blank', seedUrls: [{ url: blank }] }, 'seedUrls[0].url'],
    ['/job/create', { type: 'INJECT', args: { seed: `http://a.test/?q=a\tb c=d\n${blank}` } }, 'seed, line 2'],
  ])('%s accepts a line with a space where a TAB belongs, with a notice', async (path, body, line) => {
    const answer = await request(api.url).post(path).send(body);
    expect(answer.status).toBe(200);
    expect(answer.headers['orbweaver-notice']).toBe(
      `${line} ${belongs}, so all of it is read as the URL (given: "${blank}").`,
    );
  });

  const two = 'http://a.test/ http://b.test/';

  it.each([
    ['/seed/create', { name: 'two', seedUrls: [{ url: two }] }, 'seedUrls[0].url'],
    ['/job/create', { type: 'INJECT', args: { seed: `http://a.test/b\n${two}` } }, 'seed, line 2'],
    ['/v1/crawls', { crawlId: 'two', seeds: [two] }, 'seeds[0]'],
  ])('%s accepts a line with another blank in its URL, with a notice', async (path, body, line) => {
    await nameCrawler(api);
    const answer = await request(api.url).post(path).send(body);
    expect([answer.status, answer.headers['orbweaver-notice']]).toEqual([
      200,
      expect.stringContaining(
        `${line} has a blank in its URL, which is read as part of it: a line has one URL (given: "${two}")`,
      ),
    ]);
  });

  it('/job/create accepts a line with invalid values of reserved keys, with a notice', async () => {
    const seed = 'http://a.test/\tnutch.status=fetched\tnutch.fetchInterval=1d\tlang=it';
    const answer = await request(api.url).post('/job/create').send({ type: 'INJECT', args: { seed } });
    expect([answer.status, answer.headers['orbweaver-notice']]).toEqual([
      200,
      expect.stringContaining(
        'has a value that is not valid and is ignored: nutch.status=fetched, nutch.fetchInterval=1d',
      ),
    ]);
  });

  it('names ten doubtful lines in the notice, and counts the others', async () => {
    const seed = Array.from({ length: 12 }, (_, i) => `http://a.test/${i}\tnutch.score=x`).join('\n');
    const answer = await request(api.url).post('/job/create').send({ type: 'INJECT', args: { seed } });
    expect(answer.headers['orbweaver-notice'].match(/seed, line \d+/g)).toHaveLength(10);
    expect(answer.headers['orbweaver-notice']).toMatch(/2 more lines are doubtful in such a way\.$/);
  });

  it.each([
    ['/seed/create', { seedUrls: [{ url: 'https://www.amazon.it nutch.score=10' }] }],
    ['/v1/crawls', { crawlId: 'blank', seeds: ['https://www.amazon.it nutch.score=10'] }],
  ])('%s refuses a line that is no URL for lack of a TAB, and says so', async (path, body) => {
    const answer = await request(api.url).post(path).send(body);
    expect([answer.status, answer.body.errors[0].message]).toEqual([400, expect.stringContaining(belongs)]);
  });

  it.each([
    ['www.a.test', 'is no URL with a scheme, such as http://site.test/'],
    ['http//a.test/', 'is no URL with a scheme, such as http://site.test/'],
    ['http://', 'is no URL with a host, such as http://site.test/'],
    ['HTTPS://?q', 'is no URL with a host, such as http://site.test/'],
    ['http://a.test:99999/', 'is a URL whose host or port is not valid'],
    ['http://a.test:port/', 'is a URL whose host or port is not valid'],
    ['http://256.1.1.1/', 'is a URL whose host or port is not valid'],
    ['http://a b.test/', 'is a URL whose host or port is not valid'],
  ])('refuses %s and says what is wrong with it', async (url, why) => {
    await nameCrawler(api);
    for (const [path, body] of [
      ['/seed/create', { seedUrls: [{ url }] }],
      ['/v1/crawls', { crawlId: 'wrong', seeds: [url] }],
    ] as const) {
      const answer = await request(api.url).post(path).send(body);
      expect([answer.status, answer.body.errors[0].message]).toEqual([400, expect.stringContaining(why)]);
    }
  });

  it.each([
    ['/seed/create', (url: string) => ({ name: 'secret', seedUrls: [{ url }, { url: 'http://b.test/@' }] })],
    ['/seedList', (url: string) => ({ name: 'secret', seedUrls: [url] })],
    ['/job/create', (seed: string) => ({ type: 'INJECT', args: { seed } })],
    ['/v1/crawls', (url: string) => ({ crawlId: 'secret', seeds: [url] })],
  ])('%s stores seeds without user info, as INJECT leaves it out, and says so in a notice', async (path, bodyOf) => {
    await nameCrawler(api);
    const line = 'http://user:p@ss@a.test/x\tcolour=red@\tsitemaps:http://u:p@ss@a.test/m.xml n.xml';
    const answer = await request(api.url).post(path).send(bodyOf(line));
    expect([answer.status, answer.headers['orbweaver-notice']]).toEqual([
      200,
      expect.stringMatching(/^seed.* has user info, which is left out: credentials are set in http\.auth\.rules/),
    ]);
    expect(answer.headers['orbweaver-notice']).not.toContain('p@ss');
    const { seedName: name = 'secret' } = (answer.body.args ?? {}) as { seedName?: string };
    const { body } = await request(api.url).get(`/seed/${name}`);
    expect(body.seedUrls[0].url).toBe('http://a.test/x\tcolour=red@\tsitemaps:http://a.test/m.xml n.xml');
  });

  it('refuses a missing body with the message of NutchServer', async () => {
    const answer = await request(api.url).post('/seed/create');
    expect([answer.status, answer.body.message]).toEqual([400, 'Seed list cannot be empty!']);
  });

  it.each([
    [{ name: 'b1', seedUrls: [{ url: 'http://a.test/' }, { url: 'site.test' }] }, 'seedUrls[1].url'],
    ...['http:/a', 'http:///x', 'https:a', 'http:\\\\a\\', 'http://a..b/', 'ftp://.a/', 'http://./'].map(
      (url): [object, string] => [{ name: 'b1', seedUrls: [{ url: `${url}\tnutch.score=2` }] }, 'seedUrls[0].url'],
    ),
    [{ name: 'b1', seedUrls: [{ url: null }] }, 'seedUrls[0].url'],
    [{ name: 'b1', seedUrls: [null] }, 'seedUrls[0].url'],
    [{ name: 'b1', seedUrls: [{ url: 'http://a.test/\nhttp://b.test/' }] }, 'seedUrls[0].url'],
    [{ name: 'b1', seedUrls: [{ url: `http://a.test/${'x'.repeat(20_000)}` }] }, 'seedUrls[0].url'],
  ])('refuses an invalid line and names it: %j', async (body, field) => {
    const answer = await create(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'SEED_LIST_INVALID']);
    expect(answer.body.errors[0].field).toBe(field);
    expect((await request(api.url).get('/seed/b1')).status).toBe(404);
  });

  it('accepts every form of a host that INJECT can store', async () => {
    const urls = [
      'http://A.test',
      'http://a.test./',
      'http://[::1]/',
      'http://user:p@a.test/',
      'ftp://a.test/',
      'file:///srv/',
    ];
    const answer = await create({ name: 'hosts', seedUrls: urls.map((url) => ({ url })) });
    expect([answer.status, answer.text]).toEqual([200, 'seedFiles/hosts']);
  });

  it.each([
    [{ seedUrls: 'x' }],
    [{ name: 'b2' }],
    [[]],
    [{ name: '../etc', seedUrls: [] }],
    [{ name: { a: 1 }, seedUrls: [] }],
    [{ name: 'x'.repeat(129), seedUrls: [] }],
  ])('returns 400 for the body %j', async (body) => expect((await create(body)).status).toBe(400));

  it('with skipInvalid skips invalid lines; a notice counts them and names the first with reasons', async () => {
    const bad = Array.from({ length: 25 }, (_, at) => ({ url: `bad ${at}` }));
    const good = [{ url: 'http://a.test/', id: 7 }, { url: '# a comment' }, { url: 'http://b.test/' }];
    const body = { name: 'skips', seedUrls: [good[0], { url: 5 }, ...bad, good[1], good[2]] };
    for (const skipInvalid of [undefined, null, false, 'false'])
      expect((await create({ ...body, skipInvalid })).body).toMatchObject({ code: 'SEED_LIST_INVALID' });
    expect((await request(api.url).get('/seed/skips')).status).toBe(404);
    const answer = await create({ ...body, skipInvalid: true });
    expect([answer.status, answer.text]).toEqual([200, 'seedFiles/skips']);
    const said = answer.headers['orbweaver-notice'];
    expect(said).toContain(
      '26 of 29 seed lines are left out: seedUrls[1].url must be a text (given: 5); seedUrls[2].url',
    );
    expect(said).toContain('seedUrls[10].url is no URL');
    expect(said).toMatch(/; and 16 more\.$/);
    const { seedUrls, total } = (await request(api.url).get('/seed/skips')).body;
    expect([total, seedUrls]).toEqual([3, [good[0], { id: null, ...good[1] }, { id: null, ...good[2] }]]);
  });

  it('refuses a list without any valid line, also with skipInvalid', async () => {
    const answer = await create({ skipInvalid: true, seedUrls: [{ url: 'bad' }, { url: '# a comment' }] });
    expect([answer.status, answer.body.code]).toEqual([400, 'SEED_LIST_INVALID']);
    expect(answer.body.errors).toHaveLength(1);
  });

  it('refuses a skipInvalid that is no boolean', async () => {
    const answer = await create({ skipInvalid: 'perhaps', seedUrls: [] });
    expect([answer.status, answer.body.errors]).toMatchObject([400, [{ field: 'skipInvalid' }]]);
  });

  it('POST /seedList skips invalid lines with skipInvalid too', async () => {
    const list = { name: 'skips-2', seedUrls: [{ url: 'bad' }, { url: 'http://a.test/' }], skipInvalid: true };
    const answer = await request(api.url)
      .post('/seedList')
      .send({ ...list, crawlId: 'k1' });
    expect(answer.headers['orbweaver-notice']).toContain('1 of 2 seed lines are left out: seedUrls[0].url is no URL');
  });

  it('stores a hundred thousand seeds in order', async () => {
    const seedUrls = Array.from({ length: 100_000 }, (_, at) => ({ url: `http://site.test/${at}` }));
    expect((await create({ name: 'many', seedUrls })).status).toBe(200);
    const { body } = await request(api.url).get('/seed/many?from=99998&limit=5');
    expect(body).toMatchObject({
      total: 100_000,
      seedUrls: [{ url: 'http://site.test/99998' }, { url: 'http://site.test/99999' }],
    });
  });
});

describe('GET and DELETE /seed', () => {
  it('GET /seed shortens a list of long seeds, GET /seed/{name} returns all', async () => {
    const seedUrls = Array.from({ length: 5 }, (_, n) => ({ id: n, url: `http://long.test/${n}${'a'.repeat(2_980)}` }));
    await request(api.url).post('/seed/create').send({ name: 'long', seedUrls }).expect(200);
    const shown = (await request(api.url).get('/seed')).body.long;
    expect(shown).toMatchObject({ total: 5, seedUrls: seedUrls.slice(0, 2) });
    expect((await request(api.url).get('/seed/long')).body.seedUrls).toHaveLength(5);
  });

  it('GET /seed returns lists by name, after ?after', async () => {
    await create({ name: 'shown', seedUrls: [{ url: 'http://a.test/' }] });
    const { body } = await request(api.url).get('/seed');
    expect(body.shown).toMatchObject({ name: 'shown', seedFilePath: 'seedFiles/shown', total: 1 });
    expect(Object.keys((await request(api.url).get('/seed?after=shown&limit=1')).body as object)).not.toContain(
      'shown',
    );
  });

  it('GET /seed reads the seeds of all its lists in one statement, a hundred of each', async () => {
    const urls = (n: number) => Array.from({ length: n }, (_, id) => ({ id, url: `http://a.test/${id}` }));
    await Promise.all([0, 1, 99, 101].map((n) => create({ name: `zz${n}`, seedUrls: urls(n) })));
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    const { body } = await request(api.url).get('/seed?after=zz');
    expect(sent.mock.calls.filter(([statement]) => JSON.stringify(statement).includes('seed_url'))).toHaveLength(1);
    expect(Object.keys(body as object)).toEqual(['zz0', 'zz1', 'zz101', 'zz99']);
    const shown = [body.zz0, body.zz1, body.zz99, body.zz101];
    expect(shown.map(({ total }) => total)).toEqual([0, 1, 99, 101]);
    expect(shown.map(({ seedUrls }) => seedUrls)).toEqual([[], urls(1), urls(99), urls(100)]);
  });

  it('DELETE /seed/{name} deletes the list, then returns 404', async () => {
    await create({ name: 'gone', seedUrls: [] });
    expect((await request(api.url).delete('/seed/gone')).status).toBe(200);
    expect((await request(api.url).delete('/seed/gone')).status).toBe(404);
    expect((await request(api.url).get('/seed/gone')).status).toBe(404);
  });

  it.each(['limit=0', 'limit=x', 'from=-1', 'limit=1&limit=2'])('GET /seed/s1?%s returns 400', async (query) => {
    await create({ name: 's1', seedUrls: [] });
    expect((await request(api.url).get(`/seed/s1?${query}`)).status).toBe(400);
  });
});

describe('the list names of a seed path', () => {
  it.each([
    ['s1', ['s1']],
    ['seedFiles/s1', ['s1']],
    ['seedFiles/s1/', ['s1']],
    ['/tmp/x/seedFiles/s1/urls', ['urls', 's1']],
    ['seedFiles/s1/seed123.txt', ['seed123.txt', 's1']],
    ['file:///seedFiles/s1', ['s1']],
    [String.raw`C:\seeds\s1`, ['s1']],
    ['../../etc/passwd', ['passwd']],
    ['..', []],
    ['', []],
    ['a b', []],
    ['s1\0', []],
    ['x'.repeat(300), []],
  ])('%j yields %j', (path, names) => expect(listNamesOf(path)).toEqual(names));

  it('any path yields only valid list names', () => {
    fc.assert(
      fc.property(fc.string(), (path) =>
        listNamesOf(path).every((name) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/.test(name)),
      ),
    );
  });
});

describe('POST /seedList', () => {
  it('stores the list and returns the INJECT job', async () => {
    const answer = await request(api.url)
      .post('/seedList')
      .send({ name: 'both', seedUrls: [{ url: 'http://site.test/' }], crawlId: 'k2', args: { overwrite: 'true' } });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ type: 'INJECT', crawlId: 'k2', args: { seedName: 'both', overwrite: 'true' } });
    expect((await request(api.url).get('/seed/both')).body.total).toBe(1);
  });

  it.each([
    [{ name: 'bad', seedUrls: [{ url: 'x' }], crawlId: 'k2' }, 'SEED_LIST_INVALID'],
    [{ name: 'bad', seedUrls: [], crawlId: '../k' }, 'FIELDS_INVALID'],
    [{ name: 'bad', seedUrls: [], args: 7 }, 'FIELDS_INVALID'],
    [{ name: 'bad', seedUrls: [], args: { seed: 'http://a.test/' } }, 'JOB_ARGS_INVALID'],
  ])('%j returns 400 and stores no list', async (body, code) => {
    const answer = await request(api.url).post('/seedList').send(body);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
    expect((await request(api.url).get('/seed/bad')).status).toBe(404);
  });
});
