import { afterAll, beforeAll, expect, it } from 'vitest';
import { visitsInBatch } from '../../src/webpage/batch-visits.sql.js';
import type { PageRow } from '../../src/core/page/page-row.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** Visits of pages in a batch: from their rows while it is open, and from the fetch history after UPDATEDB. */

const CRAWL = 1;
const HOST = 'test.a';
const at = (day: number) => new Date(Date.UTC(2026, 0, day));
const made = { crawl: CRAWL, id: 'this', generatedAt: at(10) };

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
  await db.query(`create table fetch_history_2026_01 partition of fetch_history
    for values from ('2026-01-01 00:00+00') to ('2026-02-01 00:00+00')`);
  const visits = { known: [5, 12], twice: [11, 13], before: [5], another: [12] };
  for (const [key, days] of Object.entries(visits))
    for (const day of days)
      await db.query(
        `insert into fetch_history (crawl, host, key, time, status, protocol_code) values ($1, $2, $3, $4, $5, 1)`,
        [CRAWL, HOST, key, at(day), day],
      );
});
afterAll(() => db.drop());

const usual = { host: HOST, fetchTime: at(30), status: 1, fetchMark: null, generateMark: null, batchId: null };
const visitOf = async (row: Partial<PageRow>, batch: Parameters<typeof visitsInBatch>[1] = made) => {
  const found = await visitsInBatch(db.pool, batch, [{ ...usual, ...row } as PageRow]);
  return found.get(row.key!);
};

it.each<[string, Partial<PageRow>, number | undefined]>([
  ['fetched in the open batch: time and status of its row', { key: 'open', fetchMark: 'this' }, 30],
  ['fetched in another open batch: none', { key: 'open', fetchMark: 'another' }, undefined],
  ['of the closed batch: its visit during the batch, not the one before', { key: 'known', batchId: 'this' }, 12],
  ['of the closed batch, fetched twice: the newest visit', { key: 'twice', batchId: 'this' }, 13],
  ['of the closed batch, not fetched in it: none', { key: 'before', batchId: 'this' }, undefined],
  ['that is in another batch now: none', { key: 'another', batchId: 'another' }, undefined],
  ['that was selected again: none', { key: 'known', batchId: 'this', generateMark: 'next' }, undefined],
])('the visit in a batch, of a page %s', async (_what, row, day) => {
  const visit = await visitOf(row);
  expect(visit).toEqual(day === undefined ? undefined : { time: at(day), status: row.fetchMark ? 1 : day });
});

it('the visit in a batch, without a known start of the batch, is the newest one', async () => {
  const { crawl, id } = made;
  expect(await visitOf({ key: 'before', batchId: 'this' }, { crawl, id })).toEqual({ time: at(5), status: 5 });
});
