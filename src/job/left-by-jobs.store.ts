/**
 * What jobs leave behind when they are deleted: lists that were stored for their inline seeds, and snapshots of their
 * configurations. Each is deleted with the last job that names it.
 *
 * A job whose transaction is open is not visible yet. It locks what it names before it is written (`lockLists`; a snapshot by its
 * foreign key). A deletion locks first too, skipping rows that are locked, and only then, by a second statement, reads which
 * jobs exist: a job committed before is visible, and a job created later waits, and finds its list gone.
 */
import type { Pool } from 'pg';
import { type Sql, count, fragment, rows, sql, transaction } from '../db/sql.js';

/** A list that a new job names was deleted after it was looked up. */
export class SeedListGone extends Error {
  constructor(readonly list: string) {
    super(`Seed list ${list} is gone.`);
  }
}

/** Locks lists against deletion until the transaction ends. Throws SeedListGone. */
export async function lockLists(tx: Sql, lists: readonly string[]): Promise<void> {
  if (lists.length === 0) return;
  const locked = await rows<{ name: string }>(
    tx,
  )`select name from seed_list where name = any(${lists}::text[]) for key share`;
  const gone = lists.find((list) => !locked.some(({ name }) => name === list));
  if (gone !== undefined) throw new SeedListGone(gone);
}

/** The indexed expression of job_by_seed_list. Jobs that a CRAWL makes are covered by its own row, which outlives them. */
const unnamed = fragment`not exists (
  select from job where array[left(args ->> 'seedName', 128), left(args ->> 'freegen', 128),
                              left(args ->> 'sitemapUrlDir', 128), left(args ->> 'hostDir', 128)]
                        @> array[seed_list.name collate "default"])`;
const unused = fragment`not exists (select from job where conf_hash = conf_snapshot.hash)`;

/** Deletes at most `limit` lists; returns how many. A request has a day to create its job from a list that it stored. */
export function purgeSeedLists(pool: Pool, limit: number): Promise<number> {
  return transaction(pool, async (tx) => {
    const lists = await rows<{ name: string }>(tx)`
      select name from seed_list where inline and created_at < now() - interval '1 day' and ${unnamed}
       order by created_at limit ${limit} for update skip locked`;
    const names = lists.map(({ name }) => name);
    return count(tx)`delete from seed_list where name = any(${names}::text[]) and ${unnamed}`;
  });
}

/** Deletes those of these lists that were stored for inline seeds and that no job names. */
export async function deleteSeedLists(tx: Sql, names: readonly string[]): Promise<void> {
  const lists = await rows<{ name: string }>(
    tx,
  )`select name from seed_list where inline and name = any(${names}::text[]) order by name for update skip locked`;
  const free = lists.map(({ name }) => name);
  await tx.query(sql`delete from seed_list where name = any(${free}::text[]) and ${unnamed}`);
}

/** Deletes at most `limit` snapshots; returns how many. One that a request used within a day may be needed by a future job. */
export function purgeSnapshots(pool: Pool, limit: number): Promise<number> {
  return transaction(pool, async (tx) => {
    const snapshots = await rows<{ hash: string }>(tx)`
      select hash from conf_snapshot where used_at < now() - interval '1 day' and ${unused}
       order by used_at limit ${limit} for update skip locked`;
    const hashes = snapshots.map(({ hash }) => hash);
    return count(tx)`delete from conf_snapshot where hash = any(${hashes}::text[]) and ${unused}`;
  });
}
