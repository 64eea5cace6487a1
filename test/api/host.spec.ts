import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiInOneProcess, rawRequest } from './api-under-test.js';
import { addPages, newCrawl } from './seeded-pages.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiInOneProcess();
  const { database } = api;
  const crawl = await newCrawl(database, 'k1');
  await addPages(
    database,
    crawl,
    [
      ['http://www.site.test/', 1],
      ['http://www.site.test/a', 2],
      ['http://www.site.test/b', 2],
      ['http://www.site.test/c', 34],
      ['http://site.test/', 3],
      ['http://apache.org/', 1],
      ['http://apache-x.org/', 1],
      ['http://nutch.apache.org/', 6],
      ['http://www.example.co.uk/', 1],
      ['http://192.0.2.1/', 1],
      ['http://[2001:db8::1]/', 1],
    ].map(([url, status]) => ({ url: String(url), status: Number(status) })),
  );
  await database.query(`update host set domain = 'org.apache' where host in ('org.apache', 'org.apache.nutch')`);
  await database.query(
    `update host set failures = 3, delay_ms = 1500, blocked_until = '2026-02-01T00:00:00Z', metadata = '{"a":"b"}'
      where host = 'test.site.www'`,
  );
  await database.query(
    `insert into robots (host, origin, fetched_at, expires_at, http_status, body) values
       ('test.site.www', 'http://www.site.test', now() - interval '1 hour', now() + interval '23 hours', 200, '\\x0102'),
       ('test.site.www', 'https://www.site.test', now() - interval '2 days', now() - interval '1 day', 503, null),
       ('test.site', 'http://site.test', now(), now() + interval '1 day', 403, null),
       ('org.apache', 'http://apache.org', now(), now() + interval '1 day', 404, null)`,
  );
  await database.query(
    `insert into politeness (queue_id, owner, lease_until, next_at) values
       ('www.site.test', 'task', '2026-01-01T00:00:30Z', '2026-01-01T00:00:05Z'),
       ('apache.org', 'task', '2026-01-01T00:00:30Z', '2026-01-01T00:00:06Z')`,
  );
});
afterAll(() => api?.close());

it('GET /v1/hosts/{host} returns sitemaps and the results of HOSTDB', async () => {
  const { database } = api;
  await database.query(
    `insert into sitemap (crawl, host, url, source, status, http_status, entries, fetched_at)
     select id, 'org.apache.nutch', url, source, status, 200, entries, time::timestamptz from crawl,
            (values ('http://nutch.apache.org/a.xml', 'robots', 'fetched', 7, '2026-01-01T00:00:00Z'),
                    ('http://nutch.apache.org/robots.txt', 'host', null, null, null)) as s (url, source, status, entries, time)
      where name = 'k1'`,
  );
  await database.query(
    `update host set hostdb = '{"overdue": 3}', hostdb_at = '2026-01-02T00:00:00Z', dns_failures = 1 where host = 'org.apache.nutch'`,
  );
  expect((await read('nutch.apache.org')).body).toMatchObject({
    sitemaps: [
      {
        url: 'http://nutch.apache.org/a.xml',
        source: 'robots',
        status: 'fetched',
        httpStatus: 200,
        entries: 7,
        error: null,
        fetchedAt: '2026-01-01T00:00:00.000Z',
      },
    ],
    hostdb: { updatedAt: '2026-01-02T00:00:00.000Z', dnsFailures: 1, dnsCheckedAt: null, overdue: 3 },
  });
});

const list = async (query: Record<string, string | number>) => {
  const answer = await request(api.url)
    .get('/v1/hosts')
    .query({ crawlId: 'k1', ...query });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  return answer.body as { hosts: { host: string; key: string }[]; cursor: string | null };
};
const read = (host: string, query = 'crawlId=k1') =>
  rawRequest(api.port, `GET /v1/hosts/${encodeURIComponent(host)}?${query}`).then(({ status, body }) => ({
    status,
    body: JSON.parse(body) as Record<string, unknown>,
  }));

const inOrder = [
  '192.0.2.1',
  '[2001-db8--1]',
  'org.apache',
  'org.apache-x',
  'org.apache.nutch',
  'test.site',
  'test.site.www',
  'uk.co.example.www',
];

