import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  db,
  ended,
  figures,
  openGate,
  openPage,
  page,
  recordOf,
  server,
  show,
  shutGate,
  site,
  startCrawl,
} from './stage.js';

/** What views say: while they load, without parameters, and in other languages. */

describe('a view', () => {
  it.each(['crawl', 'job'])('of a %s that its address does not name says so', async (name) => {
    await page.goto(`${server.url}/#/${name}`);
    await page.getByText(`The address of this view names no ${name}.`).waitFor();
    expect(await page.locator('h1').innerText()).toBe('This cannot be shown');
  });

  it('says that it loads until the API answers', async () => {
    const answered = Promise.withResolvers<void>();
    await page.route('**/v1/crawls/strangers-*', async (route) => (await answered.promise, route.continue()));
    const words = () => page.locator('main').evaluate((main) => getComputedStyle(main, '::before').content);
    await page.goto(`${server.url}/#/crawl?id=strangers-loop-CRAWL-1`);
    await expect.poll(words).toBe('"Loading …"');
    answered.resolve();
    await page.locator('h1').waitFor();
    expect(await words()).toBe('none');
  });

  it('writes all numbers in the language of the browser', async () => {
    const german = await openPage({ locale: 'de-DE' });
    await german.goto(`${server.url}/#/crawl?id=strangers-loop-CRAWL-1`);
    const pace = german.locator('.figures div').filter({ hasText: 'Pages/s' }).locator('dd');
    await expect.poll(() => pace.innerText()).toMatch(/^[\d.]+,\d$/);
    await german.context().close();
  });
});

describe('a view of crawls', () => {
  /** While it is closed, no statistics are answered. */
  const holdStatistics = async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    await page.route('**/db/crawldb', async (route) => (await promise, route.continue()));
    return resolve;
  };

  it('shows the events of a crawl before the number of its waiting pages', async () => {
    const answer = await holdStatistics();
    await show('#/crawl?id=strangers-loop-CRAWL-1');
    await page.locator('.log li').first().waitFor();
    expect(await figures()).toMatchObject({ 'Not fetched': '–' });
    answer();
    await expect.poll(figures).toMatchObject({ 'Not fetched': '0' });
  });

  it('shows the list before the numbers of waiting pages', async () => {
    shutGate();
    const { id } = await startCrawl('uncounted');
    const answer = await holdStatistics();
    await show('');
    await page.locator('.card.job').filter({ hasText: id }).waitFor();
    answer();
    openGate();
    await ended('/v1/crawls', id);
  });

  it('continues with older ones at the first of them, for keyboards too', async () => {
    await db.query(
      `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, state, msg, plan, result, created_at, started_at, ended_at)
       select id || '0' || n, 100000 + n, crawl, crawl_id, conf_id, conf_hash, type, args, state, msg, plan, result, created_at, started_at, ended_at
         from job cross join generate_series(1, 25) n where id = 'strangers-loop-CRAWL-1'`,
      [],
    );
    await show('');
    const more = page.getByRole('button', { name: 'Show older ones' });
    await more.focus();
    await page.keyboard.press('Enter');
    const focused = () => page.evaluate(() => document.activeElement?.closest('.card.job') !== null);
    await expect.poll(focused).toBe(true);
    await db.query('delete from job where number >= 100000', []);
  });
});

describe('a view that could not be read', () => {
  it.each([
    ['the server did not answer', (route: Route) => route.abort()],
    ['the server was not ready', (route: Route) => route.fulfill({ status: 503, json: { detail: 'Not ready.' } })],
  ])('is read again at the press of a button: %s', async (_what, answer) => {
    await page.route('**/v1/pages/**', answer);
    await show(recordOf('/a'));
    await page.getByText(/does not answer|Not ready/).waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'Page A' }).waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });

  it('offers that only where it may help', async () => {
    await show('#/job?id=none');
    await page.getByRole('alert').waitFor();
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  });
});

describe('the search box of the header', () => {
  it('takes a URL of any length that the API takes', async () => {
    await show(recordOf('/a'));
    const url = `${site.url}/${'long/'.repeat(1_200)}end`;
    await page.getByRole('textbox', { name: /Why was this URL/ }).focus();
    await page.keyboard.insertText(url);
    await page.keyboard.press('Enter');
    await expect.poll(() => new URLSearchParams(new URL(page.url()).hash.slice(6)).get('url')).toBe(url);
  });
});

describe('the filters of pages', () => {
  it('wait for the choice of a crawl if none is named', async () => {
    await show('#/pages');
    await page.getByLabel('Host', { exact: true }).fill(new URL(site.url).hostname);
    await page.getByLabel('URL begins with').fill(`${site.url}/a/1`);
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => new URL(page.url()).hash).toContain('prefix=');
    await page.getByRole('link', { name: 'strangers', exact: true }).click();
    await page.getByText('1 page', { exact: true }).waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
  });
});
