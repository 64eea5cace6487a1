import { expect, it } from 'vitest';
import { type Visited, writeVisits } from '../../src/cycle/fetch/fetch.sql.js';
import { unvisited } from '../../src/cycle/fetch/visit.js';
import { transaction } from '../../src/db/sql.js';
import { addCounters, type CounterGroups } from '../../src/core/job/job-types.js';
import { PAGE_STATUS } from '../../src/core/page/page-status.js';
import { PROTOCOL_STATUS } from '../../src/core/page/protocol-status.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { crawler, cycle, useCrawler } from './crawler.js';

/**
 * UPDATEDB of another job releases a page from a batch that a FETCH has read, and GENERATE selects it for the next batch of the same
 * FETCH, or a redirect brings it back: it has two visits of it.
 */

useCrawler();

const page = { host: 'test.a', key: 'test.a:http/' };

const visit = (mark: string, how: Partial<Visited>): Visited => ({
  ...unvisited({ ...page, mark }, 'http://a.test/', { code: PROTOCOL_STATUS.SUCCESS, args: [] }),
  ...how,
});

/** Writes visits of the page in one chunk, after it went from batch `b1` to `b2`; returns their counters. */
async function written(crawlId: string, visits: Visited[]): Promise<CounterGroups> {
  await crawler.inject(crawlId, ['http://a.test/']);
  await cycle.run('GENERATE', { batch: 'b1' }, { crawlId });
  await crawler.update(crawlId, { batch: 'b1' });
  await cycle.run('GENERATE', { batch: 'b2' }, { crawlId });
  const counters: CounterGroups = {};
  const crawl = await crawlNumber(cycle.pool, crawlId);
  await transaction(cycle.pool, (tx) =>
    writeVisits(tx, { crawl, id: 'job' }, visits, {
      count: (group, name, n = 1) => void addCounters(counters, { [group]: { [name]: n } }),
      trace: undefined,
    }),
  );
  return counters;
}

const content = (text: string): Partial<Visited> => ({
  status: PAGE_STATUS.fetched,
  contentType: text,
  content: { body: Buffer.from(text), length: text.length, headers: {}, truncated: null },
});

const stored = (crawlId: string) =>
  cycle.db.query(
    `select w.content_type as type, w.fetch_mark as mark, convert_from(p.content, 'UTF8') as content
       from webpage w join page_content p using (crawl, host, key) join crawl c on c.id = w.crawl where c.name = $1`,
    [crawlId],
  );

it('of two visits in one chunk the one in the present batch of the page is written', async () => {
  const counters = await written('moved', [visit('b2', content('new')), visit('b1', content('old'))]);
  expect(counters['FetcherStatus']).toEqual({ SUCCESS: 1, left_the_batch: 1 });
  expect(await stored('moved')).toEqual([{ type: 'new', mark: 'b2', content: 'new' }]);
});

it('of two visits in its present batch the last one is written', async () => {
  const counters = await written('back', [visit('b2', content('first')), visit('b2', content('second'))]);
  expect(counters['FetcherStatus']).toEqual({ SUCCESS: 1, left_the_batch: 1 });
  expect(await stored('back')).toEqual([{ type: 'second', mark: 'b2', content: 'second' }]);
});
