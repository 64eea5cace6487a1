import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startPlugins } from '../../src/plugin/external.js';
import { type ApiUnderTest, apiUnderTest } from '../api/api-under-test.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { batchOf, counters } from './table.js';

/** A FETCH that parses with a slow parser (Markdown, a PDF, a plugin): it continues fetching and reports what it waits for. */

const PAGES = 100;
const conf = { 'plugin.includes.also': 'x-slow', 'fetcher.parse': 'true' };
const gates = globalThis as typeof globalThis & { parserGate?: Promise<void>; parserBegun: number };
let openGate: () => void;
let dir: string;
let api: ApiUnderTest;

useCrawler();
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plugins-'));
  const parse = `() => (globalThis.parserBegun++, globalThis.parserGate.then(() => ({ title: 'read', text: 'x', outlinks: [] })))`;
  const source = `export default { id: 'x-slow', description: 'Waits.', makeParser: () => ({ types: ['text/x-slow'], parse: ${parse} }) };`;
  await writeFile(join(dir, 'slow.mjs'), source);
  await startPlugins(dir, () => undefined);
  api = await apiUnderTest({}, cycle.db);
});
afterAll(async () => {
  await api?.close();
  await rm(dir, { recursive: true, force: true });
});
beforeEach(() => {
  gates.parserGate = new Promise((open) => (openGate = open));
  gates.parserBegun = 0;
});

/** A FETCH of a site whose pages the parser returns only after its gate is open. */
async function fetching(crawlId: string, more: Record<string, string> = {}, { pages = PAGES, body = 'slow' } = {}) {
  let asked = 0;
  const slow = page(body, { 'content-type': 'text/x-slow' });
  const web = await crawler.site({
    '/robots.txt': page('User-agent: *'),
    '*': (req, res) => (asked++, slow(req, res)),
  });
  await crawler.inject(
    crawlId,
    Array.from({ length: pages }, (_, i) => `${web.url}/${i}`),
  );
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  const fetched = cycle.run('FETCH', { batch }, { crawlId, conf: { ...conf, ...more } });
  const job = async () => (await cycle.jobs.list({ crawlId, type: 'FETCH' }))[0]!;
  return { web, batch, fetched, job, asked: () => asked };
}

const parsed = async (crawlId: string) => {
  const [row] = await cycle.db.query<{ n: number }>(
    `select count(*)::int as n from webpage where crawl = (select id from crawl where name = $1) and title = 'read'`,
    [crawlId],
  );
  return row!.n;
};

it('FETCH with fetcher.parse requests all pages before the first is parsed, and parses all', async () => {
  const { fetched, asked } = await fetching('goes-on');
  await expect.poll(asked).toBe(PAGES);
  expect(await parsed('goes-on')).toBe(0);
  openGate();
  const job = await fetched;
  expect([job.state, asked(), await parsed('goes-on')]).toEqual(['FINISHED', PAGES, PAGES]);
  expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: PAGES });
  expect(counters(job, 'ParserStatus')).toEqual({ success: PAGES });
});

it('FETCH with fetcher.parse reports the page in the parser in msg, /v1/hosts/{host} and /metrics', async () => {
  const { web, fetched, job, asked } = await fetching('says');
  await expect.poll(asked).toBe(PAGES);
  const waiting = /waiting for the parser: \d+ pages?, now (http:\S+) for \d+ s$/;
  await expect.poll(async () => (await job()).msg).toMatch(waiting);
  const url = waiting.exec((await job()).msg)![1]!;
  expect(url.startsWith(web.url)).toBe(true);
  const ofHost = async () => (await request(api.url).get(`/v1/hosts/127.0.0.1?crawlId=says`)).body.waitsFor as object[];
  await expect.poll(ofHost).toEqual([
    {
      job: (await job()).id,
      for: 'parser',
      what: expect.stringMatching(/^the parser: \d+ pages?$/),
      url,
      pages: expect.any(Number),
      since: expect.stringMatching(/Z$/),
    },
  ]);
  const metric = async (name: string) =>
    Number(new RegExp(`^orbweaver_${name} (\\S+)`, 'm').exec((await request(api.url).get('/metrics')).text)?.[1]);
  await expect.poll(() => metric('parser_waiting_pages')).toBeGreaterThan(0);
  openGate();
  expect((await fetched).msg).toBe('OK');
  expect(await ofHost()).toEqual([]);
});

it('FETCH with fetcher.parse that is stopped counts unparsed pages and leaves them to PARSE', async () => {
  const { batch, fetched, asked } = await fetching('stopped');
  await expect.poll(asked).toBe(PAGES);
  cycle.running!.stop.abort();
  const stopped = await fetched;
  expect(stopped.result).toMatchObject({ reason: 'stopped', counters: { Fetcher: { unparsed: PAGES } } });
  openGate();
  await cycle.run('PARSE', { batch }, { crawlId: 'stopped', conf });
  expect(await parsed('stopped')).toBe(PAGES);
});

it('FETCH with fetcher.store.content false waits for the parser before it ends', async () => {
  const { fetched, job } = await fetching('kept-not', { 'fetcher.store.content': 'false' });
  await expect.poll(async () => (await job()).msg).toContain('waiting for the parser');
  openGate();
  expect([(await fetched).state, await parsed('kept-not')]).toEqual(['FINISHED', PAGES]);
});

/** A PARSE of fetched pages, with the parser whose gate is closed. */
async function parsing(crawlId: string, of: { pages?: number; body?: string } = {}) {
  const { batch, fetched } = await fetching(crawlId, { 'fetcher.parse': 'false', 'http.content.limit': '-1' }, of);
  await fetched;
  return { batch, parse: () => cycle.run('PARSE', { batch }, { crawlId, conf }) };
}

it('PARSE gives its parsers eight pages before the first is finished, and parses all', async () => {
  const { parse } = await parsing('ahead');
  const running = parse();
  await expect.poll(() => gates.parserBegun).toBe(8);
  expect(await parsed('ahead')).toBe(0);
  openGate();
  expect(counters(await running, 'ParserStatus')).toEqual({ success: PAGES });
  expect([gates.parserBegun, await parsed('ahead')]).toEqual([PAGES, PAGES]);
});

it('PARSE starts no further page while its parsers have 8 MiB', async () => {
  const { parse } = await parsing('bytes', { pages: 6, body: 'x'.repeat(3 << 20) });
  const running = parse();
  await expect.poll(() => gates.parserBegun).toBe(3);
  openGate();
  expect(counters(await running, 'ParserStatus')).toEqual({ success: 6 });
});

it('PARSE that is stopped stores the pages its parsers have finished, and the next one continues after them', async () => {
  const { parse } = await parsing('halted');
  const running = parse();
  await expect.poll(() => gates.parserBegun).toBe(8);
  cycle.running!.stop.abort();
  openGate();
  expect((await running).result).toMatchObject({ reason: 'stopped' });
  const kept = await parsed('halted');
  expect(kept).toBeGreaterThan(0);
  expect(kept).toBeLessThanOrEqual(8);
  await parse();
  expect([gates.parserBegun, await parsed('halted')]).toEqual([PAGES + 8 - kept, PAGES]);
});
