import request from 'supertest';
import { describe, expect, it } from 'vitest';
import { addPages, newCrawl } from './seeded-pages.js';
import { api, keys, post, useCrawldbPages } from './crawldb-pages.js';

/** The readers of 1.x (CrawlDbReader, and the graph of fetched pages). */

useCrawldbPages();

it('GET /db/fetchdb without crawlId reads the only crawl', async () => {
  expect((await request(api.url).get('/db/fetchdb?from=0&to=0')).body).toHaveLength(1);
});

describe('POST /db/crawldb', () => {
  const ask = (type: string, args: object = {}, crawlId = 'k1') =>
    post('/db/crawldb', { type, crawlId, confId: 'default', args });

  it.each(['stats', 'STATS', 'Stats'])('type %s returns counts and scores as text', async (type) => {
    const { body } = await ask(type);
    expect(body).toMatchObject({
      totalUrls: '11',
      minScore: '1.0',
      maxScore: '11.0',
      avgScore: '6.0',
      'retry 0': '10',
      'retry 2': '1',
      status: { 1: { statusValue: 'db_unfetched', count: '10' }, 2: { statusValue: 'db_fetched', count: '1' } },
    });
    expect(Date.parse(body.snapshotTime)).not.toBeNaN();
  });

  it('stats returns fetch times in minutes since the epoch and intervals in seconds, as CrawlDbReader does', async () => {
    const crawl = await newCrawl(api.database, 'times');
    const pages = [
      { url: 'http://a.test/', row: { fetch_time: '1970-01-01T00:03:59.999Z', fetch_interval: 60 } },
      {
        url: 'http://b.test/',
        row: { fetch_time: '2026-01-01T00:00:30Z', fetch_interval: 90, retries_since_fetch: 1 },
      },
    ];
    await addPages(api.database, crawl, pages);
    const minutes = Date.parse('2026-01-01T00:00:00Z') / 60_000;
    expect((await ask('stats', {}, 'times')).body).toMatchObject({
      ftn: '3',
      ftx: String(minutes),
      ftt: String(3 + minutes),
      fin: '60',
      fix: '90',
      fit: '150',
    });
  });

  it.each([
    [
      'stats',
      { sort: 'true', sorte: 'true' },
      'Argument sorte is not known to stats and changes nothing; the nearest is sort.',
    ],
    [
      'dump',
      { out_dir: 'dump', stauts: 'db_fetched' },
      'Argument stauts is not known to dump and changes nothing; the nearest is status.',
    ],
    ['topN', { nnn: '1', é: 1 }, String.raw`Argument \u00e9 is not known to topN and changes nothing.`],
    ['url', { url: 'http://www.example.com/', path: 'x' }, 'Argument path is not known to url and changes nothing.'],
    ['dump', { format: 'csv', regex: '.*', retry: 0, sample: 1, expr: 'score > 0', batch: 'b1', status: 2 }, undefined],
  ])('%s with %j says which arguments have no effect', async (type, args, notice) => {
    expect((await ask(type, args)).headers['orbweaver-notice']).toBe(notice);
  });

  it('dump names at most 20 arguments without effect, and counts the others', async () => {
    const args = Object.fromEntries(Array.from({ length: 23 }, (_, at) => [`filter${at}`, 1]));
    const { headers } = await ask('dump', args);
    expect(headers['orbweaver-notice']).toMatch(
      /^Argument filter0 is [^]*Argument filter19 is .*\. Further unknown arguments: 3\.$/,
    );
  });

  it('stats with sort returns counts by host', async () => {
    const { body } = await ask('stats', { sort: 'true' });
    expect(body.status['2'].hostValues).toEqual({ 'www.example.com': '1' });
    expect(body.status['1'].hostValues).toMatchObject({ 'apache.org': '2', 'nutch.apache.org': '1' });
  });

  it('stats with sort returns the quantiles of the score (db.stats.score.quantiles), without sort none', async () => {
    const { body } = await ask('stats', { sort: 'true' });
    expect(body).toMatchObject({
      'score quantile 0.01': '1.0',
      'score quantile 0.5': '6.0',
      'score quantile 0.99': '11.0',
    });
    expect((await ask('stats')).body).not.toHaveProperty(['score quantile 0.5']);
  });

  it('stats of an unknown crawl returns zero URLs', async () => {
    expect((await ask('stats', {}, 'k9')).body).toEqual({ totalUrls: '0', status: {} });
  });

  it.each(['http://www.example.com/', 'http://WWW.example.com', 'http://www.example.com:80/#top'])(
    'url normalizes %s and returns its page',
    async (url) => {
      const { status, body } = await ask('url', { url });
      expect(status).toBe(200);
      expect(body).toEqual({
        status: 2,
        fetchTime: Date.parse('2026-01-01T00:00:00Z'),
        prevFetchTime: 0,
        modifiedTime: 0,
        retriesSinceFetch: 2,
        retryInterval: 2_592_000,
        score: 1 + keys.indexOf('com.example.www:http/'),
        signature: 'd41d8cd98f00b204e9800998ecf8427e',
        metadata: { lang: 'it' },
      });
    },
  );

  it('url of an unknown page returns 404', async () => {
    expect((await ask('url', { url: 'http://none.test/' })).body).toMatchObject({ status: 404, code: 'PAGE_UNKNOWN' });
  });

  it('topN returns lines of score, TAB and URL, highest score first', async () => {
    const answer = await ask('topN', { nnn: '2', out_dir: '/etc' }).buffer();
    expect(answer.headers['content-type']).toBe('application/octet-stream');
    expect(answer.body.toString()).toBe(`11.0\thttp://nl.wikipedia.org/\n10.0\thttp://en.wikipedia.org/\n`);
    for (const min of ['10.5', '105e-1', ' 1.05E1 '])
      expect((await ask('topN', { nnn: 100, min })).body.toString().trim().split('\n')).toHaveLength(1);
  });

  it.each([
    ['csv', {}, 12],
    ['csv', { status: 'db_fetched' }, 2],
    ['csv', { status: '2' }, 2],
    ['csv', { retry: '2' }, 2],
    ['csv', { regex: 'http://[a-z]+\\.wikipedia\\.org/' }, 3],
    ['csv', { regex: 'wikipedia' }, 1],
    ['json', {}, 11],
    ['json', { sample: 0 }, 0],
  ])('dump as %s with %j returns %i lines', async (format, args, lines) => {
    const answer = await ask('dump', { format, ...args });
    expect(answer.status).toBe(200);
    expect(answer.body.toString().split('\n').filter(Boolean)).toHaveLength(lines);
  });

  it('dump as json returns one object per line', async () => {
    const text = (await ask('dump', { format: 'json', status: 'db_fetched' })).body.toString();
    expect(JSON.parse(text)).toMatchObject({
      url: 'http://www.example.com/',
      statusCode: 2,
      statusName: 'db_fetched',
      metadata: { lang: 'it' },
    });
  });

  it('dump in the normal form returns the text of Nutch', async () => {
    const text = (await ask('dump', { status: 'db_fetched' })).body.toString();
    expect(text).toMatch(/^http:\/\/www\.example\.com\/\tVersion: 7\nStatus: 2 \(db_fetched\)\n/);
    expect(text).toContain('Retry interval: 2592000 seconds (30 days)');
  });

  it.each([
    ['stats', {}],
    ['stats', { sort: 'true' }],
    ['topN', { nnn: 1 }],
    ['dump', {}],
    ['url', { url: 'http://www.example.com/' }],
  ])('%s with %j under an unknown configuration returns 400 CONFIG_ID_UNKNOWN', async (type, args) => {
    const answer = await post('/db/crawldb', { type, crawlId: 'k1', confId: 'c9', args });
    expect([answer.status, answer.body.code]).toEqual([400, 'CONFIG_ID_UNKNOWN']);
  });

  it.each([
    ['all', {}, 'QUERY_INVALID'],
    ['dump', { format: 'crawldb' }, 'QUERY_INVALID'],
    ['dump', { expr: 'score > ' }, 'QUERY_INVALID'],
    ['dump', { status: 'db_lost' }, 'QUERY_INVALID'],
    ['dump', { regex: '(' }, 'QUERY_INVALID'],
    ['dump', { sample: 2 }, 'QUERY_INVALID'],
    ['topN', { nnn: '0' }, 'QUERY_INVALID'],
    ['topN', { nnn: 'x' }, 'QUERY_INVALID'],
    ['url', {}, 'QUERY_INVALID'],
    ['url', { url: 'site.test' }, 'QUERY_INVALID'],
    ['url', { url: { a: 1 } }, 'QUERY_INVALID'],
  ])('%s with %j returns 400 %s', async (type, args, code) => {
    const answer = await ask(type, args);
    expect([answer.status, answer.body.code]).toEqual([400, code]);
  });

  it.each([[{ type: 'stats' }], [{ crawlId: 'k1' }], [[]], [{ type: 7, crawlId: 'k1' }]])(
    'body %j returns 400',
    async (body) => {
      expect((await post('/db/crawldb', body)).status).toBe(400);
    },
  );

  it('without a crawlId say what to send for the crawl without a name', async () => {
    const { body } = await post('/db/crawldb', { type: 'stats' });
    expect(body.detail).toMatch(
      /^crawlId must be a text of 1 to 128 .*, or "" for the crawl without a name \(given: nothing\)\.$/,
    );
  });

  it('a missing body returns 400', async () => {
    expect((await request(api.url).post('/db/crawldb')).status).toBe(400);
  });
});

