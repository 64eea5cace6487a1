import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { answerTo, seedsOf, walkLinks } from '../support/doc-tree.js';
import { type Server, startServer } from '../support/server.js';
import { type Site, page, startSite, status } from '../support/site.js';

/**
 * The documentation trees by one call, until nothing is due; then again with a clock a month ahead: half of
 * the site responds with 304, for the other half only the signatures show that nothing has changed.
 */

interface Crawl {
  id: string;
  type: string;
  state: string;
  msg: string;
  result: { result: string; reason: string; rounds: number } | null;
  counters: Record<string, Record<string, number>>;
  children: { type: string; round: number; state: string }[];
}

const MINUTES_4 = 240_000;
const params = {
  'http.agent.name': 'orbweaver-test',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0',
  'fetcher.threads.per.queue': '8',
  'http.content.limit': '-1',
  'db.max.outlinks.per.page': '-1',
};

let db: TestDatabase;
let server: Server;
let site: Site;

/** The documentation trees; /classes has entity tags and responds with 304, the rest does not. */
function startTaggedTree(): Promise<Site> {
  return startSite((req, res) => {
    const path = req.url ?? '/';
    const answer = answerTo(path);
    if (answer.status === 404) return void res.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
    if (answer.status === 301) return void res.writeHead(301, { location: answer.location }).end();
    const { bytes, type } = answer.page;
    const headers: Record<string, string> = { 'content-type': type };
    if (path.startsWith('/classes')) headers['etag'] = `"${createHash('sha1').update(bytes).digest('hex')}"`;
    if (headers['etag'] && req.headers['if-none-match'] === headers['etag'])
      return void res.writeHead(304, headers).end();
    res.writeHead(200, headers).end(bytes);
  });
}

beforeAll(async () => {
  [db, site] = await Promise.all([testDatabase(), startTaggedTree()]);
  server = await startServer({ databaseUrl: db.url });
});
afterAll(async () => {
  await server?.stop();
  await site?.close();
  await db?.drop();
});

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(server.url + path, {
    method,
    headers: { 'content-type': 'application/json', accept: 'application/json, text/plain' },
    ...(body ? { body: JSON.stringify(body) } : {}),
  });
  const text = await answer.text();
  expect({ path, status: answer.status, text: answer.ok ? '' : text }).toEqual({ path, status: 200, text: '' });
  return (text.startsWith('{') ? JSON.parse(text) : text) as T;
}

/** Creates a crawl and polls it until its end. */
async function crawl(request: object): Promise<Crawl> {
  const { id } = await call<Crawl>('POST', '/v1/crawls', { crawlId: 'docs', confId: 'docs', ...request });
  for (;;) {
    const now = await call<Crawl>('GET', `/v1/crawls/${id}`);
    if (!['IDLE', 'RUNNING'].includes(now.state)) return now;
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

const statuses = async () => {
  const rows = await db.query<{ status: number; n: number }>(
    'select status, count(*)::int as n from webpage group by 1 order by 1',
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
};

describe('a crawl of a documentation tree by one POST /v1/crawls', () => {
  let urls: readonly string[];

  it('runs until nothing is due, with one FETCH for all batches', { timeout: MINUTES_4 }, async () => {
    await call('POST', '/config/create', { configId: 'docs', force: true, params });
    const done = await crawl({ seeds: seedsOf(site), scope: 'host' });
    expect(done).toMatchObject({
      state: 'FINISHED',
      msg: 'OK: nothing more is due',
      result: { result: '0', reason: 'done' },
    });
    const types = done.children.map(({ type, round }) => `${type} ${round}`);
    // One FETCH runs while further batches are added to it.
    expect(types.slice(0, 5)).toEqual(['INJECT 0', 'GENERATE 1', 'FETCH 1', 'UPDATEDB 1', 'GENERATE 2']);
    expect(types.filter((type) => type.startsWith('FETCH'))).toEqual(['FETCH 1']);
    expect(types.at(-1)).toMatch(/^GENERATE /);
    expect(done.children.every(({ state }) => state === 'FINISHED')).toBe(true);
  });

  it('fetches the URLs that a walk over the links finds, each once', { timeout: MINUTES_4 }, async () => {
    ({ urls } = walkLinks(seedsOf(site)));
    expect(urls.length).toBeGreaterThan(1_000);
    const paths = site.log.map(({ path }) => path).filter((path) => path !== '/robots.txt');
    expect(paths.map((path) => site.url + path).sort()).toEqual([...urls].sort());
    const found = urls.filter((url) => answerTo(new URL(url).pathname).status === 200).length;
    expect(await statuses()).toEqual({ 2: found, 3: urls.length - found });
  });

  it('fetches nothing when it is created again', { timeout: MINUTES_4 }, async () => {
    const before = site.log.length;
    const done = await crawl({ scope: 'host' });
    expect(done).toMatchObject({ state: 'FINISHED', result: { reason: 'done', rounds: 0 } });
    expect(site.log.length).toBe(before);
  });

  it(
    'visits each page once with a clock a month ahead: 304 or an unchanged signature',
    { timeout: MINUTES_4 },
    async () => {
      const before = site.log.length;
      const done = await crawl({ scope: 'host', adddays: 40, rounds: 5 });
      expect(done).toMatchObject({ state: 'FINISHED', result: { reason: 'done' } });
      const visits = site.log.slice(before).filter(({ path }) => path !== '/robots.txt');
      const found = urls.filter((url) => answerTo(new URL(url).pathname).status === 200);
      expect(new Set(visits.map(({ path }) => site.url + path)).size).toBe(visits.length);
      const tagged = found.filter((url) => new URL(url).pathname.startsWith('/classes')).length;
      expect(done.counters['FetcherStatus']).toMatchObject({ NOTMODIFIED: tagged, SUCCESS: found.length - tagged });
      expect((await statuses())[6]).toBe(found.length);
    },
  );
});

describe('a crawl with a slow page', () => {
  it('fetches the links of other pages before the slow page responds', async () => {
    const { promise: isFollowed, resolve: follow } = Promise.withResolvers<void>();
    const links = (...paths: string[]) => page(paths.map((path) => `<a href="${path}">${path}</a>`).join(' '));
    const chain = await startSite({
      '/robots.txt': status(404),
      '/': links('/slow', '/1'),
      '/1': links('/2'),
      '/2': links('/3'),
      '/3': async (req, res) => (follow(), page('the end')(req, res)),
      // Fails by http.timeout unless the links of other pages are followed first.
      '/slow': async (req, res) => (await isFollowed, page('late')(req, res)),
    });
    const done = await crawl({ crawlId: 'chain', seeds: [`${chain.url}/`], scope: 'host' });
    expect(done).toMatchObject({ state: 'FINISHED', msg: 'OK: nothing more is due' });
    expect(done.counters['FetcherStatus']).toMatchObject({ SUCCESS: 5 });
    expect(done.counters['FetcherStatus']).not.toHaveProperty('EXCEPTION');
    await chain.close();
  });
});
