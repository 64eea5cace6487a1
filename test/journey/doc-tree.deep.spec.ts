import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { answerTo, seedsOf, startDocTree, walkLinks } from '../support/doc-tree.js';
import { type Server, startServer } from '../support/server.js';
import type { Site } from '../support/site.js';

/**
 * More than a thousand pages of documentation in the style of six tools, crawled by single jobs over HTTP with the built
 * program, round by round, until GENERATE selects nothing. The fetched URLs are compared with a walk over the links
 * that uses no code of the product.
 */

interface JobInfo {
  id: string;
  state: string;
  msg: string;
  result: Record<string, unknown> & {
    result: string;
    reason: string;
    counters: Record<string, Record<string, number>>;
  };
}

const crawlId = 'docs';
const confId = 'docs';
/** The egress guard allows loopback, no delay between requests, no limits on sizes and links, no external links. */
const params = {
  'http.agent.name': 'orbweaver-test',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0',
  'fetcher.threads.per.queue': '8',
  'http.content.limit': '-1',
  'db.max.outlinks.per.page': '-1',
  'db.ignore.external.links': 'true',
};

let db: TestDatabase;
let server: Server;
let site: Site;

beforeAll(async () => {
  [db, site] = await Promise.all([testDatabase(), startDocTree()]);
  server = await startServer({ databaseUrl: db.url });
});
afterAll(async () => {
  await server?.stop();
  await site?.close();
  await db?.drop();
});

async function call(method: string, path: string, body?: object): Promise<string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/plain' };
  const answer = await fetch(server.url + path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
  const text = await answer.text();
  expect({ path, status: answer.status, text: answer.ok ? '' : text }).toEqual({ path, status: 200, text: '' });
  return text;
}

/** Creates a job and waits for its end. */
async function run(type: string, args: object): Promise<JobInfo> {
  let job = JSON.parse(await call('POST', '/job/create', { type, crawlId, confId, args })) as JobInfo;
  while (['IDLE', 'RUNNING'].includes(job.state)) {
    await new Promise((wake) => setTimeout(wake, 50));
    job = JSON.parse(await call('GET', `/job/${job.id}`)) as JobInfo;
  }
  expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  return job;
}

/** One round; returns the number of its pages. */
async function round(): Promise<number> {
  const { result } = await run('GENERATE', {});
  const batch = result['generate.batch.id'];
  if (result.result === '1') return 0;
  for (const type of ['FETCH', 'PARSE', 'UPDATEDB']) await run(type, { batch });
  return Number(result['generate.count']);
}

describe('a crawl of a documentation tree by single jobs', () => {
  const counts: number[] = [];
  let urls: readonly string[];

  it('ends when GENERATE selects nothing, after several rounds', async () => {
    await call('POST', '/config/create', { configId: confId, force: true, params });
    const seedUrls = seedsOf(site).map((url) => ({ url }));
    const seedDir = await call('POST', '/seed/create', { name: 'docs', seedUrls });
    const injected = await run('INJECT', { url_dir: seedDir });
    expect(injected.result.counters['injector']).toEqual({ urls_injected: seedUrls.length });
    for (let n = await round(); n > 0; n = await round()) counts.push(n);
    expect(counts.length).toBeGreaterThan(1);
  });

  it('fetches the URLs that a walk over the links finds, no more and no fewer', async () => {
    const walk = walkLinks(seedsOf(site));
    urls = walk.urls;
    expect(walk.pages).toBeGreaterThanOrEqual(1_250);
    const fetched = new Set(site.log.map(({ path }) => site.url + path));
    fetched.delete(`${site.url}/robots.txt`);
    expect({
      missed: urls.filter((url) => !fetched.has(url)),
      more: [...fetched].filter((url) => !urls.includes(url)),
    }).toEqual({ missed: [], more: [] });
  });

  it('requests each URL once', () => {
    const paths = site.log.map(({ path }) => path);
    expect(paths.filter((path, i) => paths.indexOf(path) !== i)).toEqual([]);
    expect(counts.reduce((sum, n) => sum + n, 0)).toBe(urls.length);
  });

  it('stores each page with the status of its response', async () => {
    const expected = { db_fetched: 0, db_gone: 0 };
    for (const url of urls) {
      if (answerTo(new URL(url).pathname).status === 200) expected.db_fetched++;
      else expected.db_gone++;
    }
    const rows = await db.query<{ status: number; n: number }>(
      'select status, count(*)::int as n from webpage group by 1',
    );
    expect(Object.fromEntries(rows.map(({ status, n }) => [status, n]))).toEqual({
      2: expected.db_fetched,
      3: expected.db_gone,
    });
    const stats = JSON.parse(await call('POST', '/db/crawldb', { type: 'stats', crawlId, confId, args: {} })) as object;
    expect(stats).toMatchObject({ totalUrls: String(urls.length) });
  });

  it('keeps the total cash equal to that of the seeds', async () => {
    const [sum] = await db.query<{ cash: number }>('select sum(cash) as cash from webpage');
    expect(sum!.cash).toBeCloseTo(seedsOf(site).length, 6);
  });
});
