import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Server, startServer } from '../support/server.js';
import { type Site, page as htmlPage, redirect, startSite, status } from '../support/site.js';
import { PATIENCE_MS } from '../support/patience.js';
import { openBrowser } from './chromium.js';

/**
 * The fixture of the dashboard specs: the built program, a real browser, and a small site that was crawled
 * once as `strangers`. A spec file calls `useStage()`; each test then has a new `page`. The variables are live: read
 * them where they are needed.
 */

export let db: TestDatabase;
export let server: Server;
export let site: Site;
let browser: Browser;
/** Of all pages of a spec: files come from its cache. What the dashboard stores, it stores for a tab. */
let context: BrowserContext;
export let page: Page;
export let pictures: string;
/** Errors that the browser reported, and its requests. */
export let complaints: string[];
export let asked: URL[];
/** While it is closed, the site does not answer requests below /slow/. */
let gate: { open: () => void; opened: Promise<void> };

export const shutGate = (): void => {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = { open: resolve, opened: promise };
};

export const openGate = (): void => gate.open();

export const hostileTitle = '<script>document.title="owned"</script><img src=x onerror=alert(1)>';
const html = (title: string, ...links: string[]) =>
  htmlPage(
    `<!doctype html><title>${title.replaceAll('<', '&lt;')}</title><h1>${title.replaceAll('<', '&lt;')}</h1>${links.map((link) => `<a href="${link}">${link}</a> `).join('')}`,
  );

const startStrangers = () =>
  startSite({
    '/robots.txt': htmlPage('User-agent: *\n# keep out\nDisallow: /private/\n', { 'content-type': 'text/plain' }),
    '/': html(
      'The front page',
      '/a',
      '/b',
      '/hostile',
      '/private/plans',
      '/moved',
      '/missing',
      '/broken',
      '/slow/1',
      '/slow/2',
      'javascript:alert(1)',
    ),
    '/a': html('Page A', '/', '/a/1', '/a/2'),
    '/a/1': html('Page A 1', '/'),
    '/a/2': html('Page A 2', '/'),
    '/b': html('Page B', '/a'),
    '/hostile': html(hostileTitle, '/', 'javascript:alert(document.domain)'),
    '/moved': redirect('javascript:alert(document.domain)', 301),
    '/broken': status(500),
    '/slow/1': async (req, res) => (await gate.opened, html('Slow 1', '/')(req, res)),
    '/slow/2': async (req, res) => (await gate.opened, html('Slow 2', '/')(req, res)),
  });

/** Properties that a crawl of loopback needs. */
const params = {
  'http.agent.name': 'orbweaver-test',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0',
  'fetcher.threads.per.queue': '4',
  'db.fetch.retry.max': '1',
};

/** Calls the API directly; throws on a refusal. */
export async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/plain' };
  const answer = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return (/^[[{]/.test(text) ? JSON.parse(text) : text) as T;
}

/** Creates a crawl directly. */
export const startCrawl = (crawlId: string) =>
  call<{ id: string }>('POST', '/v1/crawls', { crawlId, confId: 'loop', seeds: [`${site.url}/`], scope: 'host' });

/** Waits for the end of a job. */
export async function ended(collection: string, id: string): Promise<void> {
  for (;;) {
    const { state, msg } = await call<{ state: string; msg: string }>('GET', `${collection}/${id}`);
    if (state === 'FINISHED') return;
    if (state === 'FAILED') throw new Error(msg);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

const viewport = { width: 1280, height: 900 };

/** A page whose errors and requests are recorded. @param options of a context of its own */
export async function openPage(options?: Parameters<Browser['newPage']>[0]): Promise<Page> {
  [complaints, asked] = [[], []];
  const opened = await (options ? browser.newPage({ viewport, ...options }) : context.newPage());
  opened.setDefaultTimeout(PATIENCE_MS);
  opened.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  opened.on('pageerror', (error) => complaints.push(String(error)));
  opened.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  opened.on('request', (request) => void asked.push(new URL(request.url())));
  return opened;
}

export const show = async (hash: string) => {
  await page.goto(`${server.url}/${hash}`);
  await page.locator('h1').waitFor();
};
export const whyOf = (path: string) =>
  `#/why?${new URLSearchParams({ crawlId: 'strangers', confId: 'loop', url: site.url + path, robots: '1' })}`;
/** `{ Fetched: '4', … }` of the shown crawl. */
export const figures = async () =>
  Object.fromEntries(
    await page
      .locator('.figures div')
      .evaluateAll((tiles) =>
        tiles.map((tile) => [tile.querySelector('dt')?.textContent, tile.querySelector('dd')?.textContent]),
      ),
  ) as Record<string, string>;
/** A picture to look at, where SCREENSHOTS names a folder for them. */
export const picture = async (name: string): Promise<void> => {
  if (process.env['SCREENSHOTS']) await page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
};
export const recordOf = (path: string) =>
  `#/page?${new URLSearchParams({ crawlId: 'strangers', url: site.url + path })}`;
/** Of the crawl `strangers`. */
export const searchOf = (q: string) => `#/search?${new URLSearchParams({ q, crawlId: 'strangers' })}`;
export const form = () => page.getByRole('form', { name: 'Start a crawl' });

/** Fills the form with a crawl of the whole site. */
export async function fillCrawl(crawlId: string) {
  await form().getByLabel('Seeds').fill(`${site.url}/`);
  await form().getByLabel('Crawl id').fill(crawlId);
  await form().getByLabel('Links may lead to').selectOption('host');
  await form().getByText('Limits and configuration').click();
  await form().getByLabel('Configuration').selectOption('loop');
}

/** Every view, with content. */
export const views: [name: string, hash: () => string, ready: string][] = [
  ['crawls', () => '', '.card.job'],
  ['crawl', () => '#/crawl?id=strangers-loop-CRAWL-1', '.log li'],
  ['job', () => '#/job?id=strangers-loop-CRAWL-1', '.groups'],
  ['pages', () => '#/pages?crawlId=strangers', 'tbody tr'],
  ['record', () => recordOf('/hostile'), '.verdict'],
  ['why', () => whyOf('/private/plans'), '.verdict'],
  ['search', () => searchOf('page'), '.hit'],
];

/** Sets up the fixture of a spec file. */
export function useStage(): void {
  beforeAll(async () => {
    shutGate();
    openGate();
    [db, site] = await Promise.all([testDatabase(), startStrangers()]);
    server = await startServer({ databaseUrl: db.url });
    await call('POST', '/config/create', { configId: 'loop', force: true, params });
    await ended('/v1/crawls', (await startCrawl('strangers')).id);
    const index = { type: 'INDEX', crawlId: 'strangers', confId: 'loop', args: { batch: '-all' } };
    await ended('/job', (await call<{ id: string }>('POST', '/job/create', index)).id);
    browser = await openBrowser();
    context = await browser.newContext({ viewport });
    pictures = process.env['SCREENSHOTS'] ?? (await mkdtemp(join(tmpdir(), 'orbweaver-page-')));
  });
  afterAll(async () => {
    await browser?.close();
    await server?.stop();
    await site?.close();
    await db?.drop();
    if (!process.env['SCREENSHOTS']) await rm(pictures, { recursive: true, force: true });
  });
  beforeEach(async () => {
    shutGate();
    openGate();
    page = await openPage();
    return () => page.close();
  });
}
