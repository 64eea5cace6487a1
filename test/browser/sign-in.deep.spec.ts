import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Server, startServer } from '../support/server.js';
import { barriers } from './barriers.js';
import {
  asked,
  complaints,
  db,
  openGate,
  openPage,
  pictures,
  recordOf,
  shutGate,
  startCrawl,
  useStage,
} from './stage.js';

/** Signing in at `/` of a server with keys: who is admitted, what each scope sees, and signing out. */

useStage();

const secret = {
  read: 'a-key-that-may-read-and-no-more',
  run: 'a-key-that-may-start-crawls-too',
  admin: 'a-key-that-may-do-everything',
};
const PASSWORD = 'a-long-päss:word';
const env = {
  API_KEYS: `reader:read:${secret.read},run:${secret.run},${secret.admin}`,
  METRICS_TOKEN: 'a-token-that-reads-the-metrics',
  RESTAPI_AUTH: 'BASIC',
  RESTAPI_AUTH_USERS: `bob|${PASSWORD}|user`,
};

let locked: Server;
beforeAll(async () => {
  locked = await startServer({ databaseUrl: db.url, env });
});
afterAll(() => locked?.stop());

/** The browser itself reports responses 401 and 403; there must be no other errors. */
const unexpectedErrors = () => complaints.filter((text) => !/\b40[13]\b/.test(text));
const heading = (mine: Page) => mine.getByRole('heading', { level: 1 });

async function signIn(mine: Page, key: string): Promise<void> {
  await mine.getByLabel('API key').fill(key);
  await mine.getByRole('button', { name: 'Sign in' }).click();
}

/** A fresh tab at a view, with a key. */
async function open(key: string, hash = ''): Promise<Page> {
  const mine = await openPage();
  await mine.goto(`${locked.url}/${hash}`);
  await signIn(mine, key);
  return mine;
}

