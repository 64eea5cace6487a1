import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Handler, page, startSite, status } from '../support/site.js';
import { clockOfEvents } from '../cycle/watched.js';
import { Crawler } from './crawl.js';

/** A request that FETCH cuts because it is stopped counts as a request: the delay applies before the next one. */

let db: TestDatabase;
let crawler: Crawler;
beforeAll(async () => {
  db = await testDatabase();
  crawler = new Crawler(db, { WORKERS: '2' });
  await crawler.start();
  await crawler.configure({ 'fetcher.server.delay': '2' });
});
afterAll(async () => {
  await crawler.close();
  await db.drop();
});

describe('a request that FETCH cuts', () => {
  it.each([
    ['stop', '/a'],
    ['abort', '/a'],
    ['stop', '/robots.txt'],
    ['abort', '/robots.txt'],
  ])('on %s, for %s, is followed by the whole delay', async (how, slow) => {
    const starts: number[] = [];
    let cutAt = Infinity;
    const clock = clockOfEvents();
    const first: Handler = (req, res) => {
      starts.push(performance.now());
      if (starts.length > 1) return (slow === '/a' ? page('x') : status(404))(req, res);
      res.on('close', () => (cutAt = clock.earliest()));
    };
    const address = `127.0.6.${how.length + slow.length}`;
    const site = await startSite({ '/a': page('x'), [slow]: first }, { host: address });
    try {
      const batch = `${how}${slow.length}`;
      await crawler.finished('INJECT', { seed: `${site.url}/a` });
      await crawler.finished('GENERATE', { batch });
      const { id } = await crawler.create('FETCH', { batch });
      await expect.poll(() => starts.length, { interval: 20 }).toBe(1);
      await crawler.call(`/job/${id}/${how}`);
      await crawler.ended(id);
      await crawler.finished('FETCH', { batch });
      expect(starts).toHaveLength(2);
      expect(starts[1]! - cutAt).toBeGreaterThanOrEqual(2_000);
    } finally {
      await site.close();
    }
  });
});

describe('a worker killed during FETCH', () => {
  it('is followed by the whole Crawl-delay before the next request', async () => {
    const starts: number[] = [];
    const robots = page('User-agent: *\nCrawl-delay: 6', { 'content-type': 'text/plain' });
    const pages: Handler = (req, res) => {
      starts.push(performance.now());
      return page('x')(req, res);
    };
    const site = await startSite({ '/robots.txt': robots, '*': pages }, { host: '127.0.6.30' });
    try {
      await crawler.configure({ 'fetcher.server.delay': '0.1' });
      await crawler.finished('INJECT', { seed: `${site.url}/a\n${site.url}/b` });
      await crawler.finished('GENERATE', { batch: 'killed' });
      const { id } = await crawler.create('FETCH', { batch: 'killed' });
      await expect.poll(() => starts.length, { interval: 5 }).toBe(1);
      await crawler.kill();
      await crawler.start();
      expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED' });
      expect(starts.length).toBeGreaterThanOrEqual(2);
      expect(starts[1]! - starts[0]!).toBeGreaterThanOrEqual(6_000);
    } finally {
      await site.close();
    }
  });
});
