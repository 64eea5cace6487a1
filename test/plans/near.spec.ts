import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { dropSomeBands, keptAmong, nearTo, putBands } from '../../src/cycle/dedup/near.sql.js';
import { PAGE_STATUS } from '../../src/core/page/page-status.js';
import { setOrphans } from '../../src/cycle/updatedb/orphan-pages.sql.js';
import { nextOf } from '../../src/cycle/updatedb/updatedb.sql.js';
import type { TestDatabase } from '../support/database.js';
import type { Explained } from './explained.js';
import { plansOf } from './plans-of.js';
import { CRAWL, seededDatabase } from './seeded.js';

/** Access paths of near duplicates and orphans: their cost depends on the rows requested, not on the table. */

let db: TestDatabase;
beforeAll(async () => {
  db = await seededDatabase();
  await db.query(
    `insert into simhash_band (crawl, kept, place, band, signature)
     select ${CRAWL}, true, '', n || substr(s, n * 4 + 1, 4), s
       from (select substr(md5(i::text), 1, 16) as s from generate_series(1, 20000) i) x cross join generate_series(0, 3) n
     on conflict do nothing`,
  );
  await db.query(
    `update webpage set last_inlink = now() - interval '1 day' where crawl = ${CRAWL} and hashtext(key) % 2 = 0`,
  );
  await db.query('vacuum analyze simhash_band, webpage');
});
afterAll(() => db.drop());

const paths = async (work: (tx: Explained) => Promise<unknown>) => (await plansOf(db, work)).paths;
const contents = Array.from({ length: 100 }, (_, i) => ({ place: '', signature: String(i).padStart(16, '0') }));
const limits = { goneAfter: 2_592_000, orphanAfter: 3_456_000 };
const byBand = /^simhash_band_(?:pkey|kept) \(crawl, place, band/;

describe('near duplicates', () => {
  it.each([3, 7])('are found by their bands (distance %i)', async (distance) => {
    const taken = await paths((tx) => nearTo(tx, CRAWL, contents, { distance, kept: true }));
    expect(taken).toEqual([expect.stringMatching(byBand)]);
  });
  it('are recognized as kept by their bands', async () => {
    expect(await paths((tx) => keptAmong(tx, CRAWL, contents))).toEqual([expect.stringMatching(byBand)]);
  });
  it('are written without reading the page table', async () => {
    expect(
      await paths((tx) =>
        putBands(
          tx,
          CRAWL,
          contents.map((one) => ({ ...one, kept: true })),
        ),
      ),
    ).toEqual([]);
  });
  it('are deleted in chunks, without reading those that stay', async () => {
    const taken = await paths(async (tx) => expect(await dropSomeBands(tx, CRAWL, 1_000)).toBe(1_000));
    // The chunk in the order of the index, and the rows up to its end.
    expect(taken.toSorted()).toEqual([
      'simhash_band_pkey (crawl)',
      'simhash_band_pkey (crawl, signature, place, band)',
    ]);
  });
});

describe('orphans', () => {
  it.each(['gone', 'orphan'] as const)('to be marked as %s are found by the time of their last inlink', async (to) => {
    const taken = await paths((tx) => setOrphans(tx, CRAWL, limits, { to, limit: 5_000 }));
    expect(taken).toContain('webpage_linked (crawl, last_inlink)');
    expect(taken.filter((path) => !/^webpage_(?:linked|pkey) /.test(path))).toEqual([]);
  });
  it.each([
    ['orphan', 'webpage_orphan (crawl, host, key_hash)'],
    ['gone', 'webpage_gone (crawl, host, key_hash)'],
  ] as const)('to be deleted with status %s are found by a partial index', async (status, index) => {
    await db.query(
      `update webpage set status = $1 where crawl = ${CRAWL} and key like '%0' and generate_mark is null`,
      [PAGE_STATUS[status]],
    );
    expect(await paths((tx) => nextOf(tx, CRAWL, status, { after: { host: '', key: '' }, limit: 5_000 }))).toEqual([
      index,
    ]);
  });
});
