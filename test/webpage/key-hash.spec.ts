import type { PoolClient } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { EntryRow } from '../../src/cycle/sitemap/entry-rows.js';
import { putEntries } from '../../src/cycle/sitemap/entries.sql.js';
import { closeChunk } from '../../src/cycle/updatedb/update-chunk.sql.js';
import { pageByKey } from '../../src/webpage/page-columns.sql.js';
import { contributor, updatedPage } from '../plans/records.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/**
 * Pages are looked up by a hash of their key. Two keys of one host with the same hash do not occur in practice; here every key
 * has the same hash as all others of its length. The first one stored stays, and no values are mixed up.
 */

const HOST = 'com.site';
const key = (path: string): string => `${HOST}:https/${path}`;

const SAME_HASHES = [
  'create schema same',
  `create function same.hashtextextended(text, integer) returns bigint language sql immutable return length($1)`,
  'alter table webpage drop column key_hash cascade',
  'alter table webpage add column key_hash bigint not null generated always as (length(key)) stored',
  'alter table webpage add primary key (crawl, host, key_hash)',
];

let db: TestDatabase;
let tx: PoolClient;

beforeAll(async () => {
  db = await testDatabase();
  for (const statement of SAME_HASHES) await db.query(statement);
  tx = await db.pool.connect();
  await tx.query('set search_path = same, public, pg_catalog');
});
beforeEach(async () => {
  await tx.query('truncate webpage, page_content');
});
afterAll(async () => {
  tx.release();
  await db.drop();
});

const entry = (path: string): EntryRow => ({
  host: HOST,
  key: key(path),
  score: 1,
  fetchInterval: 60,
  modifiedTime: null,
  metadata: {},
});

const scores = async (): Promise<Record<string, number>> => {
  const { rows } = await tx.query<{ key: string; score: number }>('select key, score from webpage order by key');
  return Object.fromEntries(rows.map((row) => [row.key, row.score]));
};

describe('two keys with the same hash', () => {
  it('are stored as one page, also when both are added at once', async () => {
    expect(await putEntries(tx, 1, [entry('a'), entry('b')], false)).toMatchObject({ added: 1 });
    expect(await putEntries(tx, 1, [entry('b')], false)).toMatchObject({ added: 0 });
    expect(await scores()).toEqual({ [key('a')]: 1 });
  });

  it('are distinguished: the stored one is found, the other is not', async () => {
    await putEntries(tx, 1, [entry('a')], false);
    expect(await pageByKey(tx, 1, { host: HOST, key: key('a') })).toMatchObject({ key: key('a') });
    expect(await pageByKey(tx, 1, { host: HOST, key: key('b') })).toBeUndefined();
  });

  it("do not get each other's contributions", async () => {
    await putEntries(tx, 1, [entry('a'), entry('source')], false);
    const source = { host: HOST, key: key('source'), mark: 'b' };
    await tx.query(`update webpage set rank = null, generate_mark = 'b' where key = $1`, [source.key]);
    await tx.query(
      `insert into page_content (crawl, host, key, outlink_keys, outlink_anchors) values (1, $1, $2, $3, array['', '', '', ''])`,
      [HOST, source.key, ['b', 'c', 'long', 'like'].map(key)],
    );
    const options = { crawl: 1, additions: true, interval: 60, ignoreInternal: true, exactFrom: 0, maxInlinks: 100 };
    const close = async () =>
      closeChunk(tx, [{ ...contributor(source), internalShare: 0.25 }], [updatedPage(source)], { ...options });
    // Known: a. New: b and c, which have its hash, and two with another common hash, of which the lesser key is stored.
    expect(await close()).toMatchObject({ added: [{ host: HOST, n: 1 }] });
    expect(await scores()).toEqual({ [key('a')]: 1, [key('like')]: 0.25, [key('source')]: 1 });
  });
});
