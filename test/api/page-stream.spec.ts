import { type ClientRequest, type IncomingMessage, get, request as httpRequest } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import request from 'supertest';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.js';
import { addManyPages, addPages, byBytes, newCrawl } from './seeded-pages.js';

const many = 20_000;
const ndjson = 'application/x-ndjson';

let api: ApiUnderTest;
let wide: number;
beforeAll(async () => {
  api = await apiUnderTest();
  const { database } = api;
  await addPages(database, await newCrawl(database, 'k1'), [
    { url: 'http://site.test/', status: 2, row: { title: 'two\nlines \u2028 "quoted" \\ \uFFFD' } },
    { url: 'http://site.test/gone', status: 3 },
    { url: 'http://a.test/' },
  ]);
  await addManyPages(database, await newCrawl(database, 'many'), 'test.many', { n: many });
  // About 50 MB as lines: more than the socket buffers between server and reader hold.
  await addManyPages(database, (wide = await newCrawl(database, 'wide')), 'test.wide', { n: many, width: 2_500 });
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => api?.close());

type Page = Record<string, unknown> & { key: string };

async function read(query: string): Promise<Page[]> {
  const answer = await request(api.url)
    .get(`/v1/pages?${query}`)
    .set('Accept', ndjson)
    .buffer(true)
    .parse((response, done) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => done(null, Buffer.concat(parts).toString()));
    });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, ndjson]);
  const text = answer.body as string;
  expect(text === '' || text.endsWith('\n')).toBe(true);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Page);
}

describe('GET /v1/pages as application/x-ndjson', () => {
  it('returns the same pages as JSON, one per line', async () => {
    const { body } = await request(api.url).get('/v1/pages?crawlId=k1');
    expect(await read('crawlId=k1&limit=all')).toEqual(body.pages);
  });

  it.each([
    ['crawlId=k1&limit=2', 2],
    ['crawlId=k1', 3],
    ['crawlId=k1&limit=all&status=db_gone', 1],
    ['crawlId=k1&limit=all&host=site.test', 2],
    ['crawlId=k1&limit=all&prefix=test.site', 2],
    ['crawlId=many', 100],
    ['crawlId=many&limit=1500', 1_500],
    ['crawlId=many&limit=all&cursor=test.many:http/0019990', 10],
  ])('%s returns %i lines', async (query, n) => {
    expect(await read(query)).toHaveLength(n);
  });

  it(`streams ${many} pages, each once, in key order`, async () => {
    const found = (await read('crawlId=many&limit=all')).map(({ key }) => key);
    expect(found).toHaveLength(many);
    expect(new Set(found).size).toBe(many);
    expect(found).toEqual(found.toSorted(byBytes));
  });

  it('streams the pages of more than a thousand hosts, each once, in key order', async () => {
    const hosts = await newCrawl(api.database, 'hosts');
    await api.database.query(
      `insert into webpage (crawl, host, key, status, fetch_time, score, cash, fetch_interval, source_kind)
       select $1, 'test.h' || i, 'test.h' || i || ':http/', 1, now(), 1, 0, 2592000, 'link' from generate_series(1, 1200) i`,
      [hosts],
    );
    await api.database.query(
      `insert into host (crawl, host, domain, n_unfetched)
       select $1, 'test.h' || i, 'test.h' || i, 1 from generate_series(1, 1200) i`,
      [hosts],
    );
    const found = (await read('crawlId=hosts&limit=all')).map(({ key }) => key);
    const expected = Array.from({ length: 1_200 }, (_, i) => `test.h${i + 1}:http/`);
    expect(found).toEqual(expected.toSorted(byBytes));
  });

  it.each([
    ['*/*', 'application/json'],
    ['application/json, application/x-ndjson', 'application/json'],
    ['application/x-ndjson, application/json;q=0.5', ndjson],
    ['text/html', 'application/json'],
  ])('Accept: %s returns %s', async (accept, type) => {
    const answer = await rawRequest(api.port, 'GET /v1/pages?crawlId=k1&limit=2', { Accept: accept });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type]);
    expect(answer.headers.get('vary')).toBe('Accept');
  });

  it('an invalid query returns a problem document, not a truncated stream', async () => {
    const answer = await rawRequest(api.port, 'GET /v1/pages?status=x&limit=all', { Accept: ndjson });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'application/problem+json']);
  });

  it('HEAD runs no more statements than the first piece needs', async () => {
    const asked = statements();
    const answer = await rawRequest(api.port, 'HEAD /v1/pages?crawlId=wide&limit=all', { Accept: ndjson });
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect([1, 2]).toContain(asked());
  });
});

/** Counts the statements that read pages of the wide crawl from now on; statement number `fail` fails, each takes `ms` longer. */
function statements(fail = Infinity, ms = 0): () => number {
  type Query = (this: pg.Client, statement: { text?: string; values?: unknown[] }, ...rest: unknown[]) => unknown;
  const query = pg.Client.prototype.query as unknown as Query;
  let n = 0;
  const counting: Query = function (statement, ...rest) {
    const readsPages = /(?:from|join) webpage w/.test(statement.text ?? '') && statement.values?.includes(wide);
    if (readsPages && ++n === fail) return failure(rest.at(-1));
    if (readsPages && ms > 0) return sleep(ms).then(() => query.call(this, statement, ...rest));
    return query.call(this, statement, ...rest);
  };
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(counting as never);
  return () => n;
}

