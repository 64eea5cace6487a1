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

/** A FETCH that parses, with a parser that takes its time (Markdown, a PDF, a plugin): it goes on fetching, and says what it waits for. */

const PAGES = 100;
const conf = { 'plugin.includes.also': 'x-slow', 'fetcher.parse': 'true' };
const gates = globalThis as typeof globalThis & { parserGate?: Promise<void> };
let openGate: () => void;
let dir: string;
let api: ApiUnderTest;

useCrawler();
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plugins-'));
  const parse = `() => globalThis.parserGate.then(() => ({ title: 'read', text: 'x', outlinks: [] }))`;
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
});

/** A FETCH of a site whose pages the parser does not read before its gate is open. */
async function fetching(crawlId: string, more: Record<string, string> = {}) {
  let asked = 0;
  const slow = page('slow', { 'content-type': 'text/x-slow' });
  const web = await crawler.site({
    '/robots.txt': page('User-agent: *'),
    '*': (req, res) => (asked++, slow(req, res)),
  });
  await crawler.inject(
    crawlId,
    Array.from({ length: PAGES }, (_, i) => `${web.url}/${i}`),
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

it('FETCH with fetcher.parse asks for all its pages before the parser has finished one, and parses all of them', async () => {
  const { fetched, asked } = await fetching('goes-on');
  await expect.poll(asked).toBe(PAGES);
  expect(await parsed('goes-on')).toBe(0);
  openGate();
  const job = await fetched;
  expect([job.state, asked(), await parsed('goes-on')]).toEqual(['FINISHED', PAGES, PAGES]);
  expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: PAGES });
  expect(counters(job, 'ParserStatus')).toEqual({ success: PAGES });
});

it('FETCH with fetcher.parse reports in msg, GET /v1/hosts/{host} and GET /metrics that it waits for the parser, and for which page', async () => {
  const { web, fetched, job, asked } = await fetching('says');
  await expect.poll(asked).toBe(PAGES);
  const said = /waiting for the parser: \d+ pages?, now (http:\S+) for \d+ s$/;
  await expect.poll(async () => (await job()).msg).toMatch(said);
  const url = said.exec((await job()).msg)![1]!;
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
  const figure = async (name: string) =>
    Number(new RegExp(`^orbweaver_${name} (\\S+)`, 'm').exec((await request(api.url).get('/metrics')).text)?.[1]);
  await expect.poll(() => figure('parser_waiting_pages')).toBeGreaterThan(0);
  openGate();
  expect((await fetched).msg).toBe('OK');
  expect(await ofHost()).toEqual([]);
});

it('FETCH with fetcher.parse, stopped, leaves what is not parsed to PARSE, and counts it', async () => {
  const { batch, fetched, asked } = await fetching('stopped');
  await expect.poll(asked).toBe(PAGES);
  cycle.running!.stop.abort();
  const stopped = await fetched;
  expect(stopped.result).toMatchObject({ reason: 'stopped', counters: { Fetcher: { unparsed: PAGES } } });
  openGate();
  await cycle.run('PARSE', { batch }, { crawlId: 'stopped', conf });
  expect(await parsed('stopped')).toBe(PAGES);
});

it('FETCH with fetcher.store.content=false waits for the parser: nobody could parse later', async () => {
  const { fetched, job } = await fetching('kept-not', { 'fetcher.store.content': 'false' });
  await expect.poll(async () => (await job()).msg).toContain('waiting for the parser');
  openGate();
  expect([(await fetched).state, await parsed('kept-not')]).toEqual(['FINISHED', PAGES]);
});
