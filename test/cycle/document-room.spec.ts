import { gzipSync } from 'node:zlib';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DocumentRoom, documentRoom } from '../../src/cycle/sitemap/document-room.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { page } from '../support/site.js';
import { entry, sitemapsOf, urlset, xml } from './sitemaps.js';

const never = new AbortController().signal;
/** Whether a promise is settled by now. */
const isSettled = (promise: Promise<unknown>): Promise<boolean> =>
  Promise.race([promise.then(() => true), sleep(20).then(() => false)]);

describe('the room for documents', () => {
  it('is shared by those that fit, and taken in the order of asking', async () => {
    const room = new DocumentRoom(100);
    const [first, second, large, small] = Array.from({ length: 4 }, () => room.place(never));
    expect(await first!.take(60)).toBe(true);
    expect(await second!.take(40)).toBe(true);
    const largeIn = large!.take(80);
    const smallIn = small!.take(10);
    second!.shrink(10);
    expect(await isSettled(smallIn)).toBe(false);
    first!.shrink(0);
    expect(await largeIn).toBe(true);
    expect(await smallIn).toBe(true);
  });

  it('is had alone by what is larger than all of it', async () => {
    const room = new DocumentRoom(100);
    const [huge, next] = [room.place(never), room.place(never)];
    expect(await huge.take(1_000)).toBe(true);
    const nextIn = next.take(1);
    expect(await isSettled(nextIn)).toBe(false);
    huge.shrink(0);
    expect(await nextIn).toBe(true);
  });

  it('is not waited for any longer by a job that ends, and lets those behind it in', async () => {
    const room = new DocumentRoom(100);
    const end = new AbortController();
    const [first, ending, next] = [room.place(never), room.place(end.signal), room.place(never)];
    await first.take(60);
    const endingIn = ending.take(80);
    const nextIn = next.take(40);
    end.abort();
    expect(await endingIn).toBe(false);
    expect(await nextIn).toBe(true);
    expect(await ending.take(1)).toBe(false);
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
    ['gzip on its way', (text: string) => page(gzipSync(text), { ...xml, 'content-encoding': 'gzip' })],
  ])('reads a document only when there is room for it: %s', async (name, answer) => {
    const one = await site((url) => ({
      '/m': answer(`<urlset>${entry(`${url}/a`)}</urlset>`),
      '/n': urlset(entry(`${url}/b`)),
    }));
    const crawlId = name.replaceAll(' ', '-');
    const others = documentRoom.place(never);
    expect(await others.take(Infinity)).toBe(true);
    const job = run(crawlId, { sitemapUrls: [`${one.url}/m`, `${one.url}/n`] });
    while (!one.log.some(({ path }) => path === '/m')) await sleep(20);
    await sleep(200);
    const during = await paths(crawlId);
    others.shrink(0);
    await job;
    expect(during).toEqual([]);
    expect(await paths(crawlId)).toEqual(['/a', '/b']);
    const all = documentRoom.place(never);
    expect(await isSettled(all.take(Infinity))).toBe(true);
    all.shrink(0);
  });
});
