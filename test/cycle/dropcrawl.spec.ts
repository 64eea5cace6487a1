import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { DropCrawlJob } from '../../src/cycle/dropcrawl/dropcrawl.job.js';
import { CRAWL_TABLES } from '../../src/cycle/dropcrawl/dropcrawl.sql.js';
import { knownCrawl } from '../../src/webpage/crawl.store.js';
import { recountStatuses } from '../../src/webpage/status-count.store.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { runKilled } from './interrupted.js';

/** DROPCRAWL: deletes a crawl with all its rows, in chunks, and no row of another crawl. */

let cycle: Cycle;
let site: Site;

/** Rows of every table that jobs of the cycle fill, for good or for a while. */
async function filled(crawlId: string): Promise<number> {
  await cycle.inject([`${site.url}/`], {}, { crawlId });
  for (let round = 1; round <= 2; round++) await cycle.round({ crawlId });
  for (const type of ['INVERTLINKS', 'DEDUP', 'SITEMAP', 'HOSTDB', 'PAGERANK'] as const) {
    const args = type === 'INVERTLINKS' ? { batch: '-all' } : {};
    const conf = { 'linkdb.ignore.internal.links': 'false' };
    expect(await cycle.run(type, args, { crawlId, conf })).toMatchObject({ state: 'FINISHED' });
  }
  const crawl = (await knownCrawl(cycle.pool, crawlId))!;
  await recountStatuses(cycle.pool, crawl);
  const rowsOf = ['a', 'b', 'c', 'd', 'e'].map((one) => `('${one}')`).join(', ');
  for (const statement of [
    `insert into signature_due (crawl, noted_at, host, signature)
     select $1, now(), 'test.a', one from (values ${rowsOf}) as v (one)
     on conflict do nothing`,
    `insert into simhash_band (crawl, kept, place, band, signature) select $1, true, one, one, one from (values ${rowsOf}) as v (one)`,
    `insert into pending_contribution (crawl, part, targets, keys, shares, distances, kinds)
     select $1, 0, 1, array[one], array[1], array[1], array[one] from (values ${rowsOf}) as v (one)`,
    `insert into search_segment (crawl, seg, documents, live_documents, generation, sums, live, columns)
     select $1, n, 1, 1, 1, '{}', '', '' from generate_series(1, 5) as n`,
    `insert into search_posting (crawl, seg, term, post, pos) select $1, 1, one, '', '' from (values ${rowsOf}) as v (one)`,
    `insert into search_stored (crawl, seg, block, fields) select $1, 1, n, '' from generate_series(0, 4) as n`,
    `insert into search_doc (crawl, id, seg, doc) select $1, md5(one)::uuid, 1, 0 from (values ${rowsOf}) as v (one)`,
    `insert into removed_document (crawl, host, key) select $1, 'test.a', one from (values ${rowsOf}) as v (one)`,
    `insert into document_due (crawl, host, key, noted_at) select $1, 'test.a', one, now() from (values ${rowsOf}) as v (one)`,
    `insert into url_template (crawl, host, template) select $1, 'test.a', one from (values ${rowsOf}) as v (one)
     on conflict do nothing`,
  ])
    await cycle.pool.query(statement, [crawl]);
  return crawl;
}

/** Every table with a column `crawl`, as the schema has them. */
const tablesOfCrawls = async (): Promise<string[]> =>
  (
    await cycle.db.query<{ name: string }>(
      `select table_name as name from information_schema.columns
         join pg_class on relname = table_name and not relispartition and relkind in ('r', 'p')
        where table_schema = current_schema() and column_name = 'crawl' order by 1`,
    )
  ).map(({ name }) => name);

/** Rows of a crawl in each table, as one checksum and a number. */
async function contentOf(crawl: number): Promise<Record<string, { n: number; sum: string | null }>> {
  const found: Record<string, { n: number; sum: string | null }> = {};
  for (const table of await tablesOfCrawls()) {
    const [row] = await cycle.db.query<{ n: number; sum: string | null }>(
      `select count(*)::int as n, md5(string_agg(x::text, '|' order by x::text)) as sum from ${table} x where crawl = $1`,
      [crawl],
    );
    found[table] = row!;
  }
  return found;
}

