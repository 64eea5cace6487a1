import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Browser, Page } from 'playwright-core';
import { type Server, startServer } from '../support/server.js';
import { type Site, page as htmlPage, startSite } from '../support/site.js';
import { PATIENCE_MS } from '../support/patience.js';
import { openBrowser } from './chromium.js';

/**
 * A page of another site, opened in a real browser next to a server without keys (the browser of the tests does not even enforce
 * the same-origin policy): whatever such a page makes the
 * browser send, it creates no seed list, starts no job and stops none.
 */

let server: Server;
let evil: Site;
let browser: Browser;
let page: Page;
/** Statuses of the responses to requests of the page, by method and path. */
let answers: Map<string, number | 'blocked'>;
let sent: Set<string>;
beforeAll(async () => {
  server = await startServer();
  evil = await startSite({ '/': htmlPage('<!doctype html><title>prizes</title><body>') }, { host: '127.0.0.2' });
  browser = await openBrowser();
});
afterAll(async () => {
  await browser?.close();
  await evil?.close();
  await server?.stop();
});
beforeEach(async () => {
  [answers, sent] = [new Map(), new Set()];
  page = await browser.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  const lineOf = (method: string, url: string) => `${method} ${new URL(url).pathname}`;
  page.context().on('request', (one) => void sent.add(lineOf(one.method(), one.url())));
  page.context().on('response', (one) => void answers.set(lineOf(one.request().method(), one.url()), one.status()));
  // The browser blocks some responses from the page: then no status is visible.
  page.context().on('requestfailed', (one) => void answers.set(lineOf(one.method(), one.url()), 'blocked'));
  // Another address is another site to the browser.
  await page.goto(evil.url);
});
afterEach(() => page?.close());

const get = async (path: string): Promise<unknown> => (await fetch(server.url + path)).json();
/** The state that a page could have changed. */
const state = async () => ({
  jobs: await get('/job'),
  seeds: await get('/seed'),
  confs: await get('/config'),
  crawls: await get('/v1/crawls'),
});
const refused = (line: string) =>
  expect.poll(() => answers.get(line), { timeout: PATIENCE_MS }).toBeOneOf([403, 'blocked']);

const seedList = JSON.stringify({ name: 'theirs', seedUrls: [{ url: 'http://evil.test/' }] });
const job = JSON.stringify({ type: 'INJECT', crawlId: 'theirs', args: { seed: 'http://evil.test/' } });
const crawl = JSON.stringify({ crawlId: 'theirs', seeds: ['http://evil.test/'], rounds: 1 });
const conf = JSON.stringify({ configId: 'theirs', params: { 'http.filter.ipaddress.exclude': '' } });

describe('a page of another site in a browser', () => {
  it.each([
    ['/seed/create', seedList],
    ['/job/create', job],
    ['/v1/crawls', crawl],
    ['/config/create', conf],
    ['/db/crawldb', JSON.stringify({ type: 'stats', crawlId: 'theirs' })],
    ['/admin/stop?force=true', ''],
  ])('gets POST %s refused by fetch, form and beacon, with JSON as text', async (path, body) => {
    const before = await state();
    const url = server.url + path;
    const line = `POST ${new URL(url).pathname}`;
    const types = [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/json',
    ];
    for (const type of types) {
      answers.clear();
      await page.evaluate(
        ([to, content, text]) =>
          fetch(to!, {
            method: 'POST',
            mode: content === 'application/json' ? 'cors' : 'no-cors',
            credentials: 'include',
            headers: { 'content-type': content! },
            body: text!,
          }).then(
            () => undefined,
            () => undefined,
          ),
        [url, type, body],
      );
      // A request that is not simple needs a preflight, which is refused.
      if (type === 'application/json') expect([undefined, 403, 'blocked']).toContain(answers.get(line));
      else await refused(line);
    }
    answers.clear();
    await page.evaluate(
      ([to, text]) => navigator.sendBeacon(to!, new Blob([text!], { type: 'text/plain' })),
      [url, body],
    );
    await expect.poll(() => sent.has(line)).toBe(true);
    // `{"a":"b=` and `"}`: a plain-text form whose only field parses as JSON.
    await page.evaluate(
      ([to, text]) => {
        const form = document.createElement('form');
        Object.assign(form, { method: 'POST', action: to!, enctype: 'text/plain', target: 'frame' });
        const frame = Object.assign(document.createElement('iframe'), { name: 'frame' });
        const field = Object.assign(document.createElement('input'), {
          name: `${text!.slice(0, -1)},"x":"`,
          value: '"}',
        });
        form.append(field);
        document.body.append(frame, form);
        form.submit();
      },
      [url, body || '{}'],
    );
    await refused(line);
    expect(await state()).toEqual(before);
  });

  it.each([
    ['an image', (url: string) => void Object.assign(new Image(), { src: url })],
    [
      'a script',
      (url: string) => void document.body.append(Object.assign(document.createElement('script'), { src: url })),
    ],
    [
      'a frame',
      (url: string) => void document.body.append(Object.assign(document.createElement('iframe'), { src: url })),
    ],
    [
      'a style sheet',
      (url: string) =>
        void document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: url })),
    ],
    ['a link that opens a window', (url: string) => void window.open(url)],
    ['a link without a referrer', (url: string) => void window.open(url, '_blank', 'noopener,noreferrer')],
    ['fetch without cors', (url: string) => void fetch(url, { mode: 'no-cors', referrerPolicy: 'no-referrer' })],
    ['a navigation', (url: string) => void (location.href = url)],
  ])('cannot stop jobs or the server by %s', async (_what, send) => {
    const made = (await (
      await fetch(`${server.url}/job/create`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ type: 'GENERATE', crawlId: 'ours', args: {} }),
      })
    ).json()) as { id: string };
    for (const path of ['/admin/stop?force=true', `/job/${made.id}/stop`, `/job/${made.id}/abort`]) {
      // The navigation that was refused last may not have ended, and then interrupts this one.
      await expect
        .poll(() =>
          page.goto(evil.url).then(
            () => true,
            () => false,
          ),
        )
        .toBe(true);
      await page.evaluate(send, server.url + path).catch(() => undefined);
      await refused(`GET ${path.split('?')[0]}`);
    }
    const { state: ended } = (await get(`/job/${made.id}`)) as { state: string };
    expect(['KILLED', 'STOPPING', 'KILLING']).not.toContain(ended);
    expect(await get('/health/ready')).toEqual({ status: 'ok' });
  });

  it('gets no CORS header', async () => {
    for (const method of ['GET', 'OPTIONS']) {
      const { headers } = await fetch(`${server.url}/config/default`, { method, headers: { origin: evil.url } });
      expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
    }
  });
});
