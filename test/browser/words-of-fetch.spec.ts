import { expect, it } from 'vitest';
import type { CrawlProgress } from '../../clients/typescript/src/generated/schemas.js';
import { figuresOf, progressLine } from '../../src/commands/crawl/progress.js';
import { call, figures, openGate, page, show, shutGate, startCrawl, useStage } from './stage.js';

/**
 * How far a fetch is, in one set of words: `msg` of the job, the tiles and the list of the page for people, the line of the
 * command line, and metrics say fetched, failed, redirects, denied and waiting, with the same numbers.
 */

useStage();

/** `{ fetched: 4, 'denied by robots.txt': 1 }` of `4 fetched, 1 denied by robots.txt`. */
const wordsOf = (text: string) =>
  Object.fromEntries(
    [...text.matchAll(/(\d+) (fetched|failed|redirects?|denied by robots\.txt|waiting)/g)].map(([, n, word]) => [
      word!.replace(/s$/, ''),
      Number(n),
    ]),
  );
/** In the order in which a reader meets them. */
const order = ['fetched', 'failed', 'redirect', 'denied by robots.txt', 'waiting'];

it('of a FETCH that is under way, everywhere', async () => {
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
  // The seed is in: the second round holds the two slow pages.
  const crawl = () => call<CrawlProgress>('GET', `/v1/crawls/${id}`);
  const fetchOf = async () => (await crawl()).children?.findLast(({ type }) => type === 'FETCH');
  await expect.poll(async () => (await fetchOf())?.msg).toContain('2 waiting; ');
  const msg = (await fetchOf())!.msg;
  // Of this FETCH, and of the whole crawl: the first round has fetched one page.
  const job = { fetched: 3, failed: 2, redirect: 1, 'denied by robots.txt': 1, waiting: 2 };
  const whole = { ...job, fetched: 4 };
  expect(wordsOf(msg)).toEqual(job);
  expect(Object.keys(wordsOf(msg))).toEqual(order);

  const line = progressLine(figuresOf(await crawl(), 2), 0, 200);
  expect(wordsOf(line)).toEqual(whole);
  expect(Object.keys(wordsOf(line))).toEqual(order);

  await show('');
  const counts = page.locator('.card.job').filter({ hasText: id }).locator('.counts');
  await expect.poll(async () => wordsOf(await counts.innerText())).toEqual(whole);
  expect(Object.keys(wordsOf(await counts.innerText()))).toEqual(order);
  await show(`#/crawl?id=${id}`);
  await expect
    .poll(figures)
    .toMatchObject({ Fetched: '4', Failed: '2', Redirects: '1', 'Robots denied': '1', Waiting: '2' });

  const visited = { ...job, fetched: 4, waiting: undefined };
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
