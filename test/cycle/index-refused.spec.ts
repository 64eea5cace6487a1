import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import { EngineServer } from '../plugin/engine-server.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { counters } from './table.js';

/** INDEX and CLEAN with an engine that refuses documents or is unavailable: counters, marks and warnings. */

useCrawler();

let engine: EngineServer;
beforeEach(async () => void (engine = await EngineServer.start()));
afterEach(() => engine.stop());

/** Crawls two pages, one of which the engine refuses. */
async function crawled(crawlId: string): Promise<void> {
  const site = await crawler.site({
    '/': page('<title>good</title>words'),
    '/bad': page(`<title>${engine.badTitle}</title>words`),
  });
  await crawler.inject(crawlId, [`${site.url}/`, `${site.url}/bad`]);
  await crawler.round(crawlId);
}

const index = (
  crawlId: string,
  type: 'INDEX' | 'CLEAN' = 'INDEX',
  more = '',
  conf: Record<string, string> = {},
): Promise<JobRow> =>
  cycle.run(
    type,
    {},
    {
      crawlId,
      conf: {
        'plugin.includes.also': 'indexer-opensearch-1x',
        'indexer.write.retries': '1',
        'indexer.engines': `127.0.0.1:${engine.port}`,
        'indexer.indexwriters.rules': `<writers><writer id="o" class="indexer-opensearch-1x">
        <parameters><param name="url" value="${engine.url}"/></parameters></writer>${more}</writers>`,
        ...conf,
      },
    },
  );
const marked = async (crawlId: string): Promise<string[]> =>
  (
    await cycle.db.query<{ path: string }>(
      `select substring(key from '/.*') as path from webpage w join crawl c on c.id = w.crawl
        where c.name = $1 and index_mark is not null order by 1`,
      [crawlId],
    )
  ).map(({ path }) => path);

describe('INDEX', () => {
  it('counts and names a document that the engine refuses and does not mark its page', async () => {
    await crawled('refused');
    const job = await index('refused');
    expect(job.state).toBe('FINISHED');
    expect(counters(job, 'IndexerStatus')).toEqual({ 'indexed (add/update)': 1, 'errors (IndexWriter)': 1 });
    expect(counters(job, 'IndexerJob')).toEqual({ DocumentCount: 1 });
    expect(await marked('refused')).toEqual(['/']);
    expect(engine.documents.size).toBe(1);
    const [warning] = await cycle.db.query<{ data: { message?: string; msg?: string } }>(
      `select data from job_event where job = $1 and data::text like '%refused%'`,
      [job.id],
    );
    expect(JSON.stringify(warning!.data)).toMatch(/index writer o refused http.*\/bad/);
    expect(job.result?.['warnings']).toEqual([warning!.data.message]);
  });

  it('marks a page whose document one of two writers accepted, so that CLEAN deletes it', async () => {
    await crawled('one-has-it');
    const builtIn = '<writer id="own" class="indexer-postgres"/>';
    const job = await index('one-has-it', 'INDEX', builtIn);
    expect(counters(job, 'IndexerStatus')).toEqual({ 'indexed (add/update)': 1, 'errors (IndexWriter)': 1 });
    expect(await marked('one-has-it')).toEqual(['/', '/bad']);
    await cycle.db.query(`update webpage set status = 3 where key like '%/bad' and index_mark is not null`);
    await index('one-has-it', 'CLEAN', builtIn);
    const left = await cycle.db.query(
      `select sum(live_documents)::int as n from search_segment s join crawl c on c.id = s.crawl where c.name = 'one-has-it'`,
    );
    expect(left).toEqual([{ n: 1 }]);
    // Restored, for the consistency check after each test.
    await cycle.db.query(`update webpage set status = 2 where key like '%/bad'`);
  });

  it('does not mark a page that the only writer that gets its document refuses', async () => {
    await crawled('routed');
    const builtIn = '<writer id="own" class="indexer-postgres"/>';
    const exchanges = `<exchanges><exchange id="default"><writers><writer id="o"/></writers></exchange></exchanges>`;
    const job = await index('routed', 'INDEX', builtIn, { 'exchanges.exchanges.rules': exchanges });
    expect(counters(job, 'IndexerStatus')).toEqual({ 'indexed (add/update)': 1, 'errors (IndexWriter)': 1 });
    expect(await marked('routed')).toEqual(['/']);
  });

  it('fails when a writer is given up and marks no page; the next INDEX writes the page', async () => {
    await crawled('away');
    engine.trouble = 'star\0ting \ud800';
    engine.faults = Array.from({ length: 50 }, () => 'unavailable' as const);
    const job = await index('away');
    expect(job).toMatchObject({
      state: 'FAILED',
      msg: expect.stringContaining('index writer o was given up: it answered 503: star\ufffdting \ufffd'),
    });
    // Nothing arrived, so nothing counts as indexed.
    expect(counters(job, 'IndexerStatus')).toEqual({ 'errors (IndexWriter)': 2 });
    expect(job.result!.counters).not.toHaveProperty('IndexerJob');
    expect(await marked('away')).toEqual([]);
    engine.faults = [];
    await index('away');
    expect(await marked('away')).toEqual(['/']);
    expect(engine.documents.size).toBe(1);
  });
});

