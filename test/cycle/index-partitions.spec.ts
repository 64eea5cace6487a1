import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import type { IndexArgs } from '../../src/cycle/index/index.args.js';
import { IndexJob } from '../../src/cycle/index/index.job.js';
import type { Run } from '../../src/cycle/step.js';
import { Searcher } from '../../src/search/searcher.js';
import { recordDocuments } from '../../src/webpage/removed-document.store.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { runKilled } from './interrupted.js';
import { runMeeting } from './meeting.js';

/** INDEX in several tasks, each with a partition of the pages. */

useCrawler({ uncounted: true });

const PAGES = 1_800;
const MANY = 12_000;
let crawl: number;

/** Makes a crawl with a batch of pages on many hosts that UPDATEDB has processed. */
async function crawlOf(name: string, pages: number): Promise<number> {
  await crawler.inject(name, []);
  const [{ id }] = (await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [name])) as [
    { id: number },
  ];
  await cycle.db.query(
    `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, update_mark, parse_major,
                          parse_minor, title)
     select $1, 'test.h' || i % 50, 'test.h' || i % 50 || ':http/' || i, now() + interval '1 day', 1, 1, 0, 2, 'link', 'big', 1, 0,
            'ferry ' || i
       from generate_series(1, $2::int) i`,
    [id, pages],
  );
  return id;
}

beforeAll(async () => void (crawl = await crawlOf('divided', PAGES)));
beforeEach(async () => {
  await cycle.db.query('update webpage set index_mark = null where crawl = $1', [crawl]);
  for (const table of ['search_segment', 'search_posting', 'search_stored', 'search_doc', 'removed_document'])
    await cycle.db.query(`delete from ${table} where crawl = $1`, [crawl]);
});

const found = async (query = 'ferry') =>
  (await new Searcher(cycle.pool, 1_000_000).search({ ...SEARCH_DEFAULTS, crawl, query, limit: 1 })).total;
const count = async (which: string) =>
  (await cycle.db.query<{ n: number }>(`select count(*)::int as n from ${which} and crawl = $1`, [crawl]))[0]!.n;

describe('INDEX in several tasks', () => {
  it.each(['big', '-all', '-reindex'])('at the same time indexes each page of %s once', async (batch) => {
    await runMeeting(() => new IndexJob(), {
      pool: cycle.pool,
      crawl,
      args: { batch },
      plan: { parts: 3, batches: [batch] },
    });
    expect(await count('search_doc where true')).toBe(PAGES);
    expect(await found()).toBe(PAGES);
    expect(await count('webpage where index_mark is null')).toBe(0);
    expect(await count('search_segment where true')).toBe(3);
  });

  it('killed after each write indexes each page once', async () => {
    const counted: Record<string, number>[] = [];
    for (const part of [0, 1, 2]) {
      const what = { pool: cycle.pool, crawl, args: { batch: 'big' }, writes: 1, part };
      const run = await runKilled(new IndexJob(), { ...what, plan: { parts: 3, batches: ['big'] } });
      counted.push(run.counted);
    }
    expect(counted.map(({ DocumentCount: n = 0 }) => n > PAGES / 4)).toEqual([true, true, true]);
    expect(counted.reduce((sum, { DocumentCount: n = 0 }) => sum + n, 0)).toBe(PAGES);
    expect(await found()).toBe(PAGES);
    expect(await count('webpage where index_mark is null')).toBe(0);
  });

  it('deletes documents of removed pages in the task that would write them, and not after it', async () => {
    const pages = Array.from({ length: 40 }, (_, i) => ({ host: 'test.gone', key: `test.gone:http/${i}` }));
    await recordDocuments(cycle.pool, crawl, pages);
    const deleted: number[] = [];
    for (const part of [0, 1]) {
      const what = { pool: cycle.pool, crawl, args: { batch: 'big', deleteGone: true }, writes: 1_000, part };
      const { counted } = await runKilled(new IndexJob(), { ...what, plan: { parts: 2, batches: ['big'] } });
      deleted.push(counted['deleted (removed)'] ?? 0);
    }
    expect(deleted[0]! + deleted[1]!).toBe(40);
    expect(deleted.every((n) => n > 0)).toBe(true);
    expect(await count('removed_document where true')).toBe(0);
  });
});

describe('the number of tasks of INDEX', () => {
  let many: number;
  beforeAll(async () => void (many = await crawlOf('many', MANY)));

  /** The number of tasks that partition 0 of a job plans. */
  async function planned(workers: number, conf: Record<string, unknown> = {}, args: IndexArgs = {}): Promise<number> {
    let parts = 0;
    const run = {
      job: { id: 'j', type: 'INDEX', crawl: many, crawlId: 'many', startedAt: new Date() },
      task: 'task 1',
      part: 0,
      args: { batch: 'big', ...args },
      conf: { ...defaults, ...conf },
      pool: cycle.pool,
      workers,
      ownPorts: [],
      progress: null,
      plan: async (make: () => Promise<{ parts: number }>) => {
        ({ parts } = await make());
        return null;
      },
      lock: () => Promise.resolve(true),
      warn: () => Promise.resolve(),
    } as unknown as Run<IndexArgs>;
    expect(await new IndexJob().run(run)).toEqual({ reason: 'stopped' });
    return parts;
  }
  const lines = `<writers>
    <writer id="one" class="indexer-postgres"/>
    <writer id="two" class="indexer-jsonl"/>
  </writers>`;

  it.each([
    ['is that of the workers', 2, {}, {}, 2],
    ['is one for each 5,000 pages where there are more workers', 8, {}, {}, 3],
    ['is one with one worker', 1, {}, {}, 1],
    ['is one with normalize, as two pages may have one document', 8, {}, { normalize: true }, 1],
    ['is one for a writer of files', 8, { 'plugin.includes': 'indexer-jsonl' }, {}, 1],
    ['is one without a writer', 8, { 'plugin.includes': 'index-basic' }, {}, 1],
    [
      'is one with several writers, each of which gets all documents though another one is given up',
      8,
      { 'plugin.includes.also': 'indexer-jsonl', 'indexer.indexwriters.rules': lines },
      {},
      1,
    ],
  ])('%s', async (_, workers, conf, args, parts) => {
    expect(await planned(workers, conf, args)).toBe(parts);
  });
});
