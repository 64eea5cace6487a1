import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MemoryBudget } from '../../src/core/queueing/memory-budget.js';
import { documentBudget } from '../../src/cycle/sitemap/document-budget.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { page } from '../support/site.js';
import { entry, sitemapsOf, urlset, xml } from './sitemaps.js';

const never = new AbortController().signal;
/** Whether a promise is settled by now. */
const isSettled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), sleep(20).then(() => false)]);

describe('the memory budget for documents', () => {
  it('is shared by reservations that fit and granted in order of request', async () => {
    const budget = new MemoryBudget(100);
    const [first, second, large, small] = Array.from({ length: 4 }, () => budget.reservation(never));
    expect(await first!.reserve(60)).toBe(true);
    expect(await second!.reserve(40)).toBe(true);
    const largeIn = large!.reserve(80);
    const smallIn = small!.reserve(10);
    second!.shrink(10);
    expect(await isSettled(smallIn)).toBe(false);
    first!.shrink(0);
    expect(await largeIn).toBe(true);
    expect(await smallIn).toBe(true);
  });

  it('is granted alone to a reservation larger than the whole budget', async () => {
    const budget = new MemoryBudget(100);
    const [huge, next] = [budget.reservation(never), budget.reservation(never)];
    expect(await huge.reserve(1_000)).toBe(true);
    const nextIn = next.reserve(1);
    expect(await isSettled(nextIn)).toBe(false);
    huge.shrink(0);
    expect(await nextIn).toBe(true);
  });

  it('drops the pending reservation of an aborted job and grants the ones queued after it', async () => {
    const budget = new MemoryBudget(100);
    const end = new AbortController();
    const [first, ending, next] = [
      budget.reservation(never),
      budget.reservation(end.signal),
      budget.reservation(never),
    ];
    await first.reserve(60);
    const endingIn = ending.reserve(80);
    const nextIn = next.reserve(40);
    end.abort();
    expect(await endingIn).toBe(false);
    expect(await nextIn).toBe(true);
    expect(await ending.reserve(1)).toBe(false);
  });
});

describe('SITEMAP', () => {
  let cycle: Cycle;
  let { site, closeSites, run, paths } = {} as ReturnType<typeof sitemapsOf>;
  beforeAll(async () => {
    cycle = await openCycle();
    ({ site, closeSites, run, paths } = sitemapsOf(cycle));
  });
  afterEach(() => closeSites());
  afterAll(() => cycle.close());

  it.each([
    ['plain', (text: string) => page(text, xml)],
    ['gzip as a file', (text: string) => page(gzipSync(text), xml)],
    ['gzip as content coding', (text: string) => page(gzipSync(text), { ...xml, 'content-encoding': 'gzip' })],
  ])('reads a document only when the memory budget allows it: %s', async (name, answer) => {
    const one = await site((url) => ({
      '/m': answer(`<urlset>${entry(`${url}/a`)}</urlset>`),
      '/n': urlset(entry(`${url}/b`)),
    }));
    const crawlId = name.replaceAll(' ', '-');
    const others = documentBudget.reservation(never);
    expect(await others.reserve(Infinity)).toBe(true);
    const job = run(crawlId, { sitemapUrls: [`${one.url}/m`, `${one.url}/n`] });
    while (!one.log.some(({ path }) => path === '/m')) await sleep(20);
    await sleep(200);
    const during = await paths(crawlId);
    others.shrink(0);
    await job;
    expect(during).toEqual([]);
    expect(await paths(crawlId)).toEqual(['/a', '/b']);
    const all = documentBudget.reservation(never);
    expect(await isSettled(all.reserve(Infinity))).toBe(true);
    all.shrink(0);
  });
});
