import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Server, startServer } from '../support/server.js';
import { type Site, startSite } from '../support/site.js';
import { PATIENCE_MS } from '../support/patience.js';
import { openBrowser } from './chromium.js';

/** `/docs` of the built program in a real browser, without resources from other hosts. */

let db: TestDatabase;
let server: Server;
let browser: Browser;
let page: Page;
let pictures: string;
/** Errors that the browser reported, and its requests. */
let complaints: string[];
let asked: URL[];

beforeAll(async () => {
  db = await testDatabase();
  server = await startServer({ databaseUrl: db.url });
  browser = await openBrowser();
  // SCREENSHOTS names a folder to keep them in.
  pictures = process.env['SCREENSHOTS'] ?? (await mkdtemp(join(tmpdir(), 'orbweaver-docs-')));
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await db?.drop();
  if (!process.env['SCREENSHOTS']) await rm(pictures, { recursive: true, force: true });
});

beforeEach(async () => {
  [complaints, asked] = [[], []];
  page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(PATIENCE_MS);
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('requestfailed', (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on('request', (request) => void asked.push(new URL(request.url())));
  await page.goto(`${server.url}/docs`);
  await page.locator('.opblock').first().waitFor();
  return () => page.close();
});

/** The part of /openapi.json that the tests read. */
interface Document {
  paths: Record<string, Record<string, { responses: object }>>;
}

/** The block of an operation, by method and path. */
const operation = (method: string, path: string) =>
  page.locator(`.opblock-${method}`).filter({ has: page.locator(`[data-path="${path}"]`) });

const picture = (name: string) => page.screenshot({ path: join(pictures, `${name}.png`) });

describe('/docs of a server with keys', () => {
  it('sends calls with the key of Authorize, and shows a refusal without a browser dialog', async () => {
    const [reader, runner] = ['a-key-that-may-read-and-no-more', 'a-key-that-may-start-crawls-too'];
    const locked = await startServer({ databaseUrl: db.url, env: { API_KEYS: `read:${reader},run:${runner}` } });
    const mine = await browser.newPage({ httpCredentials: { username: 'me', password: reader } });
    mine.setDefaultTimeout(PATIENCE_MS);
    await mine.goto(`${locked.url}/docs`);
    const create = mine.locator('.opblock-post').filter({ has: mine.locator('[data-path="/job/create"]') });
    await create.locator('.opblock-summary-control').click();
    await create.getByRole('button', { name: 'Try it out' }).click();
    const tryWith = async (key: string) => {
      await mine.getByRole('button', { name: 'Authorize' }).first().click();
      const dialog = mine.locator('.modal-ux');
      const logout = dialog.getByRole('button', { name: 'Remove authorization' });
      if ((await logout.count()) > 0) await logout.first().click();
      await dialog.getByLabel('auth-bearer-value').fill(key);
      await dialog.getByRole('button', { name: 'Apply credentials' }).first().click();
      await dialog.getByRole('button', { name: 'Close' }).first().click();
      const [answer] = await Promise.all([
        mine.waitForResponse((response) => response.url() === `${locked.url}/job/create`),
        create.getByRole('button', { name: 'Execute' }).click(),
      ]);
      return [answer.status(), answer.headers()['www-authenticate']];
    };
    expect(await tryWith('a-key-that-nobody-has-made')).toEqual([401, 'Bearer realm="Nutch REST API Realm"']);
    expect(await tryWith(reader)).toEqual([403, undefined]);
    expect(await tryWith(runner)).toEqual([200, undefined]);
    // The header is not in the command that is shown for copying.
    expect(await create.locator('.curl').first().innerText()).not.toContain('X-Requested-With');
    await mine.close();
    await locked.stop();
  });
});

describe('behind a proxy that adds a prefix', () => {
  let proxy: Site;
  beforeAll(async () => {
    proxy = await startSite((req, res) => {
      if (!req.url!.startsWith('/crawler/')) return void res.writeHead(404).end();
      const { method, headers } = req;
      const passed = request(server.url + req.url!.slice('/crawler'.length), { method, headers }, (answer) => {
        res.writeHead(answer.statusCode!, answer.headers);
        answer.pipe(res);
      });
      req.pipe(passed);
    });
  });
  afterAll(() => proxy.close());

  it.each(['docs', 'docs/'])('Swagger UI at %s sends requests with the prefix', async (path) => {
    await page.goto(`${proxy.url}/crawler/${path}`);
    const live = operation('get', '/health/live');
    await live.locator('.opblock-summary-control').click();
    await live.getByRole('button', { name: 'Try it out' }).click();
    await live.getByRole('button', { name: 'Execute' }).click();
    await live.locator('.live-responses-table').waitFor();
    expect(await live.locator('.request-url').innerText()).toContain(`${proxy.url}/crawler/health/live`);
    expect(await live.locator('.live-responses-table tbody .response-col_status').first().innerText()).toContain('200');
    expect(complaints).toEqual([]);
  });

  it('the dashboard loads all its parts and data', async () => {
    await page.goto(`${proxy.url}/crawler/`);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    // It ends a request itself when another view is shown.
    expect(complaints.filter((text) => !text.endsWith('net::ERR_ABORTED'))).toEqual([]);
    const paths = new Set(
      asked.filter(({ origin }) => origin === proxy.url).map(({ pathname }) => pathname.split('/')[1]),
    );
    expect([...paths]).toEqual(['crawler']);
  });
});

describe('/docs in a browser', () => {
  it('shows every operation of /openapi.json under its tag', async () => {
    const document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
    const methods = ['get', 'post', 'put', 'delete', 'patch', 'head'];
    const offered = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item)
        .filter((method) => methods.includes(method))
        .map((method) => `${method.toUpperCase()} ${path}`),
    );
    const shown = await page
      .locator('.opblock')
      .evaluateAll((blocks) =>
        blocks.map(
          (block) =>
            `${block.querySelector('.opblock-summary-method')?.textContent} ${block.querySelector('[data-path]')?.getAttribute('data-path')}`,
        ),
      );
    expect(shown.sort()).toEqual(offered.sort());
    await expect
      .poll(() => page.locator('.opblock-tag').allInnerTexts())
      .toEqual(
        expect.arrayContaining(
          ['admin', 'config', 'seed', 'job', 'db', 'health'].map((tag) => expect.stringContaining(tag)),
        ),
      );
    await picture('overview');
  });

  it('has a title and sends requests only to its own server', async () => {
    await page.waitForLoadState('networkidle');
    await expect.poll(() => page.title()).toBe('Orbweaver API');
    expect([...new Set(asked.filter((url) => url.protocol !== 'data:').map((url) => url.origin))]).toEqual([
      server.url,
    ]);
    expect(complaints).toEqual([]);
  });

  it('shows POST /job/create with an example body and its responses', async () => {
    const create = operation('post', '/job/create');
    await create.locator('.opblock-summary-control').click();
    await create.locator('.opblock-body').waitFor();
    const example = await create.locator('.opblock-section-request-body .highlight-code').innerText();
    for (const field of ['type', 'crawlId', 'confId', 'args']) expect(example).toContain(`"${field}"`);
    const answers = await create.locator('.responses-table .response > .response-col_status').allInnerTexts();
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document;
    expect(answers.map((code) => code.trim())).toEqual(Object.keys(paths['/job/create']!['post']!.responses));
    await create.scrollIntoViewIfNeeded();
    await picture('job-create');
    expect(complaints).toEqual([]);
  });

  it('executes POST /job/create with its unchanged example', async () => {
    const create = operation('post', '/job/create');
    await create.locator('.opblock-summary-control').click();
    await create.getByRole('button', { name: 'Try it out' }).click();
    await create.getByRole('button', { name: 'Execute' }).click();
    const answer = create.locator('.live-responses-table .response-col_status').last();
    await answer.waitFor();
    await create.locator('.live-responses-table').scrollIntoViewIfNeeded();
    await picture('job-create-tried');
    expect((await answer.innerText()).trim()).toMatch(/^200/);
  });
});
