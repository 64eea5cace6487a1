import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { IndexJob } from '../../src/cycle/index/index.job.js';
import { armFaultPoints } from '../../src/db/fault-point.js';
import { Searcher } from '../../src/search/searcher.js';
import { page } from '../support/site.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { runKilled } from './interrupted.js';

/** Crawled pages are found in the built-in index after INDEX. */

useCrawler({ uncounted: true });

const REQUEST = {
  ...SEARCH_DEFAULTS,
  expand: 'auto',
  snippets: 1,
} as const;
let crawl: number;
let searcher: Searcher;

afterEach(() => armFaultPoints(undefined));
beforeAll(async () => {
  searcher = new Searcher(cycle.pool, 1_000_000);
  const paths = Array.from({ length: 12 }, (_, i) => `/p${i}`);
  const site = await crawler.site(
    Object.fromEntries(paths.map((path, i) => [path, page(`<title>Ferry ${i}</title><p>sails to island number ${i}`)])),
  );
  await crawler.inject(
    'built',
    paths.map((path) => site.url + path),
  );
  await crawler.round('built');
  [{ id: crawl }] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'built'`)) as [
    { id: number },
  ];
});

const search = (query: string) => searcher.search({ ...REQUEST, crawl, query });

describe('INDEX to the built-in index', () => {
  it('makes the pages searchable, with snippets of their text', async () => {
    expect(await cycle.run('INDEX', {}, { crawlId: 'built' })).toMatchObject({ state: 'FINISHED' });
    const { hits, total } = await search('ferry island');
    expect(total).toBe(12);
    expect(hits[0]!.snippets[0]!.text).toContain('island');
  });

  it('writes each page it marks, also with noCommit', async () => {
    await cycle.db.query('delete from search_segment');
    await cycle.run('INDEX', { batch: '-all', noCommit: true }, { crawlId: 'built' });
    expect((await search('ferry island')).total).toBe(12);
  });

  it('stores each page once when it is killed after each write', async () => {
    await cycle.db.query(`update webpage set index_mark = null where crawl = $1`, [crawl]);
    await runKilled(new IndexJob(), { pool: cycle.pool, crawl, args: { batch: '-all' }, conf: {}, writes: 1 });
    const { hits } = await search('ferry');
    expect(hits.map(({ title }) => title).sort()).toEqual(Array.from({ length: 12 }, (_, i) => `Ferry ${i}`).sort());
    const marks = await cycle.db.query(`select from webpage where crawl = $1 and index_mark is null`, [crawl]);
    expect(marks).toEqual([]);
  });

  it('reports in msg how many pages were sent, before the writer has stored any', async () => {
    const { promise: isReported, resolve: goOn } = Promise.withResolvers<void>();
    armFaultPoints((point) => (point === 'index.sent' ? isReported : undefined));
    const running = cycle.run('INDEX', { batch: '-reindex' }, { crawlId: 'built' });
    const job = async () => (await cycle.jobs.list({ crawlId: 'built', type: 'INDEX', limit: 1 }))[0];
    await expect.poll(async () => (await job())?.msg).toMatch(/^OK: 12 sent, up to http:/);
    goOn();
    expect(await running).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  });
});
