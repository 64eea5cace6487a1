import type { Pool } from 'pg';
import { expect, it } from 'vitest';
import { deleteNeedlessContents } from '../../src/cycle/dedup/needless-contents.js';
import type { Sql } from '../../src/db/sql.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { byPath } from './table.js';

/** What UPDATEDB notes for DEDUP is bounded in crawls without DEDUP; a later DEDUP still finds all duplicates. */

useCrawler();

/** Crawls `/a` and `/b`; the function returned refetches `/b` with other words. */
async function crawled(crawlId: string) {
  let words = 'other words';
  const site = await crawler.site({
    '/a': page('the same words'),
    '/b': (request, response) => page(words)(request, response),
  });
  await crawler.inject(crawlId, [`${site.url}/a\tnutch.score=2`, `${site.url}/b`]);
  await crawler.round(crawlId);
  return async (now: string) => {
    words = now;
    await cycle.db.query(
      `update webpage w set fetch_time = now() - interval '1 hour' from crawl c where c.id = w.crawl and c.name = $1 and key like '%/b'`,
      [crawlId],
    );
    expect(await crawler.round(crawlId)).toBe(1);
  };
}
const dedup = (crawlId: string) => cycle.run('DEDUP', {}, { crawlId });
const statuses = (crawlId: string) => byPath(cycle, ({ status }) => status, crawlId);
const noted = async (crawlId: string) =>
  (
    await cycle.db.query<{ n: number }>(
      'select count(*)::int as n from signature_due d join crawl c on c.id = d.crawl where c.name = $1',
      [crawlId],
    )
  )[0]!.n;

it('deletes notes of a crawl without DEDUP; its first DEDUP reads all contents', async () => {
  const change = await crawled('never');
  for (let n = 0; n < 3; n++) await change(`words ${n}`);
  // One for each content that a page has had: five contents of two pages.
  expect(await noted('never')).toBe(5);
  expect(await deleteNeedlessContents(cycle.pool)).toBe(5);
  expect(await noted('never')).toBe(0);
  await change('the same words');
  await deleteNeedlessContents(cycle.pool);
  await dedup('never');
  expect(await statuses('never')).toEqual({ '/a': 2, '/b': 7 });
});

it('keeps notes for the next DEDUP while the row of the last DEDUP exists', async () => {
  const change = await crawled('known');
  await dedup('known');
  await change('the same words');
  expect([await deleteNeedlessContents(cycle.pool), await noted('known')]).toEqual([0, 2]);
  await dedup('known');
  expect(await statuses('known')).toEqual({ '/a': 2, '/b': 7 });
});

it('deletes notes in the second run after the row of the last DEDUP was deleted; the next DEDUP reads all contents', async () => {
  const change = await crawled('once');
  await dedup('once');
  await change('the same words');
  await cycle.db.query(`delete from job where crawl_id = 'once' and type = 'DEDUP'`);
  const runs = [];
  for (let n = 0; n < 2; n++) runs.push([await deleteNeedlessContents(cycle.pool), await noted('once')]);
  expect(runs).toEqual([
    [0, 2],
    [2, 0],
  ]);
  await dedup('once');
  expect(await statuses('once')).toEqual({ '/a': 2, '/b': 7 });
});

it('keeps notes while a DEDUP is open', async () => {
  await crawled('open');
  await cycle.db.query(
    `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args)
     select 'open', nextval('job_number'), crawl, crawl_id, conf_id, conf_hash, 'DEDUP', '{}' from job where crawl_id = 'open' limit 1`,
  );
  await deleteNeedlessContents(cycle.pool);
  expect(await noted('open')).toBe(2);
  await cycle.db.query(`delete from job where id = 'open'`);
});

it('keeps a content that is noted again while it runs', async () => {
  await crawled('again');
  const db: Sql = {
    async query(statement) {
      const answer = await (cycle.pool as Pool).query(statement);
      if (/select host, signature/.test(statement.text))
        await cycle.db.query(`update signature_due set noted_at = now() where signature = $1`, [
          answer.rows[0]?.signature ?? '',
        ]);
      return answer;
    },
  };
  await deleteNeedlessContents(db);
  expect(await noted('again')).toBe(1);
});
