import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CrawlProgress } from '../../clients/typescript/src/generated/schemas.js';
import { figuresOf, progressLine } from '../../src/commands/crawl/progress.js';
import { startProgram } from '../commands/program.js';
import { temporaryFolder } from '../support/folders.js';
import {
  call,
  complaints,
  db,
  figures,
  openGate,
  page,
  picture,
  server,
  show,
  shutGate,
  site,
  startCrawl,
} from './stage.js';

/** Outcomes of pages have the same names and the same counts wherever they are shown. */

const LIMIT = '60';
const isCut = (path: string) => ({ url: site.url + path, truncated: 'length' });

describe('a fetched page with truncated content', () => {
  it('is marked in the API, statistics, dumps, SQL view, metrics, command line and dashboard', async () => {
    const folder = await temporaryFolder();
    const out = join(folder.path, 'pages.jsonl');
    const conf = { 'http.filter.ipaddress.exclude': '', 'fetcher.server.delay': '0', 'http.content.limit': LIMIT };
    const words = Object.entries(conf).flatMap(([name, value]) => ['--conf', `${name}=${value}`]);
    const seeds = [`${site.url}/a`, `${site.url}/b`, `${site.url}/robots.txt`];
    const options = ['--server', server.url, '--crawl-id', 'cut', '--rounds', '1', '--out', out];
    const { code, stderr } = await startProgram(['crawl', ...seeds, ...options, ...words]).ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 fetched; 2 with cut content')]);

    // Exports.
    const lines = (await readFile(out, 'utf8')).trim().split('\n');
    const exported = lines.map((line) => JSON.parse(line) as { url: string; status: string; truncated?: string });
    expect(exported.map(({ status }) => status)).toEqual(['db_fetched', 'db_fetched', 'db_fetched']);
    expect(exported.filter(({ truncated }) => truncated)).toMatchObject([isCut('/a'), isCut('/b')]);

    // The record, the list, statistics, dumps, /db.
    const { pages } = await call<{ pages: { url: string; truncated?: string }[] }>('GET', '/v1/pages?crawlId=cut');
    expect(pages.filter(({ truncated }) => truncated)).toMatchObject([isCut('/a'), isCut('/b')]);
    const record = `/v1/pages/${encodeURIComponent(`${site.url}/a`)}?crawlId=cut`;
    expect(await call('GET', record)).toMatchObject({ truncated: 'length', content: { length: Number(LIMIT) } });
    const ask = (type: string, args: object) => call('POST', '/db/crawldb', { type, crawlId: 'cut', args });
    expect(await ask('stats', {})).toMatchObject({ truncated: '2', status: { 2: { count: '3' } } });
    expect(await ask('stats', {})).not.toHaveProperty('cut');
    expect(await ask('dump', { format: 'csv' })).toMatch(/\/a".*http\.content\.truncated\.reason:length/);
    const { values } = await call<{ values: { url: string; metadata: object }[] }>('POST', '/db', {
      crawlId: 'cut',
      fields: ['url', 'metadata'],
    });
    expect(values.find(({ url }) => url === `${site.url}/b`)?.metadata).toMatchObject({
      'http.content.truncated': 'true',
      'http.content.truncated.reason': 'length',
    });

    // The view for SQL, the counters of the jobs, metrics.
    const seen = await db.query(
      `select split_part(key, '/', 2) as path, truncated from v_pages where crawl_id = 'cut' order by 1`,
    );
    expect(seen).toEqual([
      { path: 'a', truncated: 'length' },
      { path: 'b', truncated: 'length' },
      { path: 'robots.txt', truncated: null },
    ]);
    const { crawls } = await call<{ crawls: { id: string }[] }>('GET', '/v1/crawls?crawlId=cut');
    const crawl = await call('GET', `/v1/crawls/${crawls[0]!.id}`);
    expect(crawl).toMatchObject({ counters: { Fetcher: { truncated: 2 }, FetcherStatus: { SUCCESS: 3 } } });
    await expect.poll(() => call<string>('GET', '/metrics')).toMatch(/^orbweaver_pages_cut_total 2$/m);

    // The dashboard.
    await show('#/pages?crawlId=cut');
    const row = (path: string) => page.locator('tbody tr').filter({ hasText: site.url + path });
    await expect.poll(() => row('/a').locator('.badge').allInnerTexts()).toEqual(['fetched', 'cut']);
    expect(await row('/robots.txt').locator('.badge').allInnerTexts()).toEqual(['fetched']);
    await picture('cut-list');
    await row('/a').getByRole('link').click();
    await expect.poll(() => page.locator('.title .badge').allInnerTexts()).toEqual(['fetched', 'cut']);
    await expect.poll(() => page.locator('.title .badge').last().getAttribute('title')).toContain('http.content.limit');
    await picture('cut-record');
    // Shown before the count of waiting pages is known.
    const counted = Promise.withResolvers<void>();
    await page.route('**/db/crawldb', async (route) => (await counted.promise, route.continue()));
    await show(`#/crawl?id=${crawls[0]!.id}`);
    await expect.poll(() => figures()).toMatchObject({ Fetched: '3', Cut: '2', 'Not fetched': '–' });
    counted.resolve();
    await expect.poll(figures).toMatchObject({ Fetched: '3', Cut: '2', 'Not fetched': '0' });
    await picture('cut-crawl');
    await show('');
    await page.getByText('3 fetched (2 cut) · 0 failed').waitFor();
    await page.getByText(/8 fetched · 2 failed/).waitFor();
    expect(complaints).toEqual([]);
    await folder.remove();
  });
});

/** `{ fetched: 4, 'denied by robots.txt': 1 }` of `4 fetched, 1 denied by robots.txt`. */
const wordsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/(\d+) (fetched|failed|redirects?|denied by robots\.txt|waiting)/g)].map(([, n, word]) => [
      word!.replace(/s$/, ''),
      Number(n),
    ]),
  );
