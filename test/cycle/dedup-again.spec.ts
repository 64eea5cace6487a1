import { describe, expect, it } from 'vitest';
import { type Handler, page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { byPath, passDays } from './table.js';
import { crawled, dedup, numberOf, same, statuses, unmarked } from './duplicates.js';

/** DEDUP after pages were fetched, linked or injected again: a duplicate may become the best page, and the reverse. */

useCrawler();

describe('DEDUP of pages that have changed since the last one', () => {
  it('marks a page again that was refetched, while the better page is still there', async () => {
    await crawled('again', { '/a': 1, '/best': 3 });
    await dedup('again');
    await passDays(cycle, 31, 'again');
    expect(await crawler.round('again')).toBe(2);
    expect(await statuses('again')).toEqual({ '/a': 6, '/best': 6 });
    expect(numberOf(await dedup('again'))).toBe(1);
    expect(await statuses('again')).toEqual({ '/a': 7, '/best': 6 });
  });

  it.each<[string, Handler, number, Record<string, string>]>([
    ['has changed', page('new words'), 2, {}],
    ['is gone', (_, response) => void response.writeHead(404).end(), 3, {}],
    ['moved', (_, response) => void response.writeHead(301, { location: '/b' }).end(), 5, {}],
    [
      'has content that no parser reads',
      (_, response) => void response.writeHead(200, { 'content-type': 'application/x-thing' }).end('\x01'),
      2,
      {},
    ],
    [
      'is gone and was removed',
      (_, response) => void response.writeHead(404).end(),
      0,
      { 'db.update.purge.404': 'true' },
    ],
  ])('unmarks the best duplicate when the page that was kept %s', async (name, after, status, conf) => {
    const crawlId = `back-${name.replaceAll(' ', '-')}`;
    let changed = false;
    await crawled(
      crawlId,
      { '/a': 1, '/b': 2, '/best': 3 },
      { '/best': (request, response) => (changed ? after : same)(request, response) },
    );
    await dedup(crawlId);
    expect(await statuses(crawlId)).toEqual({ '/a': 7, '/b': 7, '/best': 2 });
    changed = true;
    await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour' where key like '%/best'`);
    expect(await crawler.round(crawlId, conf)).toBe(1);
    const job = await dedup(crawlId);
    expect([numberOf(job), numberOf(job, unmarked)]).toEqual([0, 1]);
    expect(await statuses(crawlId)).toEqual({ '/a': 7, '/b': 2, ...(status === 0 ? {} : { '/best': status }) });
  });

  it.each([
    ['gone', 31, 3],
    ['an orphan', 41, 8],
  ])('unmarks the best duplicate when the kept page becomes %s: %i days without inlink', async (_, days, status) => {
    const crawlId = `unlinked-${days}`;
    await crawled(crawlId, { '/a': 1, '/b': 2, '/best': 3 });
    await dedup(crawlId);
    await cycle.db.query(
      `update webpage set last_inlink = now() - make_interval(days => $1)
        where key like '%/best' and crawl = (select id from crawl where name = $2)`,
      [days, crawlId],
    );
    await crawler.update(crawlId, {}, { 'plugin.includes': 'protocol-http|urlfilter-regex|parse-html|scoring-orphan' });
    expect(numberOf(await dedup(crawlId), unmarked)).toBe(1);
    expect(await statuses(crawlId)).toEqual({ '/a': 7, '/b': 2, '/best': status });
  });

  it.each([
    ['resets', 'overwrite', '', 1],
    ['gives another status to', 'update', '\tnutch.status=db_gone', 3],
  ])('unmarks the best duplicate when INJECT %s the page that was kept', async (_, mode, more, status) => {
    const crawlId = `injected-${mode}`;
    const site = await crawled(crawlId, { '/a': 1, '/b': 2, '/best': 3 });
    await dedup(crawlId);
    await cycle.inject([`${site.url}/best${more}`], { [mode]: true }, { crawlId });
    expect(numberOf(await dedup(crawlId), unmarked)).toBe(1);
    expect(await statuses(crawlId)).toEqual({ '/a': 7, '/b': 2, '/best': status });
  });

  it('does not change the fetch time, interval and rank of duplicates', async () => {
    await crawled('schedule', { '/a': 1, '/best': 3 });
    const before = await byPath(
      cycle,
      ({ fetch_time, fetch_interval, rank }) => ({ fetch_time, fetch_interval, rank }),
      'schedule',
    );
    await dedup('schedule');
    expect(
      await byPath(cycle, ({ fetch_time, fetch_interval, rank }) => ({ fetch_time, fetch_interval, rank }), 'schedule'),
    ).toEqual(before);
    const batch = await cycle.run('GENERATE', { adddays: 31 }, { crawlId: 'schedule' });
    expect(batch.result?.['generate.count']).toBe(2);
    const update = await crawler.update('schedule');
    expect(update.state).toBe('FINISHED');
  });
});
