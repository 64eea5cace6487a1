import { expect, it } from 'vitest';
import { type Handler, page, status } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { counters } from './table.js';

/** A duplicate has no document. When it is no duplicate any more, its next visit gives it one, even if it is unchanged. */

useCrawler({ uncounted: true });

const crawlId = 'restored';
const index = async () => counters(await cycle.run('INDEX', {}, { crawlId }), 'IndexerStatus');
const visit = async (path: string) => {
  await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour' where key like $1`, [`%${path}`]);
  await crawler.round(crawlId);
};
/** Unchanged: a request with a validator is answered 304. */
const unchanged: Handler = (req, res) =>
  (req.headers['if-none-match'] === '"1"' ? status(304) : page('<title>Twin</title><p>ferry', { etag: '"1"' }))(
    req,
    res,
  );

it('a page that DEDUP has restored is indexed after a visit that finds it unchanged', async () => {
  let isThere = true;
  const site = await crawler.site({
    '/a': (req, res) => (isThere ? page('<title>Twin</title><p>ferry') : status(404))(req, res),
    '/a-twin': unchanged,
  });
  await crawler.inject(crawlId, [`${site.url}/a`, `${site.url}/a-twin`]);
  await crawler.round(crawlId);
  await cycle.run('DEDUP', { compareOrder: ['urlLength'] }, { crawlId });
  expect(await index()).toEqual({ 'indexed (add/update)': 1, 'skipped (duplicates)': 1 });

  isThere = false;
  await visit('/a');
  const dedup = await cycle.run('DEDUP', { compareOrder: ['urlLength'] }, { crawlId });
  expect(counters(dedup, 'DeduplicationJobStatus')).toMatchObject({ 'Documents no longer marked as duplicate': 1 });
  await index();
  await visit('/a-twin');
  expect(site.log.at(-1)!.headers['if-none-match']).toBe('"1"');
  expect(await index()).toEqual({ 'indexed (add/update)': 1 });
  expect(await index()).toEqual({});
});
