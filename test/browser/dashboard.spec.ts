import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Server, startServer } from '../support/server.js';
import { type Site, page as htmlPage, redirect, startSite, status } from '../support/site.js';

/** The page for people at `/`, of the built program, in a real browser, with a small site of strangers to crawl. */

let db: TestDatabase;
let server: Server;
let site: Site;
let browser: Browser;
let page: Page;
let pictures: string;
/** What the browser complained about, and whom it asked. */
let complaints: string[];
let asked: URL[];
/** While it is closed, the site answers nothing below /slow/. */
let gate: { open: () => void; opened: Promise<void> };

const shutGate = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  gate = { open: resolve, opened: promise };
};

const hostileTitle = '<script>document.title="owned"</script><img src=x onerror=alert(1)>';
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

/** What a crawl of loopback needs. */
const params = {
  'http.agent.name': 'orbweaver-test',
  'http.filter.ipaddress.exclude': '',
  'fetcher.server.delay': '0',
  'fetcher.threads.per.queue': '2',
  'db.fetch.retry.max': '1',
};

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/plain' };
  const answer = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return (/^[[{]/.test(text) ? JSON.parse(text) : text) as T;
}

/** Makes a crawl without the page, and waits for its end. */
async function crawled(crawlId: string): Promise<void> {
  const { id } = await call<{ id: string }>('POST', '/v1/crawls', {
    crawlId,
    confId: 'loop',
    seeds: [`${site.url}/`],
    scope: 'host',
  });
  for (;;) {
    const { state, msg } = await call<{ state: string; msg: string }>('GET', `/v1/crawls/${id}`);
    if (state === 'FINISHED') return;
    if (state === 'FAILED') throw new Error(msg);
    await new Promise((wake) => setTimeout(wake, 100));
  }
}

beforeAll(async () => {
  shutGate();
  gate.open();
  [db, site] = await Promise.all([testDatabase(), startStrangers()]);
  server = await startServer({ databaseUrl: db.url });
  await call('POST', '/config/create', { configId: 'loop', force: true, params });
  await crawled('strangers');
  // In a single process, the end of one page is the end of the browser.
  const args = chromium.args.filter((arg) => arg !== '--single-process');
  browser = await playwright.launch({ args, executablePath: await chromium.executablePath() });
  // SCREENSHOTS names a folder to keep them in.
  pictures = process.env['SCREENSHOTS'] ?? (await mkdtemp(join(tmpdir(), 'orbweaver-page-')));
}, 90_000);
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await site?.close();
  await db?.drop();
  if (!process.env['SCREENSHOTS']) await rm(pictures, { recursive: true, force: true });
});

async function openPage(options: Parameters<Browser['newPage']>[0] = {}): Promise<Page> {
  [complaints, asked] = [[], []];
  const opened = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
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

beforeEach(async () => {
  shutGate();
  gate.open();
  page = await openPage();
  return () => page.close();
});

const show = async (hash: string) => {
  await page.goto(`${server.url}/${hash}`);
  await page.locator('h1').waitFor();
};
const picture = (name: string) => page.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
const recordOf = (path: string) => `#/page?${new URLSearchParams({ crawlId: 'strangers', url: site.url + path })}`;
const form = () => page.getByRole('form', { name: 'Start a crawl' });

async function fillCrawl(crawlId: string) {
  await form().getByLabel('Seeds').fill(`${site.url}/`);
  await form().getByLabel('Crawl id').fill(crawlId);
  await form().getByLabel('Links may lead to').selectOption('host');
  await form().getByText('Limits and configuration').click();
  await form().getByLabel('Configuration').selectOption('loop');
}

describe('the page at /', () => {
  it('starts a crawl from the form and shows it live until it has ended', { timeout: 60_000 }, async () => {
    await show('');
    await picture('start');
    shutGate();
    await fillCrawl('live');
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await page.getByText('running', { exact: true }).first().waitFor();
    await expect.poll(() => page.locator('.figures').innerText(), { timeout: 20_000 }).toMatch(/Fetched\s+[5-9]/);
    await picture('running');
    gate.open();
    await page.locator('.title .badge.good').waitFor({ timeout: 30_000 });
    const figures = await page.locator('.figures').innerText();
    await picture('finished');
    expect(figures).toMatch(/Fetched\s+8\s/);
    expect(figures).toMatch(/Denied by robots.txt\s+1\s/);
    expect(await page.locator('#status').innerText()).toContain('is finished');
    expect(complaints).toEqual([]);
  });

  it('pictures', { timeout: 60_000 }, async () => {
    await show('');
    await page.locator('.card.job').first().waitFor();
    await picture('start-2');
    await show('#/pages?crawlId=strangers');
    await page.locator('tbody tr').first().waitFor();
    await picture('pages');
    await show(recordOf('/hostile'));
    await page.locator('.verdict').waitFor();
    await picture('record');
    await show(recordOf('/moved'));
    await page.locator('.verdict').waitFor();
    await picture('record-moved');
    await show(
      `#/why?${new URLSearchParams({ crawlId: 'strangers', confId: 'loop', url: `${site.url}/private/plans`, robots: '1' })}`,
    );
    await page.locator('.verdict').waitFor();
    await picture('why');
    expect(complaints).toEqual([]);
  });
});
