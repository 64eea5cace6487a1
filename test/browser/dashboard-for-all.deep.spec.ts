import type { Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { barriers } from './barriers.js';
import {
  asked,
  complaints,
  hostileTitle,
  openGate,
  openPage,
  page,
  picture,
  recordOf,
  server,
  show,
  shutGate,
  site,
  startCrawl,
  useStage,
  views,
} from './stage.js';

/** The dashboard at `/` with hostile content, and its accessibility: keyboard, names, contrast, narrow screens. */

useStage();

describe('hostile content in the dashboard (reliability B7)', () => {
  /** Elements that no view creates, and addresses that no link may have. */
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

  it('shows a title with a script as text in list, record and tab', async () => {
    await show('#/pages?crawlId=strangers');
    await page.getByRole('cell', { name: hostileTitle, exact: true }).waitFor();
    expect(await traces()).toEqual(none);
    await picture('pages');
    await page.getByRole('link', { name: `${site.url}/hostile`, exact: true }).click();
    await page.locator('.verdict').waitFor();
    await expect.poll(() => page.locator('h1').innerText()).toBe(hostileTitle);
    await expect.poll(() => page.title()).toBe(`${hostileTitle} · Orbweaver`);
    expect(await traces()).toEqual(none);
    const own = page.locator('a.outward');
    expect([await own.getAttribute('href'), await own.getAttribute('rel')]).toEqual([
      `${site.url}/hostile`,
      'noopener noreferrer',
    ]);
    await picture('record');
    expect(complaints).toEqual([]);
  });

  it('shows a redirect to javascript: as text, also in the inspector', async () => {
    await show(recordOf('/moved'));
    await page.locator('.verdict').waitFor();
    await expect.poll(() => page.locator('main').innerText()).toContain('javascript:alert(document.domain)');
    expect(await traces()).toEqual(none);
    await page.getByRole('textbox', { name: /Why was this URL/ }).fill('javascript:alert(1)');
    await page.getByRole('button', { name: 'Ask', exact: true }).first().click();
    await page.getByText('SCHEME', { exact: true }).waitFor();
    await expect.poll(() => page.locator('section.card h2').innerText()).toBe('javascript:alert(1)');
    expect(await traces()).toEqual(none);
    expect(complaints).toEqual([]);
  });

  it('blocks markup by innerHTML with require-trusted-types-for', async () => {
    await show('');
    const blocked = await page.evaluate(async () => {
      const directive = new Promise<string>((resolve) =>
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective)),
      );
      const script = document.createElement('div');
      try {
        script.innerHTML = '<b>markup</b>';
      } catch {
        return directive;
      }
      return 'markup was made';
    });
    expect(blocked).toBe('require-trusted-types-for');
  });
});

describe('the address of a view', () => {
  it.each(['#/toString', '#/__proto__', '#/nowhere?a=b'])('%s names none', async (hash) => {
    await show(hash);
    await expect.poll(() => page.locator('h1').innerText()).toBe('There is nothing here');
    expect(complaints).toEqual([]);
  });

  it('may have an unencoded URL with a query', async () => {
    await show(`#/why?crawlId=strangers&url=${site.url}/a?b=c`);
    await expect.poll(() => page.locator('section.card h2').innerText()).toBe(`${site.url}/a?b=c`);
  });

  it('of a record without a URL says so', async () => {
    await show('#/page?crawlId=strangers');
    await expect.poll(() => page.locator('main').innerText()).toContain('The address of this view names no URL.');
  });
});

describe('a server that does not answer', () => {
  /** The addresses of requests that wait for an answer, streams of events excepted. */
  const unansweredRequests = (): Iterable<string> => {
    const waiting = new Map<Request, string>();
    page.on('request', (request) => {
      if (request.headers()['accept'] !== 'text/event-stream') waiting.set(request, request.url());
    });
    page.on('requestfinished', (request) => waiting.delete(request));
    page.on('requestfailed', (request) => waiting.delete(request));
    return { [Symbol.iterator]: () => waiting.values() };
  };

  it.each([
    ['the list of crawls', ''],
    ['a crawl', '#/crawl?id='],
    ['a job', '#/job?id='],
  ])('is reported in %s until it answers again', async (_, hash) => {
    shutGate();
    const { id } = await startCrawl(`away${hash.length}`);
    const unanswered = unansweredRequests();
    await page.clock.install();
    await show(hash && hash + id);
    await page.locator('.badge.live').first().waitFor();
    const notice = () => page.locator('#status').innerText();
    await page.route(`${server.url}/**`, (route) => route.abort());
    // The answer to a request that was sent before would revoke the notice.
    await expect.poll(() => [...unanswered]).toEqual([]);
    for (let second = 0; second < 40; second++) await page.clock.runFor(1_000);
    await expect.poll(notice).toBe('The server does not answer.');
    for (let second = 0; second < 12; second++) {
      await page.clock.runFor(1_000);
      expect(await notice()).toBe('The server does not answer.');
    }
    await page.unroute(`${server.url}/**`);
    await expect.poll(async () => (await page.clock.runFor(1_000), notice())).toBe('');
    openGate();
  });
});

describe('accessibility of the dashboard', () => {
  it('starts a crawl by keyboard only, with visible focus', async () => {
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
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('H1');
    await page.locator('.title .badge.good').waitFor();
    expect([...new Set(seen)]).toEqual(['solid']);
    expect(complaints).toEqual([]);
  });

  it.each(views)(
    '%s has valid names, headings, landmarks and contrast in light and dark',
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

  it.each(views)('%s fits into a width of 320 pixels (WCAG 2.2, 1.4.10)', async (name, hash, ready) => {
    await page.setViewportSize({ width: 320, height: 740 });
    await show(hash());
    await page.locator(ready).first().waitFor();
    await page.evaluate(() => document.querySelectorAll('details').forEach((details) => (details.open = true)));
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
    await picture(`${name}-narrow`);
  });

  it('sends requests only to its own server and logs no errors', async () => {
    for (const [, hash, ready] of views) {
      await show(hash());
      await page.locator(ready).first().waitFor();
    }
    expect([...new Set(asked.map((url) => url.origin))]).toEqual([server.url]);
    expect(complaints).toEqual([]);
  });

  it('does not poll while the tab is hidden', async () => {
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

  it('names the API without JavaScript', async () => {
    const plain = await openPage({ javaScriptEnabled: false });
    await plain.goto(server.url);
    expect(await plain.locator('main').innerText()).toContain('This page needs JavaScript.');
    expect(await plain.locator('main').innerText()).toContain('GET /v1/crawls');
    await plain.close();
  });
});