describe('GET /v1/hosts', () => {
  it('returns hosts in the order of their reversed names', async () => {
    const { hosts, cursor } = await list({});
    expect(hosts.map(({ key }) => key)).toEqual(inOrder);
    expect(cursor).toBeNull();
  });

  it.each([1, 3, 8, 9])('returns every host once when read by cursor with limit %i', async (limit) => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const answer: Awaited<ReturnType<typeof list>> = await list({ limit, ...(cursor && { cursor }) });
      seen.push(...answer.hosts.map(({ key }) => key));
      cursor = answer.cursor;
    } while (cursor !== null);
    expect(seen).toEqual(inOrder);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ prefix: 'org.apache.' }, ['nutch.apache.org']],
    [{ prefix: 'test' }, ['site.test', 'www.site.test']],
    [{ prefix: 'none' }, []],
    [{ domain: 'apache.org' }, ['apache.org', 'nutch.apache.org']],
    [{ domain: 'APACHE.org', prefix: 'org.apache.' }, ['nutch.apache.org']],
    [{ domain: 'apache.org', prefix: 'test' }, []],
    [{ domain: '192.0.2.1' }, ['192.0.2.1']],
  ])('filters by %j', async (query, hosts) => {
    expect((await list(query)).hosts.map(({ host }) => host)).toEqual(hosts);
  });

  it('returns 404 for an unknown crawl', async () => {
    const { status, body } = await request(api.url).get('/v1/hosts?crawlId=k9');
    expect([status, body.code]).toEqual([404, 'CRAWL_UNKNOWN']);
  });

  it.each(['limit=0', 'limit=1001', 'limit=all', 'crawlId=%2F', 'prefix=a&prefix=b'])(
    'returns 400 for %s',
    async (query) => {
      const { status, body } = await request(api.url).get(`/v1/hosts?${query}`);
      expect([status, body.code]).toEqual([400, 'FIELDS_INVALID']);
    },
  );

  it.each(["'", "') or 1=1 --", '%', '🕸', '\u{10FFFF}', '%FF'])(
    'treats special characters (%s) in a filter as text',
    async (text) => {
      for (const field of ['prefix', 'domain']) expect((await list({ [field]: text })).hosts).toEqual([]);
    },
  );

  it.each(['garbage', 'test.site', "'/ or 1=1", '/', 'x'.repeat(1_001) + '/'])(
    'returns 400 for a malformed cursor (%s)',
    async (cursor) => {
      const { status, body } = await request(api.url).get('/v1/hosts').query({ crawlId: 'k1', cursor });
      expect([status, body.code]).toEqual([400, 'FIELDS_INVALID']);
      expect(body.detail).toContain('cursor must be the cursor of an answer');
    },
  );
});

