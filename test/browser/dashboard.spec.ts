import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import chromium from '@sparticuz/chromium';
import { type Browser, type Page, chromium as playwright } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { barriers } from './barriers.js';
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
  'fetcher.threads.per.queue': '4',
  'db.fetch.retry.max': '1',
};

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/plain' };
  const answer = await fetch(server.url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return (/^[[{]/.test(text) ? JSON.parse(text) : text) as T;
}

/** Makes a crawl without the page. */
const startCrawl = (crawlId: string) =>
  call<{ id: string }>('POST', '/v1/crawls', { crawlId, confId: 'loop', seeds: [`${site.url}/`], scope: 'host' });

async function ended(collection: string, id: string): Promise<void> {
  for (;;) {
    const { state, msg } = await call<{ state: string; msg: string }>('GET', `${collection}/${id}`);
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
  await ended('/v1/crawls', (await startCrawl('strangers')).id);
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
const whyOf = (path: string) =>
  `#/why?${new URLSearchParams({ crawlId: 'strangers', confId: 'loop', url: site.url + path, robots: '1' })}`;
/** `{ Fetched: '4', … }` of the crawl that is shown. */
const figures = async () =>
  Object.fromEntries(
    await page
      .locator('.figures div')
      .evaluateAll((tiles) =>
        tiles.map((tile) => [tile.querySelector('dt')?.textContent, tile.querySelector('dd')?.textContent]),
      ),
  ) as Record<string, string>;
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

/** Every view with something in it. */
const views: [name: string, hash: () => string, ready: string][] = [
  ['crawls', () => '', '.card.job'],
  ['crawl', () => '#/crawl?id=strangers-loop-CRAWL-1', '.log li'],
  ['job', () => '#/job?id=strangers-loop-CRAWL-1', '.groups'],
  ['pages', () => '#/pages?crawlId=strangers', 'tbody tr'],
  ['record', () => recordOf('/hostile'), '.verdict'],
  ['why', () => whyOf('/private/plans'), '.verdict'],
];

describe('a crawl, from the form to its end', () => {
  it('is started, and shown live until it has ended', { timeout: 60_000 }, async () => {
    await show('');
    await page.locator('.card.job').waitFor();
    await picture('start');
    shutGate();
    await fillCrawl('live');
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await expect.poll(figures, { timeout: 20_000 }).toMatchObject({ Fetched: '4', Round: '2' });
    expect(await page.locator('.title .badge').innerText()).toBe('running');
    await picture('running');
    gate.open();
    await page.locator('.title .badge.good').waitFor({ timeout: 30_000 });
    expect(await figures()).toMatchObject({
      Fetched: '8',
      Failed: '2',
      Waiting: '0',
      Redirects: '1',
      'Robots denied': '1',
    });
    expect(await page.locator('#status').innerText()).toContain('is finished: OK: nothing more is due');
    expect(await page.locator('.log li').first().innerText()).toContain('finished: OK: nothing more is due');
    await picture('finished');
    expect(complaints).toEqual([]);
  });

  it('pauses, goes on, and moves in the list too', { timeout: 60_000 }, async () => {
    shutGate();
    const { id } = await startCrawl('pausing');
    await show('');
    const card = page.locator('.card.job').filter({ hasText: id });
    await expect.poll(() => card.innerText(), { timeout: 20_000 }).toMatch(/round 2, FETCH[^]*4 fetched/);
    await card.getByRole('button', { name: `pause ${id}` }).click();
    await card.getByText('paused', { exact: true }).waitFor();
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(`resume ${id}`);
    gate.open();
    await card.getByRole('link').click();
    await page.locator('.title').getByText('paused', { exact: true }).waitFor();
    await picture('paused');
    await page.getByRole('button', { name: `resume ${id}` }).click();
    await page.locator('.title .badge.good').waitFor({ timeout: 30_000 });
    expect(complaints).toEqual([]);
  });

  it('is aborted only when that is meant', { timeout: 60_000 }, async () => {
    shutGate();
    const { id } = await startCrawl('aborting');
    await show(`#/crawl?id=${id}`);
    const abort = page.getByRole('button', { name: `abort ${id}` });
    await abort.click();
    await page.getByRole('dialog', { name: 'Abort this job?' }).waitFor();
    await picture('abort');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect((await call<{ state: string }>('GET', `/v1/crawls/${id}`)).state).toBe('RUNNING');
    await abort.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Abort' }).click();
    await page.locator('.title').getByText('aborted', { exact: true }).waitFor({ timeout: 30_000 });
    gate.open();
    expect(complaints).toEqual([]);
  });

  it('is stopped in good order', { timeout: 60_000 }, async () => {
    shutGate();
    const { id } = await startCrawl('stopping');
    await show(`#/crawl?id=${id}`);
    await page.getByRole('button', { name: `stop ${id}` }).click();
    gate.open();
    await page.locator('.title').getByText('finished', { exact: true }).waitFor({ timeout: 30_000 });
    expect(await page.locator('.doing').innerText()).toBe('OK: stopped on request');
  });
});

describe('the form', () => {
  it('shows what is wrong at the field it is wrong with', async () => {
    await show('');
    await fillCrawl('not an id');
    await form().getByLabel('Rounds').fill('many');
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await expect.poll(() => page.locator('#new-crawlId-fault').innerText()).toContain('crawlId must be');
    await form().getByLabel('Crawl id').fill('fine');
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await expect.poll(() => page.locator('#new-rounds-fault').innerText()).toContain('rounds must be');
    expect(await page.locator('#new-crawlId-fault').innerText()).toBe('');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('new-rounds');
    await picture('problem');
    await form().getByLabel('Rounds').fill('1');
    await form().getByLabel('Seeds').fill('ftp://site.test/\nhttp://169.254.169.254/latest');
    await form().getByLabel('Configuration').selectOption('default');
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await expect
      .poll(() => page.locator('#new-seeds-fault').innerText())
      .toContain('seeds[0] has a scheme that is not crawled');
    expect(await page.locator('#new-seeds-fault').innerText()).toContain('seeds[1] leads to an address');
    expect(await form().getByLabel('Seeds').getAttribute('aria-invalid')).toBe('true');
  });

  it('offers the host of the first seed as crawl id, and keeps what somebody wrote', async () => {
    await show('');
    await form().getByLabel('Seeds').fill('https://www.site.test/docs/');
    expect(await form().getByLabel('Crawl id').inputValue()).toBe('www.site.test');
    await form().getByLabel('Crawl id').fill('mine');
    await form().getByLabel('Seeds').fill('https://other.test/');
    expect(await form().getByLabel('Crawl id').inputValue()).toBe('mine');
  });

  it('sends one key with a request whose answer got lost, so that one crawl is made', async () => {
    await show('');
    await fillCrawl('once');
    const keys: (string | undefined)[] = [];
    await page.route('**/v1/crawls', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys.push((await route.request().allHeaders())['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await page.getByText('The server does not answer.').first().waitFor();
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await page.locator('.figures').waitFor();
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
    expect(await call('GET', '/v1/crawls?crawlId=once')).toHaveLength(1);
  });

  it('says that the crawler has no name, and sets it', async () => {
    await call('POST', '/config/create', { configId: 'nameless', params: {} });
    await show('');
    await form().getByText('Limits and configuration').click();
    await form().getByLabel('Configuration').selectOption('nameless');
    await form().getByLabel('Name of the crawler').fill('mybot');
    await page.keyboard.press('Enter');
    await page.getByText('The crawler of configuration nameless is called mybot.').waitFor();
    expect(await call('GET', '/config/nameless/http.agent.name')).toBe('mybot');
  });
});

describe('pages of strangers (reliability B7)', () => {
  /** Elements that no view makes, and addresses that no link may have. */
  const traces = () =>
    page.evaluate(() => ({
      made: document.querySelectorAll('main script, main img, main iframe, main svg, main style').length,
      links: [...document.querySelectorAll('a[href]')].filter(
        (link) => !/^(https?:|#)/.test((link as HTMLAnchorElement).protocol),
      ).length,
      unguarded: [...document.querySelectorAll('a[target="_blank"]')].filter(
        (link) => !/noopener/.test(link.getAttribute('rel') ?? ''),
      ).length,
    }));
  const none = { made: 0, links: 0, unguarded: 0 };

  it('a title with a script in it is text, in list, record and tab', async () => {
    await show('#/pages?crawlId=strangers');
    await page.getByRole('cell', { name: hostileTitle, exact: true }).waitFor();
    expect(await traces()).toEqual(none);
    await picture('pages');
    await page.getByRole('link', { name: `${site.url}/hostile`, exact: true }).click();
    await page.locator('.verdict').waitFor();
    expect(await page.locator('h1').innerText()).toBe(hostileTitle);
    expect(await page.title()).toBe(`${hostileTitle} · Orbweaver`);
    expect(await traces()).toEqual(none);
    const own = page.locator('a.outward');
    expect([await own.getAttribute('href'), await own.getAttribute('rel')]).toEqual([
      `${site.url}/hostile`,
      'noopener noreferrer',
    ]);
    await picture('record');
    expect(complaints).toEqual([]);
  });

  it('a redirect to javascript: is text, and so is the question about it', async () => {
    await show(recordOf('/moved'));
    await page.locator('.verdict').waitFor();
    expect(await page.locator('main').innerText()).toContain('javascript:alert(document.domain)');
    expect(await traces()).toEqual(none);
    await page.getByRole('textbox', { name: /Why was this URL/ }).fill('javascript:alert(1)');
    await page.getByRole('button', { name: 'Ask', exact: true }).first().click();
    await page.getByText('SCHEME', { exact: true }).waitFor();
    expect(await page.locator('section.card h2').innerText()).toBe('javascript:alert(1)');
    expect(await traces()).toEqual(none);
    expect(complaints).toEqual([]);
  });

  it('an inline script that got in all the same would not run', async () => {
    await show('');
    const blocked = await page.evaluate(async () => {
      const told = new Promise<string>((resolve) =>
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective)),
      );
      const script = document.createElement('div');
      try {
        script.innerHTML = '<b>markup</b>';
      } catch {
        return told;
      }
      return 'markup was made';
    });
    expect(blocked).toBe('require-trusted-types-for');
  });
});

describe('why not', () => {
  it('names the line of robots.txt, asked from the search box', async () => {
    await show('#/pages?crawlId=strangers');
    await page.getByRole('textbox', { name: /Why was this URL/ }).fill(`${site.url}/private/plans`);
    await page.keyboard.press('Enter');
    await page.locator('.verdict').waitFor();
    const said = await page.locator('main').innerText();
    expect(said).toContain('It is not fetched now.');
    expect(said).toContain('robots.txt line 3: Disallow: /private/');
    expect(said).toContain('Judged by configuration loop.');
    expect(await page.locator('.reasons .bad code').first().innerText()).toBe('ROBOTS_DENIED');
    await picture('why');
    expect(complaints).toEqual([]);
  });

  it('names the filter and its rule, and shows the way there', async () => {
    await show(whyOf('/a/../b?session=1'));
    await page.locator('.verdict').waitFor();
    const steps = await page.locator('ol.reasons').innerText();
    expect(steps).toMatch(/Normalizer urlnormalizer-basic makes it \S+\/b\?session=1/);
    expect(steps).toMatch(/Filter urlfilter-regex drops it\.\s+rule \d+: -/);
    await picture('why-filter');
  });

  it('asks robots.txt of a record on demand only', async () => {
    const before = site.log.length;
    await show(recordOf('/a'));
    await page.locator('.verdict').waitFor();
    expect(site.log.length).toBe(before);
    await page.getByRole('button', { name: 'Ask robots.txt too' }).click();
    await page.getByText(/robots.txt allows it/).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('the list of pages', () => {
  it('is filtered, and read on by cursor', { timeout: 60_000 }, async () => {
    const seed = Array.from({ length: 60 }, (_, n) => `http://site${n % 2}.test/${n}`).join('\n');
    const { id } = await call<{ id: string }>('POST', '/job/create', {
      type: 'INJECT',
      crawlId: 'many',
      confId: 'loop',
      args: { seed },
    });
    await ended('/job', id);
    await show('#/pages?crawlId=many');
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole('button', { name: 'More' }).click();
    await expect.poll(() => rows.count()).toBe(60);
    expect(await page.getByRole('button', { name: 'More' }).isVisible()).toBe(false);
    await page.getByLabel('Host', { exact: true }).fill('site1.test');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => rows.count()).toBe(30);
    await page.getByLabel('Status').selectOption('db_fetched');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No page is like that.').waitFor();
    await page.getByLabel('URL begins with').fill('http://');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => page.locator('#filter-prefix-fault').innerText()).toContain('prefix must be');
  });
});

describe('for everybody', () => {
  it(
    'needs no mouse: a crawl is started by keyboard alone, and the focus is always seen',
    { timeout: 60_000 },
    async () => {
      await show('');
      await page.locator('.card.job').first().waitFor();
      const seen: string[] = [];
      const focused = () =>
        page.evaluate(() => {
          const here = document.activeElement as HTMLElement;
          return { name: here.id || here.textContent.trim(), outline: getComputedStyle(here).outlineStyle };
        });
      const tabTo = async (name: string) => {
        for (let n = 0; n < 60; n++) {
          await page.keyboard.press('Tab');
          const now = await focused();
          seen.push(now.outline);
          if (now.name === name) return;
        }
        throw new Error(`Tab does not lead to ${name}`);
      };
      await tabTo('To the content');
      await tabTo('new-seeds');
      await page.keyboard.type(`${site.url}/a`);
      await tabTo('new-crawlId');
      await page.keyboard.type('keys');
      await tabTo('Limits and configuration');
      await page.keyboard.press('Enter');
      await tabTo('new-confId');
      await page.keyboard.type('loop');
      await tabTo('new-rounds');
      await page.keyboard.type('1');
      await page.keyboard.press('Enter');
      await page.locator('.figures').waitFor();
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
      await page.locator('.title .badge.good').waitFor({ timeout: 30_000 });
      expect([...new Set(seen)]).toEqual(['solid']);
      expect(complaints).toEqual([]);
    },
  );

  it.each(views)(
    '%s: names, headings, landmarks and contrast are in order, in light and dark',
    async (name, hash, ready) => {
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await show(hash());
        await page.locator(ready).first().waitFor();
        expect(await page.evaluate(barriers)).toEqual([]);
        await picture(`${name}-${colorScheme}`);
      }
      expect(complaints).toEqual([]);
    },
  );

  it.each(views)('%s fits into 360 pixels', async (name, hash, ready) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await show(hash());
    await page.locator(ready).first().waitFor();
    await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await picture(`${name}-narrow`);
  });

  it('asks nobody but its own server, and complains of nothing', async () => {
    for (const [, hash, ready] of views) {
      await show(hash());
      await page.locator(ready).first().waitFor();
    }
    expect([...new Set(asked.map((url) => url.origin))]).toEqual([server.url]);
    expect(complaints).toEqual([]);
  });

  it('rests while nobody looks', async () => {
    await page.clock.install();
    await show('');
    await page.locator('.card.job').first().waitFor();
    const hide = (hidden: boolean) =>
      page.evaluate((value) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => value });
        document.dispatchEvent(new Event('visibilitychange'));
      }, hidden);
    const polls = () => asked.filter(({ pathname }) => pathname === '/job').length;
    await hide(true);
    await page.clock.runFor(10_000);
    const before = polls();
    await page.clock.runFor(60_000);
    expect(polls()).toBe(before);
    await hide(false);
    await expect.poll(polls).toBeGreaterThan(before);
  });

  it('says without JavaScript where the API is', async () => {
    const plain = await openPage({ javaScriptEnabled: false });
    await plain.goto(server.url);
    expect(await plain.locator('main').innerText()).toContain('This page needs JavaScript.');
    expect(await plain.locator('main').innerText()).toContain('GET /v1/crawls');
    await plain.close();
  });
});

describe('with API keys', () => {
  let locked: Server;
  const secret = { read: 'a-key-that-may-read-and-no-more', run: 'a-key-that-may-start-crawls-too' };
  beforeAll(async () => {
    locked = await startServer({ databaseUrl: db.url, env: { API_KEYS: `read:${secret.read},run:${secret.run}` } });
  });
  afterAll(() => locked?.stop());

  it('asks by HTTP Basic, even for the page itself', async () => {
    for (const path of ['/', '/dashboard/dashboard.js', '/dashboard/none']) {
      const answer = await fetch(locked.url + path);
      expect([path, answer.status, answer.headers.get('www-authenticate')]).toEqual([
        path,
        401,
        expect.stringMatching(/^Basic /),
      ]);
    }
  });

  it(
    'shows all that a reading key may see, and takes a better key where one is needed',
    { timeout: 60_000 },
    async () => {
      const mine = await openPage({ httpCredentials: { username: 'me', password: secret.read } });
      await mine.goto(locked.url);
      await mine.locator('.card.job').first().waitFor();
      const start = mine.getByRole('form', { name: 'Start a crawl' });
      await start.getByLabel('Crawl id').fill('strangers');
      await start.getByText('Limits and configuration').click();
      await start.getByLabel('Configuration').selectOption('loop');
      complaints.length = 0;
      await start.getByRole('button', { name: 'Start crawl' }).click();
      await mine.getByText('This call needs the scope "run"; the key has "read".').first().waitFor();
      await mine.screenshot({ path: join(pictures, 'sign-in.png'), fullPage: true });
      await mine.getByLabel('API key, kept in this tab').fill(secret.run);
      await mine.getByRole('button', { name: 'Use this key' }).click();
      await start.getByLabel('Crawl id').fill('strangers');
      await start.getByRole('button', { name: 'Start crawl' }).click();
      await mine
        .locator('.log li')
        .filter({ hasText: 'finished: OK: nothing more is due' })
        .waitFor({ timeout: 30_000 });
      expect(await mine.evaluate(() => Object.values(sessionStorage))).toEqual([secret.run]);
      // The browser itself tells of the refusal; nothing else is wrong.
      expect(complaints.filter((text) => !text.includes('403'))).toEqual([]);
      await mine.close();
    },
  );
});