beforeEach(async () => {
  cycle = await openCycle();
  site = await startSite({
    '/': page('<title>home</title><a href="/a">a</a> <a href="/b">b</a> <a href="/c">c</a>'),
    '/a': page('<title>a</title>the same'),
    '/b': page('<title>a</title>the same'),
    '/c': page('<title>c</title><a href="/">home</a>'),
    '/sitemap.xml': page(
      '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>/d</loc></url></urlset>',
      { 'content-type': 'application/xml' },
    ),
  });
});
afterEach(async () => {
  await site.close();
  await cycle.close();
});

describe('DROPCRAWL', () => {
  it('deletes all rows of the crawl in every table with a crawl column, and none of another crawl', async () => {
    const [crawl, other] = [await filled('k'), await filled('other')];
    const before = await contentOf(other);
    const had = await contentOf(crawl);
    // An empty table would prove nothing.
    expect(Object.entries(had).filter(([, { n }]) => n === 0)).toEqual([]);
    expect(Object.keys(had).sort()).toEqual([...CRAWL_TABLES.map(({ name }) => name), 'job', 'job_event'].sort());
    await cycle.pool.query(`update seed_list set inline = true`);

    const job = await cycle.run('DROPCRAWL', {}, { crawlId: 'k' });
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'done', pages: had['webpage']!.n } });
    expect(job.result?.counters['DropCrawl']).toMatchObject({
      webpage: had['webpage']!.n,
      page_content: had['page_content']!.n,
      inlink: had['inlink']!.n,
      fetch_history: had['fetch_history']!.n,
    });
    await cycle.pool.query(`delete from job where id = $1`, [job.id]);
    await cycle.pool.query(`delete from job_event where job = $1`, [job.id]);
    for (const [table, { n }] of Object.entries(await contentOf(crawl))) expect([table, n]).toEqual([table, 0]);
    expect(await cycle.db.query(`select from job where crawl_id = 'k'`)).toEqual([]);
    expect(await knownCrawl(cycle.pool, 'k')).toBeUndefined();
    expect(await cycle.db.query<{ name: string }>('select name from seed_list')).toEqual([{ name: 'list2' }]);
    expect(await contentOf(other)).toEqual(before);

    // The id is free: the crawl begins again.
    expect(await filled('k')).not.toBe(crawl);
  });

  it('deletes at most the set number of rows per write and continues after each kill', async () => {
    const [crawl, other] = [await filled('k'), await filled('other')];
    const before = await contentOf(other);
    const step = new DropCrawlJob();
    step.atOnce = 2;
    let last: Readonly<Record<string, number>> = {};
    const { attempts, counted } = await runKilled(step, {
      pool: cycle.pool,
      crawl,
      args: {},
      writes: 3,
      wrote: (_, counts) => {
        const rows = CRAWL_TABLES.map(({ name }) => (counts[name] ?? 0) - (last[name] ?? 0));
        expect(rows.reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(2);
        last = { ...counts };
      },
    });
    expect(attempts).toBeGreaterThan(10);
    expect(counted['simhash_band']).toBeGreaterThanOrEqual(5);
    for (const [table, { n }] of Object.entries(await contentOf(crawl))) expect([table, n]).toEqual([table, 0]);
    expect(await knownCrawl(cycle.pool, 'k')).toBeUndefined();
    expect(await contentOf(other)).toEqual(before);
  });

  it('leaves the remaining rows when it is stopped, and the next attempt deletes them', async () => {
    const crawl = await filled('k');
    const stop = new AbortController();
    const step = new DropCrawlJob();
    step.atOnce = 2;
    let pages: number | undefined;
    let batches: number | undefined;
    await runKilled(step, {
      pool: cycle.pool,
      crawl,
      args: {},
      writes: Infinity,
      stopping: stop.signal,
      wrote: (attempt, counts) => {
        if ((counts['webpage'] ?? 0) > 0) stop.abort();
        if (attempt === 1) [pages, batches] = [counts['webpage'], counts['batch']];
      },
    });
    // It was stopped between the pages.
    expect([pages, batches]).toEqual([2, undefined]);
    expect(await knownCrawl(cycle.pool, 'k')).toBeUndefined();
  });

  it('of the crawl without a name leaves an empty crawl', async () => {
    const crawl = await filled('');
    expect(await cycle.run('DROPCRAWL', {}, { crawlId: '' })).toMatchObject({ state: 'FINISHED' });
    const anew = await knownCrawl(cycle.pool, '');
    expect(anew).not.toBeUndefined();
    expect(anew).not.toBe(crawl);
    expect((await contentOf(crawl))['webpage']!.n).toBe(0);
  });
});
