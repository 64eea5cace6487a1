/**
 * Pages of a crawl by status. The rows of its hosts are authoritative; a sum over 100,000 of them takes 50 ms. So the sums at
 * one time are stored (`base`), and every transaction that changes counts of hosts inserts its changes: a row of its own, so
 * that writers never wait for each other. A read adds the sums and the changes; if there are many of those, or the sums are
 * a day old, they are computed again from the hosts. Arrays of counts are in the order of `PAGE_STATUS_CODES`.
 */
import type { Pool } from 'pg';
import { PAGE_STATUS_CODES } from '../core/page/page-status.js';
import { lockOnManyNodes } from '../db/row-locks.js';
import { type Sql, fragment, prepared, row, rows, sql, transaction } from '../db/sql.js';
import { forEachStatus, hostSums } from './host-pages.sql.js';

/** Changes after which the sums are computed again. */
const MAX_CHANGES = 1_000;
/** Key of the advisory lock of a crawl for that. */
const RECOUNT_LOCK = 7_104_533;
/** Key of the lock for that, and for recording changes, if the hosts of a crawl are on many nodes. */
const CHANGES_LOCK = 7_104_534;

/** Records the changes of the current transaction. @param changes in the order of `PAGE_STATUS_CODES` */
export async function recordStatusChanges(tx: Sql, crawl: number, changes: readonly number[]): Promise<void> {
  if (changes.every((n) => n === 0)) return;
  await lockOnManyNodes(tx, 'with others', [CHANGES_LOCK, crawl]);
  await prepared(tx).query(sql`insert into status_count (crawl, counts) values (${crawl}, ${changes}::bigint[])`);
}

export interface KeptCounts {
  /** Pages by status code, without those of 0 pages. Exact. */
  counts: Record<number, number>;
  /** Whether the sums should be computed again (`recountStatuses`): that makes the next read faster. */
  stale: boolean;
}

/** Pages of a crawl by status code. */
export async function keptCounts(db: Sql, crawl: number): Promise<KeptCounts> {
  const kept = await row<{ based: boolean | null; changes: number; old: boolean | null; counts: string[] }>(db)`
    select bool_or(base) as based, count(*)::int as changes,
           min(counted_at) filter (where base) < now() - interval '1 day' as old,
           array[${forEachStatus((_, __, index) => fragment`sum(counts[${index}])`)}] as counts
      from status_count where crawl = ${crawl}`;
  const { based, changes, old, counts } = kept!;
  if (based) return { counts: countsByStatus(counts), stale: (old ?? false) || changes > MAX_CHANGES };
  const sums = await row<{ counts: string[] }>(db)`select ${hostSums} as counts from host where crawl = ${crawl}`;
  return { counts: countsByStatus(sums!.counts), stale: true };
}

/**
 * Computes the sums again. One statement, so that it sees of every transaction both its hosts and its changes, or neither; one
 * at a time for a crawl: a second caller does nothing.
 */
export function recountStatuses(pool: Pool, crawl: number): Promise<void> {
  return transaction(pool, async (tx) => {
    const lock = await row<{ got: boolean }>(tx)`
      select pg_try_advisory_xact_lock(${RECOUNT_LOCK}::int, ${crawl}::int) as got`;
    if (!lock!.got) return;
    await lockOnManyNodes(tx, 'alone', [CHANGES_LOCK, crawl]);
    await tx.query(sql`
      with gone as (delete from status_count where crawl = ${crawl})
      insert into status_count (crawl, base, counts) select ${crawl}, true, ${hostSums} from host where crawl = ${crawl}`);
  });
}

/** Computes all sums again, after counts of hosts were set by hand. */
export async function recountAll(pool: Pool): Promise<void> {
  const kept = await rows<{ crawl: number }>(pool)`select distinct crawl from status_count order by crawl`;
  for (const { crawl } of kept) await recountStatuses(pool, crawl);
}

/** Computes the sums again for crawls with many changes that are never read: changes are rows. */
export async function recountOverdue(pool: Pool): Promise<void> {
  const overdue = await rows<{ crawl: number }>(pool)`
    select crawl from status_count group by crawl having count(*) > ${MAX_CHANGES} order by crawl`;
  for (const { crawl } of overdue) await recountStatuses(pool, crawl);
}

/** @param counts in the order of `PAGE_STATUS_CODES`, as PostgreSQL sends them */
export const countsByStatus = (counts: readonly (string | null)[]): Record<number, number> =>
  Object.fromEntries(
    PAGE_STATUS_CODES.map((code, i) => [code, Number(counts[i] ?? 0)]).filter(([, n]) => n !== 0),
  ) as Record<number, number>;
