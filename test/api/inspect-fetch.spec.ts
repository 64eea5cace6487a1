import { createHash } from 'node:crypto';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Site, page, redirect, redirectLoop, reset, startSite, status } from '../support/site.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

let api: ApiUnderTest;
let site: Site;
let canary: Site;
const open = {
  'http.agent.name': 'orbweaver-test',
  'http.filter.ipaddress.exclude': '',
  'http.filter.ipaddress.include': '127.0.0.1',
};

beforeAll(async () => {
  canary = await startSite(page('never'), { host: '127.0.0.2' });
  site = await startSite({
    '/robots.txt': page('User-agent: *\nDisallow: /private/\n', { 'content-type': 'text/plain' }),
    '/': page('<title>Hello</title>', { etag: '"1"', 'x-note': 'kept' }),
    '/long': page('x'.repeat(5_000)),
    '/endless': page('x'.repeat(17_000_000)),
    '/moved': redirect('/', 301),
    '/found': redirect('/', 302),
    '/filtered': redirect('/a.zip'),
    '/away': redirect('http://127.0.0.9:9/'),
    '/inner': redirect(`${canary.url}/`),
    '/denied': redirect('/private/x'),
    '/nowhere': status(302),
    '/chain1': redirect('/chain2'),
    '/chain2': redirect('/chain3'),
    '/chain3': page('end'),
    '/ring1': redirect('/ring2'),
    '/ring2': redirect('/ring1'),
    '/gone': status(410),
    '/fail': status(500),
    '/unchanged': status(304),
    '/reset': reset,
    '*': (req, res) => (req.url?.startsWith('/loop/') ? redirectLoop : status(404))(req, res),
  });
  api = await apiUnderTest();
  const create = (configId: string, params: object) =>
    request(api.url)
      .post('/config/create')
      .send({ configId, force: true, params: { ...open, ...params } });
  await create('open', { 'http.timeout': '600000' });
  await create('follow', { 'http.redirect.max': '2' });
  await create('skip', { 'http.redirect.max': '1', 'http.redirect.max.exceeded.skip': 'true' });
  await create('far', { 'http.redirect.max': '20' });
  await create('inside', { 'db.ignore.external.links': 'true' });
  await create('short', { 'http.content.limit': '1000' });
  await create('unlimited', { 'http.content.limit': '-1' });
  await create('shipped', { 'http.filter.ipaddress.exclude': 'loopback', 'http.filter.ipaddress.include': '' });
  await create('silent', { 'plugin.includes': 'urlnormalizer-basic' });
});
afterAll(async () => {
  await api?.close();
  await site?.close();
  await canary?.close();
});

interface Answer {
  url: string;
  finalUrl: string;
  status: number | null;
  hops: { url: string; status: number | null; redirect: { decision: string } | null }[];
  decisions: { code: string; message: string }[];
  timings: Record<string, number | null> | null;
}

const ask = (body: object) => request(api.url).post('/v1/inspect/fetch').send(body);
async function fetched(path: string, confId = 'open'): Promise<Answer> {
  const { status: code, body } = await ask({ url: path.startsWith('/') ? site.url + path : path, confId });
  expect([code, body.detail]).toEqual([200, undefined]);
  return body as Answer;
}
const codes = ({ decisions }: Answer) => decisions.map(({ code }) => code);
const asked = () => site.log.map(({ path }) => path);

