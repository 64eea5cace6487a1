import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Handler, page, startSite, status } from '../support/site.js';
import { Crawler } from './crawl.js';

/** A request that FETCH cuts because it is to end is a request all the same: its host rests before the next one. */

let db: TestDatabase;
let crawler: Crawler;
beforeAll(async () => {
  db = await testDatabase();
  crawler = new Crawler(db, { WORKERS: '2' });
  await crawler.start();
  await crawler.configure({ 'fetcher.server.delay': '2' });
}, 60_000);
afterAll(async () => {
  await crawler.close();
  await db.drop();
});

describe('a request that is cut', () => {
  it.each([
    ['stop', '/a'],
    ['abort', '/a'],
    ['stop', '/robots.txt'],
    ['abort', '/robots.txt'],
  ])(
    'by %s, for %s, is followed by a whole rest',
    async (how, slow) => {
      const starts: number[] = [];
      let cutAt = Infinity;
      const first: Handler = (req, res) => {
        starts.push(performance.now());
        if (starts.length > 1) return (slow === '/a' ? page('x') : status(404))(req, res);
        res.on('close', () => (cutAt = performance.now()));
      };
      const address = `127.0.6.${how.length + slow.length}`;
      const site = await startSite({ '/a': page('x'), [slow]: first }, { host: address });
      try {
        const batch = `${how}${slow.length}`;
        await crawler.finished('INJECT', { seed: `${site.url}/a` });
        await crawler.finished('GENERATE', { batch });
        const { id } = await crawler.create('FETCH', { batch });
        await expect.poll(() => starts.length, { timeout: 15_000, interval: 20 }).toBe(1);
        await crawler.call(`/job/${id}/${how}`);
        await crawler.ended(id);
        await crawler.finished('FETCH', { batch });
        expect(starts).toHaveLength(2);
        expect(starts[1]! - cutAt).toBeGreaterThanOrEqual(2_000);
      } finally {
        await site.close();
      }
    },
    60_000,
  );
});