describe('INDEX whose writer is retried', () => {
  it('says in msg which writer fails, how often and why', async () => {
    await crawled('retried');
    const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
    engine.faults = ['busy'];
    engine.hold = { after: 1, until };
    const running = index('retried');
    const job = async () => (await cycle.jobs.list({ crawlId: 'retried', type: 'INDEX', limit: 1 }))[0]!;
    await expect
      .poll(async () => (await job()).msg)
      .toMatch(/^OK: index writer o has failed 1 of 2 times: it answered 429: too many requests/);
    goOn();
    expect(await running).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  });
});

describe('INDEX whose only writer is given up', () => {
  it('ends at once: it reads no further pages than those of its first part', async () => {
    await crawled('only');
    await cycle.db.query(
      `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, distance, source_kind, parse_major, parse_minor, batch_id, update_mark)
       select crawl, host, key || '-' || n, 7, fetch_time, fetch_interval, 0, 0, 0, source_kind, parse_major, parse_minor, batch_id, update_mark
         from webpage, generate_series(1, 5000) n where key like '%/bad' and crawl = (select id from crawl where name = 'only')`,
    );
    engine.faults = Array.from({ length: 50 }, () => 'unavailable' as const);
    const job = await index('only');
    const first = { 'errors (IndexWriter)': 2, 'skipped (duplicates)': 498 };
    expect([job.state, job.result!.counters]).toEqual(['FAILED', { IndexerStatus: first }]);
    await cycle.db.query(`delete from webpage where key like '%/bad-%'`);
  });
});

describe('CLEAN', () => {
  it('keeps pending deletions when a writer is given up; the next CLEAN deletes them', async () => {
    await crawled('kept');
    await index('kept');
    await cycle.db.query(
      `insert into removed_document (crawl, host, key)
       select w.crawl, w.host, w.key from webpage w join crawl c on c.id = w.crawl where c.name = 'kept' and w.key like '%/'`,
    );
    await cycle.db.query(`update webpage set index_mark = null`);
    engine.faults = Array.from({ length: 50 }, () => 'unavailable' as const);
    expect((await index('kept', 'CLEAN')).state).toBe('FAILED');
    expect(engine.documents.size).toBe(1);
    engine.faults = [];
    expect(counters(await index('kept', 'CLEAN'), 'CleaningJobStatus')).toMatchObject({ 'deleted (removed)': 1 });
    expect(engine.documents.size).toBe(0);
    expect(await cycle.db.query('select from removed_document')).toEqual([]);
  });
});