describe('GET /db/fetchdb', () => {
  it('returns fetched pages with their outlinks', async () => {
    const { body } = await request(api.url).get('/db/fetchdb?crawlId=k1&from=0&to=0');
    expect(body).toEqual([
      {
        url: 'http://www.example.com/',
        status: 2,
        numOfOutlinks: 2,
        children: [
          { childUrl: 'http://www.example.com/about/', anchorText: 'About' },
          { childUrl: 'http://apache.org/', anchorText: '' },
        ],
      },
    ]);
  });

  it('without crawlId reads the crawl of the running FETCH, else of the newest FETCH (1.x)', async () => {
    const crawl = await newCrawl(api.database, 'second');
    await addPages(api.database, crawl, [{ url: 'http://second.test/', status: 2 }]);
    const urlsOf = async (query: string) =>
      ((await request(api.url).get(`/db/fetchdb?from=0&to=0${query}`)).body as { url: string }[]).map(({ url }) => url);
    const fetch = async (crawlId: string) => (await post('/job/create', { type: 'FETCH', crawlId, args: {} })).body.id;
    expect(await urlsOf('')).toEqual([]);
    const older = await fetch('second');
    expect(await urlsOf('')).toEqual(['http://second.test/']);
    await fetch('k1');
    expect(await urlsOf('')).toEqual(['http://www.example.com/']);
    await api.database.query(`update job set state = 'RUNNING', started_at = now() where id = $1`, [older]);
    expect(await urlsOf('')).toEqual(['http://second.test/']);
    expect(await urlsOf('&crawlId=k1')).toEqual(['http://www.example.com/']);
    expect(await urlsOf('&crawlId=')).toEqual([]);
  });

  it.each([
    ['from=1&to=1', 1],
    ['from=2&to=9', 0],
    ['from=1&to=1000', 1],
    ['', 1],
  ])('%j returns %i entries', async (query, n) => {
    expect((await request(api.url).get(`/db/fetchdb?crawlId=k1&${query}`)).body).toHaveLength(n);
  });

  it.each(['from=x', 'to=-1', 'from=1e99'])('%s returns 400', async (query) => {
    expect((await request(api.url).get(`/db/fetchdb?${query}`)).status).toBe(400);
  });
});