describe('GET /v1/hosts/{host}', () => {
  it.each(['www.site.test', 'WWW.site.test', 'test.site.www'])(
    'of %s returns counts, robots.txt state, pace and politeness',
    async (host) => {
      const { status, body } = await read(host);
      expect(status).toBe(200);
      expect(body).toEqual({
        host: 'www.site.test',
        key: 'test.site.www',
        domain: 'www.site.test',
        pages: 4,
        status: { db_unfetched: 1, db_fetched: 2, fetch_retry: 1 },
        robots: [
          {
            origin: 'http://www.site.test',
            state: 'rules',
            httpStatus: 200,
            fetchedAt: expect.stringMatching(/^\d{4}-.*Z$/),
            ageSeconds: expect.any(Number),
            expiresAt: expect.stringMatching(/^\d{4}-.*Z$/),
            expired: false,
            bytes: 2,
            crawlDelay: null,
            error: null,
            failures: 0,
          },
          expect.objectContaining({
            origin: 'https://www.site.test',
            state: 'defer',
            httpStatus: 503,
            expired: true,
            bytes: 0,
          }),
        ],
        pace: { queue: 'www.site.test', delaySeconds: 1.5, threads: 1, source: 'host', refused: false, job: null },
        politeness: {
          queue: 'www.site.test',
          nextAt: '2026-01-01T00:00:05.000Z',
          leaseUntil: '2026-01-01T00:00:30.000Z',
          blockedUntil: null,
        },
        failures: 3,
        delayMs: 1_500,
        settings: { delaySeconds: 1.5, minDelaySeconds: null, threads: null },
        drain: false,
        blockedUntil: '2026-02-01T00:00:00.000Z',
        blockedBy: null,
        homepage: null,
        metadata: { a: 'b' },
        waitsFor: [],
        sitemaps: [],
        hostdb: null,
      });
      expect((body.robots as { ageSeconds: number }[])[0]!.ageSeconds).toBeGreaterThanOrEqual(3_600);
    },
  );

  it.each<[string, object]>([
    ['site.test', { status: { db_gone: 1 }, robots: [{ state: 'allow-all', httpStatus: 403 }], politeness: null }],
    ['apache.org', { robots: [{ state: 'allow-all', httpStatus: 404 }], politeness: { queue: 'apache.org' } }],
    ['nutch.apache.org', { robots: [], politeness: { queue: 'apache.org' } }],
    ['192.0.2.1', { key: '192.0.2.1', domain: '192.0.2.1' }],
    ['[2001:db8::1]', { host: '[2001:db8::1]', key: '[2001-db8--1]' }],
  ])('of %s returns its robots.txt state, queue or key', async (host, expected) => {
    expect((await read(host)).body).toMatchObject(expected);
  });

  it('shows at most ten origins of a host', async () => {
    await api.database.query(
      `insert into robots (host, origin, fetched_at, expires_at, http_status)
       select 'uk.co.example.www', 'http://www.example.co.uk:' || i, now(), now(), 200 from generate_series(1000, 1100) i`,
    );
    expect((await read('www.example.co.uk')).body.robots).toHaveLength(10);
  });

  it('interprets the status of robots.txt with the given configuration', async () => {
    await request(api.url)
      .post('/config/create')
      .send({ configId: 'strict', params: { 'http.robots.403.allow': 'false' } });
    const { body } = await read('site.test', 'crawlId=k1&confId=strict');
    expect(body.robots).toMatchObject([{ state: 'deny-all' }]);
  });

  it.each<[string, string, number, string]>([
    ['none.test', 'crawlId=k1', 404, 'HOST_UNKNOWN'],
    ['test', 'crawlId=k1', 404, 'HOST_UNKNOWN'],
    ['site.test', 'crawlId=k9', 404, 'HOST_UNKNOWN'],
    ['site.test', 'crawlId=k1&confId=c9', 400, 'CONFIG_ID_UNKNOWN'],
    ['site.test', 'crawlId=..', 400, 'FIELDS_INVALID'],
  ])('%j with %s returns %i %s', async (host, query, status, code) => {
    const answer = await read(host, query);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });
});

describe('pace of a host whose crawl runs with its own configuration', () => {
  const post = async (path: string, body: object) => (await request(api.url).post(path).send(body)).body;
  const conf = (configId: string, delay: string) =>
    post('/config/create', { configId, params: { 'http.agent.name': 'bot', 'fetcher.server.delay': delay } });
  const paceOf = async (more = '') =>
    ((await read('a.test', `crawlId=own${more}`)).body as { pace: { delaySeconds: number; job: string } }).pace;

  it('uses the configuration snapshot of the job, without a job that of default', async () => {
    await addPages(api.database, await newCrawl(api.database, 'own'), [{ url: 'http://a.test/' }]);
    expect(await paceOf()).toMatchObject({ delaySeconds: 5, job: null });
    await conf('slow', '7');
    await conf('fast', '1');
    const slow = await post('/v1/crawls', { crawlId: 'own', confId: 'slow' });
    // INJECT sends no requests to hosts.
    await post('/job/create', { type: 'INJECT', crawlId: 'own', confId: 'fast', args: { seed: 'http://a.test/' } });
    await request(api.url).put('/config/slow/fetcher.server.delay').type('text/plain').send('8');
    expect(await paceOf()).toMatchObject({ delaySeconds: 7, job: slow.id });
    expect(await paceOf('&confId=slow')).toMatchObject({ delaySeconds: 8, job: null });
    const { hosts } = (await request(api.url).get('/v1/hosts?crawlId=own')).body;
    expect(hosts).toMatchObject([{ host: 'a.test', pace: { delaySeconds: 7, job: slow.id } }]);
    const changed = await request(api.url).patch('/v1/hosts/a.test?crawlId=own').send({ drain: false });
    expect(changed.body).toMatchObject({ pace: { delaySeconds: 7, job: slow.id } });
  });

  it('uses the newest job that has not ended, else the newest job', async () => {
    const slow = await paceOf();
    const fetch = await post('/job/create', { type: 'FETCH', crawlId: 'own', confId: 'fast', args: {} });
    expect(await paceOf()).toMatchObject({ delaySeconds: 1, job: fetch.id });
    await request(api.url).get(`/job/${fetch.id}/abort`);
    expect(await paceOf()).toEqual(slow);
    await request(api.url).post(`/v1/crawls/${slow.job}/abort`);
    expect(await paceOf()).toMatchObject({ delaySeconds: 1, job: fetch.id });
  });
});
