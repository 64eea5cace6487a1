/**
 * Contributions to pages of other hosts, between the transaction that makes them and the one that adds them. Each partition of
 * a job locks rows of its own hosts only. If it also added to hosts of the others, the partitions would wait for each other. So a
 * chunk writes these contributions to `pending_contribution`, aggregated by target, in the transaction that closes its pages. The
 * transaction that adds them deletes the row. Each contribution is added exactly once, also when a worker dies.
 *
 * A partition adds the rows addressed to it each time it has read ahead. When its own pages are done it adds everything that is
 * left, so nothing is left when the last partition ends. What an aborted job leaves, the next UPDATEDB of the crawl adds.
 *
 * Targets whose inlinks must be counted are listed in the same rows. A chunk does not see the inlinks that chunks of other
 * partitions insert at the same time. The transaction that takes the last of these rows sees all of them.
 */
import { rowList } from '../../db/row-list.js';
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { type Contributions, TO_COUNT, updatedRows } from './update-chunk.sql.js';
import { capInlinks } from '../inlinks.sql.js';
import { type LinkOptions, mayEnter, upsertProposed } from './proposed-rows.sql.js';

/** Rows taken in one transaction, and the number of targets after which no further row is taken. */
const MAX_ROWS = 16;
const ENOUGH_TARGETS = 50_000;

/** Stores contributions for the partitions of their targets. */
export async function writeContributions(
  tx: Sql,
  crawl: number,
  contributions: readonly Contributions[],
): Promise<void> {
  if (contributions.length === 0) return;
  await tx.query(sql`
    insert into pending_contribution (crawl, part, targets, keys, shares, distances, kinds)
    select ${crawl}, contribution.part, contribution.targets, contribution.keys::text[], contribution.shares::float8[], contribution.distances::int[], contribution.kinds::text[]
      from ${rowList('contribution', contributions, {
        part: ['int', ({ part }) => part],
        targets: ['int', ({ targets }) => targets],
        keys: ['text', ({ keys }) => keys],
        shares: ['text', ({ shares }) => shares],
        distances: ['text', ({ distances }) => distances],
        kinds: ['text', ({ kinds }) => kinds],
      })}`);
}

/** Locks the oldest rows for a partition, or for any, that no other transaction has locked. @returns their ids */
export async function claimContributions(tx: Sql, crawl: number, part: number | null): Promise<string[]> {
  const contributions = await rows<{ id: string }>(tx)`
    with oldest as (
      select id, targets from pending_contribution
       where crawl = ${crawl} ${part === null ? fragment`` : fragment`and part = ${part}`}
       order by id limit ${MAX_ROWS} for update skip locked
    )
    select id from (select id, sum(targets) over (order by id) - targets as before from oldest) added_up
     where before < ${ENOUGH_TARGETS}`;
  return contributions.map(({ id }) => id);
}

/**
 * Adds contributions to their targets, counts inlinks, and deletes the rows. The rows are read by the same statement: to send
 * their keys here and back would encode them twice.
 *
 * @param contributions ids that `claimContributions` has returned in this transaction
 * @returns the number of new pages by host
 */
export async function addContributions(
  tx: Sql,
  contributions: readonly string[],
  options: LinkOptions,
): Promise<{ host: string; n: number }[]> {
  const linkRows = fragment`
      select split_part(contributed.key, ':', 1) collate "C" as host, contributed.key collate "C" as key, contributed.share, contributed.distance, contributed.kind
        from pending_contribution pending
       cross join lateral unnest(pending.keys, pending.shares, pending.distances, pending.kinds) as contributed (key, share, distance, kind)
       where pending.crawl = ${options.crawl} and pending.id = any (${contributions}::bigint[]) and contributed.distance <> ${TO_COUNT}`;
  // Only scores are pending: a job whose pages also give metadata adds them at once.
  const put = upsertProposed({ ...options, initialValues: false });
  const added = await rows<{ host: string; n: number }>(tx)`
    with own as (
      select * from ${updatedRows([])}
    ), ${mayEnter(options, linkRows)}, target as (
      select host, key, sum(share) as share, min(distance) + 1 as distance, min(kind) as kind from link group by host, key
    ), put as (
      ${put}
    )
    select host, count(*)::int as n from put where added group by host`;
  await capLinked(tx, contributions, options);
  await tx.query(
    sql`delete from pending_contribution where crawl = ${options.crawl} and id = any (${contributions}::bigint[])`,
  );
  return added;
}

/** Caps the inlinks of the targets that these rows list for it. */
async function capLinked(tx: Sql, contributions: readonly string[], { crawl, maxInlinks }: LinkOptions): Promise<void> {
  const linked = await rows<{ host: string; key: string }>(tx)`
    select distinct split_part(listed.key, ':', 1) as host, listed.key
      from pending_contribution pending
     cross join lateral unnest(pending.keys, pending.distances) as listed (key, distance)
     where pending.crawl = ${crawl} and pending.id = any (${contributions}::bigint[]) and listed.distance = ${TO_COUNT}`;
  if (linked.length > 0) await capInlinks(tx, crawl, linked, maxInlinks);
}