describe('POST /v1/inspect/fetch', () => {
  it('returns status, headers, timings and hops of a page without its content', async () => {
    const answer = await fetched('/#top');
    expect(answer).toMatchObject({
      url: `${site.url}/`,
      finalUrl: `${site.url}/`,
      status: 200,
      headers: { etag: '"1"', 'x-note': 'kept' },
      contentType: 'text/html; charset=utf-8',
      bytes: 20,
      wireBytes: 20,
      truncated: null,
      protocolStatus: { code: 1, name: 'SUCCESS', args: [] },
      pageStatus: 'db_fetched',
      decisions: [],
    });
    expect(answer.hops).toMatchObject([{ status: 200, robots: { state: 'rules', allowed: true }, redirect: null }]);
    // The connection of robots.txt was reused; the next inspection opens its own.
    expect(answer.timings).toMatchObject({ connect: null });
    const { connect, firstByte, total } = (await fetched('/')).timings!;
    expect(connect).toBeGreaterThanOrEqual(0);
    expect(firstByte).toBeGreaterThanOrEqual(connect!);
    expect(total).toBeGreaterThanOrEqual(firstByte!);
    const [agent] = site.log.filter(({ path }) => path === '/').map(({ headers }) => headers['user-agent']);
    expect(agent).toMatch(/^orbweaver-test\//);
  });

  it('stores nothing but robots.txt', async () => {
    await fetched('/long');
    for (const table of ['webpage', 'page_content', 'fetch_history', 'host']) {
      expect(await api.database.query(`select from ${table}`)).toEqual([]);
    }
    expect(await api.database.query('select http_status from robots')).toEqual([{ http_status: 200 }]);
  });

  it('sends no request for a URL that robots.txt forbids', async () => {
    const before = asked().length;
    const answer = await fetched('/private/x');
    expect(answer).toMatchObject({
      status: null,
      timings: null,
      protocolStatus: { name: 'ROBOTS_DENIED' },
      pageStatus: 'db_gone',
      hops: [{ robots: { allowed: false, line: { number: 2, text: 'Disallow: /private/' } } }],
    });
    expect(codes(answer)).toEqual(['ROBOTS_DENIED']);
    expect(asked().length).toBe(before);
  });

  it.each([
    ['/moved', 'open', ['later'], ['REDIRECT'], 'db_redir_perm'],
    ['/found', 'open', ['later'], ['REDIRECT'], 'db_redir_temp'],
    ['/found', 'follow', ['followed', undefined], ['REDIRECT'], 'db_fetched'],
    ['/chain1', 'follow', ['followed', 'followed', undefined], ['REDIRECT', 'REDIRECT'], 'db_fetched'],
    ['/chain1', 'skip', ['followed', 'dropped'], ['REDIRECT', 'REDIRECT_REFUSED'], 'db_redir_temp'],
    ['/filtered', 'follow', ['refused'], ['REDIRECT_REFUSED'], 'db_redir_temp'],
    ['/away', 'inside', ['refused'], ['EXTERNAL'], 'db_redir_temp'],
    ['/nowhere', 'follow', ['refused'], ['REDIRECT_REFUSED'], 'db_redir_temp'],
    ['/denied', 'follow', ['followed', undefined], ['REDIRECT', 'ROBOTS_DENIED'], 'db_gone'],
    ['/inner', 'follow', ['followed', undefined], ['REDIRECT', 'INNER_ADDRESS'], 'db_gone'],
  ])(
    'redirect %s with configuration "%s" reports decisions %j',
    async (path, confId, decisions, reasons, pageStatus) => {
      const answer = await fetched(path, confId);
      expect(answer.hops.map((hop) => hop.redirect?.decision)).toEqual(decisions);
      expect(codes(answer)).toEqual(reasons);
      expect(answer).toMatchObject({ pageStatus });
      expect(canary.connections()).toBe(0);
    },
  );

  it('refuses a redirect to a page that it has requested already', async () => {
    const answer = await fetched('/ring1', 'far');
    expect(answer.hops.map(({ url }) => new URL(url).pathname)).toEqual(['/ring1', '/ring2']);
    expect(answer.decisions.at(-1)).toMatchObject({
      code: 'REDIRECT_REFUSED',
      message: `${site.url}/ring1 was visited already: no page is visited twice in a run.`,
    });
    expect(asked().filter((path) => path === '/ring1')).toHaveLength(1);
  });

  it('refuses a redirect loop after ten hops', async () => {
    const answer = await fetched('/loop/1', 'far');
    expect(answer.hops).toHaveLength(10);
    expect(codes(answer).at(-1)).toBe('REDIRECT_REFUSED');
  });

  it.each([
    ['/gone', 'open', ['HTTP_STATUS'], 'GONE'],
    ['/fail', 'open', ['HTTP_STATUS'], 'EXCEPTION'],
    ['/unchanged', 'open', ['HTTP_STATUS'], 'EXCEPTION'],
    ['/reset', 'open', ['FETCH_FAILED'], 'EXCEPTION'],
    ['/long', 'short', ['TRUNCATED'], 'SUCCESS'],
    ['/endless', 'unlimited', ['TRUNCATED'], 'SUCCESS'],
    ['/', 'shipped', ['INNER_ADDRESS'], 'ACCESS_DENIED'],
    ['http://127.0.0.1:6379/', 'open', ['PORT'], 'ACCESS_DENIED'],
  ])('%s with configuration "%s" reports %j', async (path, confId, reasons, protocol) => {
    const answer = await fetched(path, confId);
    expect(codes(answer)).toEqual(reasons);
    expect(answer).toMatchObject({ protocolStatus: { name: protocol } });
  });

  it('runs two requests of one client at once and returns 429 for the third', async () => {
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const slow = await startSite({
      '/robots.txt': status(404),
      '*': async (req, res) => {
        await promise;
        await page('late')(req, res);
      },
    });
    // A request ends after 20 s: all three are sent at once, and the refused one is the first to be answered.
    const asked = Array.from({ length: 3 }, () => ask({ url: `${slow.url}/`, confId: 'open' }));
    const refused = await Promise.race(asked);
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([
      429,
      'TOO_MANY_HEAVY_REQUESTS',
      '5',
    ]);
    expect(
      (
        await request(api.url)
          .post('/v1/inspect/url')
          .send({ url: `${slow.url}/`, confId: 'open' })
      ).status,
    ).toBe(200);
    release();
    const statuses = (await Promise.all(asked)).map(({ status: code }) => code);
    expect(statuses.toSorted()).toEqual([200, 200, 429]);
    await slow.close();
  });

  it("refuses the server's own port", async () => {
    const answer = await fetched(`${api.url}/admin`, 'open');
    expect([answer.hops[0]?.status, codes(answer)]).toEqual([null, ['PORT']]);
  });

  it.each([
    [{}, 'FIELDS_INVALID', 'url is required'],
    [{ url: 'ftp://a/', confId: 'open' }, 'FIELDS_INVALID', 'scheme'],
    [{ url: 'nothing', confId: 'open' }, 'FIELDS_INVALID', 'malformed'],
    [{ url: 'http://a/' }, 'FETCH_IMPOSSIBLE', 'http.agent.name'],
    [{ url: 'http://a/', confId: 'silent' }, 'FETCH_IMPOSSIBLE', 'plugin.includes'],
    [{ url: 'http://a/', confId: 'none' }, 'CONFIG_ID_UNKNOWN', 'none'],
  ])('refuses %j with %s, %s', async (body, code, words) => {
    const answer = await ask(body);
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([400, code, expect.stringContaining(words)]);
  });
});

describe('a key of scope read', () => {
  it('may use /v1/inspect/url but not /v1/inspect/fetch', async () => {
    const secret = 'key-that-may-read';
    const key = { scope: 'read' as const, sha256: createHash('sha256').update(secret).digest() };
    const keyed = await apiUnderTest({ apiKeys: [key] });
    const bearer = { Authorization: `Bearer ${secret}` };
    const post = (path: string) => request(keyed.url).post(path).set(bearer).send({ url: 'http://8.8.8.8/' });
    expect([(await post('/v1/inspect/url')).status, (await post('/v1/inspect/fetch')).status]).toEqual([200, 403]);
    await keyed.close();
  });
});
