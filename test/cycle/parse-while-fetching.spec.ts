import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { startPlugins } from '../../src/plugin/external.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { batchOf, counters } from './table.js';

/** A FETCH of a continuous crawl parses the pages that its busy parser made it leave unparsed, while it runs. */

const PAGES = 100;
const conf = { 'plugin.includes.also': 'x-later', 'fetcher.parse': 'true', 'http.timeout': '600000' };
const gates = globalThis as typeof globalThis & { laterGate?: Promise<void>; laterBegun: string[] };
let openGate: () => void;
let dir: string;
/** The crawl has no further batch. */
let closed: boolean;

useCrawler();
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plugins-'));
  const parse = `({ page }) => (globalThis.laterBegun.push(page.url), globalThis.laterGate.then(() => ({ title: 'read', text: 'x', outlinks: [] })))`;
  const source = `export default { id: 'x-later', description: 'Waits.', makeParser: () => ({ types: ['text/x-later'], parse: ${parse} }) };`;
  await writeFile(join(dir, 'later.mjs'), source);
  await startPlugins(dir, () => undefined);
});
afterAll(() => rm(dir, { recursive: true, force: true }));
beforeEach(() => {
  gates.laterGate = new Promise((open) => (openGate = open));
  gates.laterBegun = [];
  closed = false;
});
afterEach(() => {
  delete cycle.batches;
});

/** A batch of pages that the parser returns only after its gate is open, and one page whose answer waits for `release`. */
async function generated(crawlId: string) {
  let asked = 0;
  const released = Promise.withResolvers<void>();
  const slow = page('slow', { 'content-type': 'text/x-later' });
  const web = await crawler.site({
    '/robots.txt': page('User-agent: *'),
    '/held': (req, res) => void (asked++, released.promise.then(() => page('held')(req, res))),
    '*': (req, res) => (asked++, slow(req, res)),
  });
  const urls = Array.from({ length: PAGES }, (_, i) => `${web.url}/${i}`);
  // Of another host: its queue waits for no other page.
  await crawler.inject(crawlId, [...urls, `${web.url.replace('127.0.0.1', 'localhost')}/held`]);
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  return { batch, asked: () => asked, release: () => released.resolve() };
}

/** Begins a FETCH that runs until `closed`. */
function fetching(crawlId: string, batch: string, more: Record<string, unknown> = {}) {
  cycle.batches = {
    open: async (after) => ({
      batches: after === undefined ? [{ id: batch, pages: PAGES + 1, number: 1, ms: 1 }] : [],
      closed,
      deletedPages: 0,
    }),
    among: async (batches) => new Set(batches),
    report: async () => undefined,
    advance: async () => undefined,
  };
  const fetched = cycle.run('FETCH', { batch, ...more }, { crawlId, conf });
  const state = async () => (await cycle.jobs.list({ crawlId, type: 'FETCH' }))[0]!.state;
  return { fetched, state };
}

const parsed = async (crawlId: string) => {
  const [row] = await cycle.db.query<{ n: number }>(
    `select count(*)::int as n from webpage where crawl = (select id from crawl where name = $1) and title = 'read'`,
    [crawlId],
  );
  return row!.n;
};

it('a FETCH that stays open parses the pages it left unparsed, each once', async () => {
  const { batch, asked, release } = await generated('open');
  const { fetched, state } = fetching('open', batch);
  await expect.poll(asked).toBe(PAGES + 1);
  openGate();
  await expect.poll(() => parsed('open')).toBe(PAGES);
  expect(await state()).toBe('RUNNING');
  closed = true;
  release();
  expect(counters(await fetched, 'ParserStatus')).toEqual({ success: PAGES + 1 });
  expect(gates.laterBegun.toSorted()).toEqual([...new Set(gates.laterBegun)].toSorted());
});

it('an attempt parses the pages that an earlier one left unparsed, though nothing is to be fetched', async () => {
  const { batch, asked, release } = await generated('again');
  const first = fetching('again', batch);
  await expect.poll(asked).toBe(PAGES + 1);
  release();
  // The parser is busy: a stop waits for none of its pages.
  cycle.running!.stop.abort();
  expect((await first.fetched).result).toMatchObject({ reason: 'stopped' });
  expect(await parsed('again')).toBe(0);
  const second = fetching('again', batch, { resume: true });
  openGate();
  await expect.poll(() => parsed('again')).toBe(PAGES);
  expect(await second.state()).toBe('RUNNING');
  closed = true;
  expect((await second.fetched).state).toBe('FINISHED');
});