/** As `pg` reports an error: to the callback of a pool, or by the promise. */
function failure(callback: unknown): unknown {
  const error = new Error('a statement failed');
  if (typeof callback !== 'function') return Promise.reject(error);
  process.nextTick(callback, error);
  return undefined;
}

function post(path: string, body: string): ClientRequest {
  const headers = { 'content-type': 'application/json', 'content-length': body.length };
  const sent = httpRequest(`${api.url}${path}`, { method: 'POST', headers, agent: false });
  sent.end(body);
  return sent;
}

/** Starts to read the wide crawl and pauses. */
function opened(): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { accept: ndjson };
  get(`${api.url}/v1/pages?crawlId=wide&limit=all`, { headers, agent: false }, (response) => {
    response.once('data', () => {
      response.pause();
      resolve(response);
    });
  }).on('error', reject);
  return promise;
}

/** The count when it has not changed for a while. */
async function settled(count: () => number): Promise<number> {
  for (let last = -1; last !== count(); await sleep(300)) last = count();
  return count();
}

const chunksOfAll = many / 1_000;

it('topN of more pages than one statement reads returns each page once, highest score first', async () => {
  await addManyPages(api.database, await newCrawl(api.database, 'most'), 'test.most', { n: 51_000 });
  await api.database.query(`update webpage set score = 2 where key like 'test.most:%' and hashtext(key) % 2 = 0`);
  const body = JSON.stringify({ type: 'topN', crawlId: 'most', args: { nnn: 100_000 } });
  const answer = await rawRequest(api.port, 'POST /db/crawldb', { 'Content-Type': 'application/json' }, body);
  const lines = answer.body.matchAll(/^(\d+\.\d)\t(http:\S+)$/gm);
  const found = Array.from(lines, ([, score, url]) => ({ score: Number(score), url: url! }));
  expect(new Set(found.map(({ url }) => url)).size).toBe(51_000);
  expect(found).toEqual(found.toSorted((a, b) => b.score - a.score || byBytes(a.url, b.url)));
});

describe('a reader of the stream', () => {
  it('that pauses suspends the scan, and gets all pages after it resumes', async () => {
    const asked = statements();
    const response = await opened();
    const waiting = await settled(asked);
    expect(waiting).toBeGreaterThan(0);
    expect(waiting).toBeLessThan(chunksOfAll);
    const { promise, resolve } = Promise.withResolvers<void>();
    response.on('end', resolve).resume();
    await promise;
    expect(response.complete).toBe(true);
    expect(asked()).toBeGreaterThanOrEqual(chunksOfAll);
  });

  it('that disconnects ends the scan', async () => {
    const asked = statements();
    const response = await opened();
    response.on('error', () => undefined).destroy();
    const before = await settled(asked);
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(chunksOfAll);
    expect((await rawRequest(api.port, 'GET /v1/pages?crawlId=k1&limit=1')).status).toBe(200);
  });

  it('that disconnects ends the scan of a dump without matches', async () => {
    const asked = statements(Infinity, 50);
    const body = JSON.stringify({ type: 'dump', crawlId: 'wide', args: { regex: 'nothing' } });
    const dump = post('/db/crawldb', body);
    dump.on('error', () => undefined);
    await expect.poll(asked).toBeGreaterThan(0);
    dump.destroy();
    expect(await settled(asked)).toBeLessThan(chunksOfAll);
  });

  it('of a dump without matches is not closed as a slow reader', async () => {
    // The statements take longer than the limit together, and none of them does, not even while the machine is busy.
    const asked = statements(Infinity, 300);
    const slow = await apiUnderTest({ maxSilenceMs: 5_000 }, api.database);
    const body = JSON.stringify({ type: 'dump', crawlId: 'wide', args: { regex: 'nothing' } });
    const answer = await rawRequest(slow.port, 'POST /db/crawldb', { 'Content-Type': 'application/json' }, body);
    expect(asked()).toBeGreaterThanOrEqual(chunksOfAll);
    expect([answer.status, answer.body]).toEqual([200, '']);
    await slow.close();
  });

  it('gets ECONNRESET, not the end of the stream, when the scan fails in the middle', async () => {
    statements(5);
    const response = await opened();
    const { promise, resolve } = Promise.withResolvers<string>();
    response.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? '')).on('end', () => resolve('end'));
    response.resume();
    expect(await promise).toBe('ECONNRESET');
    expect(response.complete).toBe(false);
  });

  it('gets a problem document with 500 when the first statement fails', async () => {
    statements(1);
    const answer = await rawRequest(api.port, 'GET /v1/pages?crawlId=wide&limit=all', { Accept: ndjson });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([500, 'application/problem+json']);
  });
});
