import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { exactBelow, exactFrom, expectLag, recordExact, settledFrom } from '../../src/webpage/exact-ranks.sql.js';
import { newCrawl } from '../api/seeded-pages.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { IN_THIS_DATABASE } from '../support/locks.js';

/** The rank from which the best pages of a crawl are found by rank, for any order of GENERATE and UPDATEDB. */

let db: TestDatabase;
let crawl: number;
let crawls = 0;
beforeAll(async () => {
  db = await testDatabase();
});
beforeEach(async () => {
  crawl = await newCrawl(db, `ranks ${++crawls}`);
});
afterAll(() => db.drop());

const set = (exact: number, settled: number) =>
  db.query('update crawl set exact_from = $2, settled_from = $3 where id = $1', [crawl, exact, settled]);
const exactOf = () => transaction(db.pool, (tx) => exactFrom(tx, crawl));

describe('UPDATEDB writes exact ranks', () => {
  it('from the lower of the two ranks, until it announces that others will be outdated', async () => {
    await set(700, 300);
    expect(await exactOf()).toBe(300);
    await expectLag(db.pool, crawl);
    expect([await exactOf(), await settledFrom(db.pool, crawl)]).toEqual([700, 700]);
  });

  it('and does not make outdated ranks exact by announcing that', async () => {
    await set(300, 700);
    await expectLag(db.pool, crawl);
    expect([await exactOf(), await settledFrom(db.pool, crawl)]).toEqual([300, 700]);
  });
});

describe('GENERATE that reaches ranks that may be outdated', () => {
  it('requires exact ranks from there, and keeps a lower rank required before', async () => {
    await set(700, 700);
    await exactBelow(db.pool, crawl, 500);
    expect(await exactOf()).toBe(500);
    await exactBelow(db.pool, crawl, 600);
    expect(await exactOf()).toBe(500);
    expect(await settledFrom(db.pool, crawl)).toBe(700);
  });

  it('waits for transactions that write outdated ranks, and none is written afterwards', async () => {
    await set(700, 700);
    const order: string[] = [];
    let asked: Promise<unknown> = Promise.resolve();
    await transaction(db.pool, async (tx) => {
      order.push(`writes from ${await exactFrom(tx, crawl)}`);
      asked = exactBelow(db.pool, crawl, 500).then(() => order.push('exact'));
      const waiting = `select from pg_locks where locktype = 'advisory' and not granted and ${IN_THIS_DATABASE}`;
      await expect.poll(() => db.query(waiting)).toHaveLength(1);
      order.push('written');
    });
    await asked;
    order.push(`writes from ${await exactOf()}`);
    expect(order).toEqual(['writes from 700', 'written', 'exact', 'writes from 500']);
  });

  it.each([
    ['it has refreshed', { exact: 500, settled: 700, refreshed: 500 }, 500],
    [
      'from which ranks have been exact, when that has increased meanwhile',
      { exact: 600, settled: 700, refreshed: 500 },
      600,
    ],
    ['recorded before, when that is lower', { exact: 300, settled: 400, refreshed: 500 }, 400],
  ])('records ranks as exact from the one %s', async (_which, { exact, settled, refreshed }, found) => {
    await set(exact, settled);
    await recordExact(db.pool, crawl, refreshed);
    expect(await settledFrom(db.pool, crawl)).toBe(found);
  });
});