describe('the dashboard without a key', () => {
  it('shows only a sign-in form, without a browser dialog', async () => {
    const mine = await openPage();
    const answers: [path: string, status: number, challenge: string | undefined][] = [];
    mine.on('response', (answer) => {
      answers.push([new URL(answer.url()).pathname, answer.status(), answer.headers()['www-authenticate']]);
    });
    await mine.goto(locked.url);
    await heading(mine).filter({ hasText: 'Sign in' }).waitFor();
    expect(answers.filter(([path]) => path === '/' || path.startsWith('/dashboard/')).every(([, n]) => n === 200)).toBe(
      true,
    );
    // Chromium opens its dialog only for a Basic challenge.
    const refused = answers.filter(([, status]) => status === 401);
    expect(refused).toEqual([['/v1/crawls', 401, 'Bearer realm="Nutch REST API Realm"']]);
    expect(await mine.getByRole('navigation').count()).toBe(0);
    expect(await mine.getByRole('search').count()).toBe(0);
    await expect.poll(() => mine.evaluate(() => document.activeElement?.id)).toBe('key');
    expect(unexpectedErrors()).toEqual([]);
    await mine.close();
  });

  it.each(['light', 'dark'] as const)(
    'has no accessibility violations (%s) and fits into 360 pixels',
    async (colorScheme) => {
      const mine = await openPage({ colorScheme });
      await mine.goto(locked.url);
      await heading(mine).waitFor();
      await signIn(mine, 'a-key-that-nobody-has-made');
      await mine.getByText('The server does not know this key.').waitFor();
      await mine.getByText('With a name and a password').click();
      expect(await mine.evaluate(barriers)).toEqual([]);
      await mine.screenshot({ path: join(pictures, `sign-in-${colorScheme}.png`), fullPage: true });
      await mine.setViewportSize({ width: 360, height: 740 });
      expect(await mine.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
      await mine.screenshot({ path: join(pictures, `sign-in-${colorScheme}-narrow.png`), fullPage: true });
      await mine.close();
    },
  );

  it('refuses a wrong key without storing it, and accepts the right one', async () => {
    const mine = await openPage();
    await mine.goto(`${locked.url}/#/pages?crawlId=strangers`);
    for (const wrong of ['a-key-that-nobody-has-made', 'a key with blanks in it', 'ein-schlüssel-mit-ü']) {
      await signIn(mine, wrong);
      await mine.getByText('The server does not know this key.').waitFor();
      expect(await mine.evaluate(() => Object.values(sessionStorage))).toEqual([]);
    }
    await signIn(mine, secret.read);
    // The requested view.
    await mine.locator('tbody tr').first().waitFor();
    expect(await heading(mine).innerText()).toBe('Pages');
    expect(await mine.evaluate(() => Object.values(sessionStorage))).toEqual([secret.read]);
    expect([mine.url(), await mine.evaluate(() => document.cookie)]).toEqual([
      `${locked.url}/#/pages?crawlId=strangers`,
      '',
    ]);
    expect(asked.map(String).filter((url) => url.includes(secret.read))).toEqual([]);
    expect(unexpectedErrors()).toEqual([]);
    await mine.close();
  });
});

describe('the dashboard with a key', () => {
  it('reports a download that fails', async () => {
    const mine = await open(secret.read, recordOf('/a'));
    await mine.route('**/content?*', (route) => route.abort());
    await mine.getByRole('link', { name: 'bytes' }).click();
    await expect.poll(() => mine.locator('#status').innerText()).toBe('The server does not answer.');
    await mine.close();
  });

  it('stays signed in after a reload, and signs out', async () => {
    const mine = await open(secret.read);
    await mine.locator('.card.job').first().waitFor();
    await mine.reload();
    await mine.locator('.card.job').first().waitFor();
    await mine.getByRole('button', { name: 'Sign out (read)' }).click();
    await mine.getByText('You have signed out.').waitFor();
    expect(await mine.evaluate(() => Object.values(sessionStorage))).toEqual([]);
    expect(await mine.locator('main').innerText()).not.toContain('strangers');
    await mine.reload();
    await heading(mine).filter({ hasText: 'Sign in' }).waitFor();
    await mine.close();
  });

  it('that is revoked returns to the sign-in form and accepts another key', async () => {
    const brief = await startServer({ databaseUrl: db.url, env: { API_KEYS: secret.run } });
    const port = Number(new URL(brief.url).port);
    const mine = await openPage();
    await mine.goto(brief.url);
    await signIn(mine, secret.run);
    await mine.locator('.card.job').first().waitFor();
    await brief.stop();
    const next = await startServer({ databaseUrl: db.url, env: { API_KEYS: secret.admin, PORT: String(port) } });
    await mine.getByText('The server does not take this key any more. Sign in again.').waitFor();
    await signIn(mine, secret.admin);
    await mine.locator('.card.job').first().waitFor();
    await mine.close();
    await next.stop();
  });

  it('of scope read shows no buttons of higher scopes, and accepts a key of scope run', async () => {
    shutGate();
    const { id } = await startCrawl('reading');
    const mine = await open(secret.read);
    const card = mine.locator('.card.job').filter({ hasText: id });
    await card.waitFor();
    expect(await card.getByRole('button').count()).toBe(0);
    expect(await mine.getByRole('form', { name: 'Start a crawl' }).count()).toBe(0);
    await mine.getByText('Starting a crawl needs a key with the scope “run”; this one has “read”.').waitFor();
    await mine.screenshot({ path: join(pictures, 'read-key.png'), fullPage: true });
    await mine.getByRole('button', { name: 'Use another key' }).click();
    await mine.getByLabel('API key, kept in this tab').fill('a-key-that-nobody-has-made');
    await mine.getByRole('button', { name: 'Use this key' }).click();
    await mine.getByText('The server does not know this key.').waitFor();
    await mine.screenshot({ path: join(pictures, 'better-key.png'), fullPage: true });
    // A failed attempt does not end the session.
    expect(await mine.evaluate(() => Object.values(sessionStorage))).toEqual([secret.read]);
    await mine.getByLabel('API key, kept in this tab').fill(secret.run);
    await mine.getByRole('button', { name: 'Use this key' }).click();
    const start = mine.getByRole('form', { name: 'Start a crawl' });
    await start.waitFor();
    await card.getByRole('button', { name: `stop ${id}` }).click();
    openGate();
    await card.getByText('finished', { exact: true }).waitFor();
    await start.getByLabel('Crawl id').fill('strangers');
    await start.getByText('Limits and configuration').click();
    await start.getByLabel('Configuration').selectOption('loop');
    await start.getByRole('button', { name: 'Start crawl' }).click();
    await mine.locator('.log li').filter({ hasText: 'finished: nothing more is due' }).waitFor();
    expect(await mine.evaluate(() => Object.values(sessionStorage))).toEqual([secret.run]);
    expect(unexpectedErrors()).toEqual([]);
    await mine.close();
  });

  it('shows files of the API with the key, which a plain link cannot send', async () => {
    const mine = await open(secret.read);
    await mine.getByRole('link', { name: 'Metrics' }).click();
    await mine.locator('pre').filter({ hasText: 'orbweaver_' }).waitFor();
    await mine.getByRole('link', { name: 'Health' }).click();
    await mine.locator('pre').filter({ hasText: '"status"' }).waitFor();
    await mine.goto(`${locked.url}/#/pages?crawlId=strangers`);
    await mine.locator('tbody a').first().click();
    await mine.getByRole('link', { name: 'text', exact: true }).click();
    await mine.locator('pre.file').filter({ hasText: 'The front page' }).waitFor();
    await mine.goBack();
    const [download] = await Promise.all([
      mine.waitForEvent('download'),
      mine.getByRole('link', { name: 'bytes', exact: true }).click(),
    ]);
    expect(await download.failure()).toBeNull();
    await mine.goto(`${locked.url}/#/file?path=admin/stop`);
    await mine.getByText('This is no file that can be shown here.').waitFor();
    expect(unexpectedErrors()).toEqual([]);
    await mine.close();
  });

  it('of scope metrics gets a message and no view', async () => {
    const mine = await open(env.METRICS_TOKEN);
    await mine.locator('#status').filter({ hasText: 'needs the scope "read"; the key has "metrics"' }).waitFor();
    await mine.getByRole('button', { name: 'Sign out (metrics)' }).click();
    await heading(mine).filter({ hasText: 'Sign in' }).waitFor();
    await mine.close();
  });
});

describe('the dashboard with name and password of RESTAPI_AUTH_USERS', () => {
  it('shows a job without events and a crawl without its table, with stop and abort', async () => {
    shutGate();
    const { id } = await startCrawl('watched');
    const mine = await openPage();
    await mine.goto(`${locked.url}/#/crawl?id=${id}`);
    await mine.getByText('With a name and a password').click();
    await mine.getByLabel('Name', { exact: true }).fill('bob');
    await signIn(mine, 'some-other-password');
    await mine.getByText('The server does not know this name with this password.').waitFor();
    await signIn(mine, PASSWORD);
    const refused = mine.locator('.log li').filter({ hasText: 'needs the scope' });
    await refused.waitFor();
    await expect.poll(() => mine.locator('.figures').innerText()).toMatch(/Fetched\s+[1-9]/i);
    expect(await mine.locator('progress').isVisible()).toBe(false);
    await expect.poll(() => mine.getByRole('navigation', { name: 'Views' }).innerText()).toBe('Crawls');
    await expect.poll(() => mine.locator('.title button').allInnerTexts()).toEqual(['Stop', 'Abort']);
    await mine.goto(`${locked.url}/#/job?id=${id}`);
    await refused.waitFor();
    await mine.locator('.title .badge').filter({ hasText: 'running' }).waitFor();
    openGate();
    await mine.locator('.title .badge').filter({ hasText: 'finished' }).waitFor();
    await expect.poll(() => mine.locator('#key-form').innerText()).toBe('');
    expect(unexpectedErrors()).toEqual([]);
    await mine.close();
  });
});