/** In the order in which they are shown. */
const order = ['fetched', 'failed', 'redirect', 'denied by robots.txt', 'waiting'];

describe('counts of fetched, failed, redirected, denied and waiting pages', () => {
  it('of a running FETCH are the same in msg, dashboard, command line and metrics', async () => {
    const outcome = async (name: string) => {
      const found = new RegExp(`^orbweaver_${name} (\\d+)$`, 'm').exec(await call<string>('GET', '/metrics'));
      return Number(found?.[1]);
    };
    const outcomes = async () => ({
      fetched: await outcome('page_outcomes_total{outcome="fetched"}'),
      failed: await outcome('page_outcomes_total{outcome="failed"}'),
      redirect: await outcome('page_outcomes_total{outcome="redirected"}'),
      'denied by robots.txt': await outcome('page_outcomes_total{outcome="denied"}'),
    });
    const before = await outcomes();
    shutGate();
    const { id } = await startCrawl('words');
    const crawl = () => call<CrawlProgress>('GET', `/v1/crawls/${id}`);
    const msgOfFetch = async () => (await crawl()).children?.findLast(({ type }) => type === 'FETCH')?.msg ?? '';
    // FETCH is open until the two slow pages are answered.
    const counts = { fetched: 6, failed: 2, redirect: 1, 'denied by robots.txt': 1, waiting: 2 };
    await expect.poll(async () => wordsOf(await msgOfFetch())).toEqual(counts);
    expect(Object.keys(wordsOf(await msgOfFetch()))).toEqual(order);

    const line = progressLine(figuresOf(await crawl(), 2, Date.now()), 0, 200);
    expect(wordsOf(line)).toEqual(counts);
    expect(Object.keys(wordsOf(line))).toEqual(order);

    await show('');
    const card = page.locator('.card.job').filter({ hasText: id }).locator('.counts');
    await expect.poll(async () => wordsOf(await card.innerText())).toEqual(counts);
    expect(Object.keys(wordsOf(await card.innerText()))).toEqual(order);
    await show(`#/crawl?id=${id}`);
    await expect
      .poll(figures)
      .toMatchObject({ Fetched: '6', Failed: '2', Redirects: '1', 'Robots denied': '1', Waiting: '2' });

    const visited = { ...counts, waiting: undefined };
    await expect
      .poll(async () => {
        const now = await outcomes();
        return Object.fromEntries(Object.entries(now).map(([name, n]) => [name, n - before[name as keyof typeof now]]));
      })
      .toEqual(visited);
    // Its number is compared with the table in test/api/metrics.spec.ts.
    expect(await call<string>('GET', '/metrics')).toMatch(/^orbweaver_pages_waiting \d+$/m);
    openGate();
    await page.locator('.title .badge.good').waitFor();
  });
});
