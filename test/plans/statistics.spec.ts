import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockPages } from '../../src/cycle/batch-pages.sql.js';
import { writeVisitRows } from '../../src/cycle/fetch/fetch.sql.js';
import { markBatch, promoteDue } from '../../src/cycle/generate/generate.sql.js';
import { readSources } from '../../src/cycle/updatedb/updatedb.sql.js';
import { keepStatistics } from '../../src/webpage/planner-statistics.sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { Explained, type PlanNode, accessPaths, nodesOf } from './explained.js';
import { visited } from './records.js';
import { CRAWL, type SomePage, rolledBack, somePages } from './seeded.js';

/** Tables that have just begun to fill: they have no statistics, and autovacuum analyzes them too late. */

let db: TestDatabase;

beforeAll(async () => {
  db = await testDatabase();
  for (const table of ['webpage', 'page_content', 'inlink', 'host'])
    await db.query(`alter table ${table} set (autovacuum_enabled = false)`);
  await db.query(`insert into crawl (id, name) overriding system value values (${CRAWL}, 'plans')`);
});
afterAll(() => db.drop());

/** Adds selectable pages of one host. */
async function addPages(from: number, to: number): Promise<void> {
  await db.query(
    `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, rank, source_kind)
     select ${CRAWL}, 'test.site', 'test.site:https/page-' || i, now(), 2592000, 1, 1, 0, 'link' from generate_series($1::int, $2::int) i`,
    [from, to],
  );
}

const selected = async (limit: number) => (await somePages(db, 'true', limit)).map((page) => ({ ...page, hash: 1 }));

/** Whether a plan scans an array of keys once for each row of another input. */
const walksKeysPerRow = (plans: readonly PlanNode[]): boolean =>
  nodesOf(plans).some(
    ({ 'Node Type': type, Plans: below }) => type === 'Nested Loop' && below?.[1]?.['Node Type'] === 'Function Scan',
  );

const plansOf = (work: (tx: Explained) => Promise<unknown>): Promise<PlanNode[]> =>
  rolledBack(db, async (client) => {
    const tx = new Explained(client);
    await work(tx);
    return tx.plans;
  });

describe('a table without statistics', () => {
  it('has no statistics for columns that no statement filters by: links, headers, titles', async () => {
    const columns = await db.query<{ table: string; column: string }>(
      `select attrelid::regclass::text as table, attname::text as column from pg_attribute
        where attrelid = any (array['webpage', 'page_content', 'inlink', 'host']::regclass[]) and attnum > 0 and attstattarget = 0
        order by attrelid::regclass::text, attnum`,
    );
    expect(columns.map(({ table, column }) => `${table}.${column}`)).toEqual([
      'inlink.anchor',
      ...['headers', 'outlink_keys', 'outlink_anchors', 'text', 'content', 'former_outlink_keys'].map(
        (column) => `page_content.${column}`,
      ),
      ...['etag', 'base_url', 'repr_url', 'redirect_url', 'title', 'protocol_args', 'parse_args', 'metadata'].map(
        (column) => `webpage.${column}`,
      ),
    ]);
  });

  it('is analyzed before a step unless it is empty', async () => {
    await addPages(1, 3_000);
    expect(await keepStatistics(db.pool)).toEqual(['webpage']);
  });

  it('is analyzed again after it has grown by a third', async () => {
    expect(await keepStatistics(db.pool)).toEqual([]);
    await addPages(3_001, 3_200);
    expect(await keepStatistics(db.pool)).toEqual([]);
    await addPages(3_201, 5_000);
    expect(await keepStatistics(db.pool)).toEqual(['webpage']);
  });

  it('has a plan afterwards that scans the keys of a batch once', async () => {
    const pages = await selected(3_000);
    const plans = await plansOf((tx) => markBatch(tx, CRAWL, { batch: 'b' }, pages));
    expect(walksKeysPerRow(plans)).toBe(false);
  });
});

describe('with statistics that are older than the rows', () => {
  let pages: SomePage[];

  beforeAll(async () => {
    await addPages(5_001, 50_000);
    pages = (await somePages(db, 'true', 500)).map((page) => ({ ...page, mark: 'b' }));
  });

  /** Applies `change` to the pages; returns the access paths of a statement to the page table afterwards. */
  const pathsAfter = (change: string, work: (tx: Explained) => Promise<unknown>): Promise<string[]> =>
    rolledBack(db, async (client) => {
      await client.query(`update webpage set ${change} where key = any ($1)`, [pages.map(({ key }) => key)]);
      const tx = new Explained(client);
      await work(tx);
      expect(walksKeysPerRow(tx.plans)).toBe(false);
      return accessPaths(tx.plans).filter((path) => path.startsWith('webpage'));
    });

  it.each<[string, (tx: Explained) => Promise<unknown>]>([
    ['locking pages', (tx) => lockPages(tx, CRAWL, pages)],
    ['writing visits', (tx) => writeVisitRows(tx, CRAWL, pages.slice(0, 128).map(visited))],
    ['reading a chunk', (tx) => readSources(tx, CRAWL, pages)],
  ])('%s uses whole keys when no batch is in the statistics', async (_, work) => {
    const paths = await pathsAfter(`rank = null, generate_mark = 'b', fetch_mark = 'b'`, work);
    expect(paths).toEqual(['webpage_pkey (crawl, host, key_hash)']);
  });

  it('marking pages uses whole keys when the table has grown tenfold', async () => {
    const chosen = pages.map((page) => ({ ...page, hash: 1 }));
    const paths = await pathsAfter('rank = 0', (tx) => markBatch(tx, CRAWL, { batch: 'b' }, chosen));
    expect(paths).toEqual(['webpage_pkey (crawl, host, key_hash)']);
  });

  it('promoting due pages uses whole keys when no waiting page is in the statistics', async () => {
    const due = { now: new Date(Date.now() + 1_000), maxInterval: 7_776_000, limit: 20_000 };
    const paths = await pathsAfter('rank = null', (tx) => promoteDue(tx, CRAWL, due));
    expect(paths).toEqual(['webpage_pkey (crawl, host, key_hash)', 'webpage_waiting (crawl, fetch_time)']);
  });
});
