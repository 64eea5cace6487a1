import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { putEntries } from '../../src/cycle/sitemap/entries.sql.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { expectConsistent, pageAt } from './table.js';

/** Entries of pages that are known, beside the steps that have those pages at the same time. */

let cycle: Cycle;

beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

it('are written in the order in which all others lock rows: pages before their host', async () => {
  const { crawl } = await cycle.inject(['http://order.test/known'], {}, { crawlId: 'order' });
  const { host } = await pageAt(cycle, '/known', 'order');
  const rows = ['known', 'new'].map((path) => ({
    host,
    key: `${host}:http/${path}`,
    score: 0.5,
    fetchInterval: 60,
    modifiedTime: null,
    metadata: { 'sitemap.priority': '0.5' },
  }));
  const other = await cycle.pool.connect();
  await other.query('begin');
  await other.query('select from webpage where crawl = $1 and host = $2 for update', [crawl, host]);
  const written = transaction(cycle.pool, (tx) => putEntries(tx, crawl, rows, false));
  const outcome = written.catch((error: unknown) => error);
  const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await vi.waitFor(async () => expect(await cycle.db.query(waiting)).toHaveLength(1), 10_000);
  const ended = await other.query('update host set n_gone = n_gone where crawl = $1', [crawl]).catch((e: unknown) => e);
  await other.query('commit');
  other.release();
  expect([ended, await outcome]).toMatchObject([{ rowCount: 1 }, { added: 1, updated: 1 }]);
  await expectConsistent(cycle);
});
