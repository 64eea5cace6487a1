/**
 * The statements of GENERATE. A page that may be selected has a rank (its score in steps) and is in an index by rank; so
 * a batch is chosen by four statements: due pages get their rank, a cursor reads the ranks from the highest
 * (candidates.sql.ts), selected pages are marked with their batch (and lose their rank), pages that are not due after all lose
 * their rank too. The cost depends on the pages that have become due and that are read, not on the table.
 */
import { withinMax } from '../../core/schedule/fetch-schedule.js';
import { statusText } from '../../core/page/page-status.js';
import { type Fragment, type Sql, count, fragment, rows, sql } from '../../db/sql.js';
import { lockInOrder } from '../../db/row-locks.js';
import { lockPagesByHost } from '../../webpage/lock-pages.sql.js';
import { rankOf } from '../../webpage/rank.sql.js';
import { keyOrder, pageRows, samePage, samePageAs } from '../../webpage/page-key.sql.js';
import type { Trace } from '../step.js';
import { inNoBatch, isInBatch } from '../../webpage/batch-marks.sql.js';

/**
 * Makes pages that have become due selectable: by an index, so the cost depends on these pages alone. The two
 * conditions are two ranges of that index: joined by OR they would be one scan over all waiting pages.
 */
export function promoteDue(
  tx: Sql,
  crawl: number,
  { now, maxInterval, limit }: { now: Date; maxInterval: number; limit: number },
): Promise<number> {
  const beyond = new Date(now.getTime() + maxInterval * 1000);
  const waiting = (when: Fragment) => fragment`(
    select crawl, host, key from webpage
     where crawl = ${crawl} and rank is null and generate_mark is null and ${when}
     order by fetch_time limit ${limit})`;
  return count(tx)`
    update webpage w
       set rank = ${rankOf(fragment`w.score`)},
           -- A time beyond the longest interval is a mistake or an old setting: such a page is due now.
           fetch_time = least(w.fetch_time, ${now}::timestamptz),
           fetch_interval = case when w.fetch_time > ${beyond}::timestamptz and w.fetch_interval > ${maxInterval}
                                 then ${withinMax(maxInterval)} else w.fetch_interval end
      from (select crawl, host, key
              from (${waiting(fragment`fetch_time <= ${now}::timestamptz`)} union all
                    ${waiting(fragment`fetch_time > ${beyond}::timestamptz`)}) due
             limit ${limit}) passed
     where ${samePageAs('passed')}
       -- Still waiting. Written so that old statistics do not make the planner scan the index of waiting pages for each key.
       and num_nulls(w.rank, w.generate_mark) = 2`;
}

/**
 * Pages that were not fetched leave batches made before a given time, with their cash; those whose fetch time has come are
 * due. Returns how many. A FETCH that is running on them sees that they have left its batch.
 */
export async function releaseAbandoned(
  tx: Sql,
  crawl: number,
  { madeBefore, now, limit }: { madeBefore: Date; now: Date; limit: number },
): Promise<number> {
  const pages = await rows<{ host: string; key: string; mark: string }>(tx)`
    with old as materialized (
      select crawl, id from batch where crawl = ${crawl} and generated_at <= ${madeBefore}::timestamptz
    )
    select w.host, w.key, old.id as mark
      from old join webpage w on w.crawl = old.crawl and w.generate_mark = old.id
     where w.fetch_mark is null limit ${limit}`;
  if (pages.length === 0) return 0;
  await lockPagesByHost(tx, crawl, pages);
  return count(tx)`
    with locked as (
      select w.crawl, w.host, w.key
        from ${pageRows(crawl, pages, { mark: 'text' })}
        join webpage w on ${samePage}
         and ${isInBatch(fragment`page.mark`)} and w.fetch_mark is null
       order by w.host, w.key_hash ${lockInOrder(fragment`w`)}
    )
    update webpage w
       set generate_mark = null, cash = w.cash + coalesce(w.spend, 0), spend = null, spend_distance = null,
           rank = case when w.fetch_time <= ${now}::timestamptz then ${rankOf(fragment`w.score`)} end
      from locked where ${samePageAs('locked')}`;
}

export interface Selected {
  host: string;
  key: string;
  hash: number;
  /** The group by which `generate.max.count` counts it; of a page that was chosen by its score. */
  group?: string;
}

/** Which of some pages are in no batch. */
export async function keysInNoBatch(
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; key: string }[],
): Promise<ReadonlySet<string>> {
  const free = await rows<{ key: string }>(tx)`
    select w.key
      from ${pageRows(crawl, pages)}
      join webpage w on ${samePage}
     where ${inNoBatch}`;
  return new Set(free.map(({ key }) => key));
}

/** Which of some pages do not have the mark of a batch. */
export async function withoutMark(
  tx: Sql,
  crawl: number,
  batch: string,
  pages: readonly Selected[],
): Promise<Selected[]> {
  const inBatch = await rows<{ key: string }>(tx)`
    select w.key
      from ${pageRows(crawl, pages)}
      join webpage w on ${samePage}
     where ${isInBatch(batch)}`;
  const marked = new Set(inBatch.map(({ key }) => key));
  return pages.filter(({ key }) => !marked.has(key));
}

/**
 * Marks selected pages with their batch; their cash is frozen for UPDATEDB, and so is their distance. In the order of the primary
 * key: neighbours are in the same leaf pages, and all transactions that write pages lock them in this order.
 */
export async function markBatch(
  tx: Sql,
  crawl: number,
  { batch, trace }: { batch: string; trace?: Trace | undefined },
  pages: readonly Selected[],
): Promise<number> {
  const marked = await tx.query(sql`
    update webpage w
       set generate_mark = ${batch}, batch_id = ${batch}, rank = null, partition_hash = chosen.hash,
           spend = w.cash, cash = 0, spend_distance = w.distance
      from (select *
              from ${pageRows(crawl, pages, { hash: 'int' })}
             order by ${keyOrder}) as chosen
     where ${samePageAs('chosen')}
       -- An expression: without statistics the planner would expect generate_mark is null to hold for few rows, and would join
       -- them with all chosen pages in a nested loop.
       and coalesce(w.generate_mark is null, false)
    ${trace ? fragment`returning w.key, w.status, w.score` : fragment``}`);
  for (const { key, status, score } of marked.rows as { key: string; status: number; score: number }[])
    trace?.(key, { status: statusText(status), score, batch });
  return marked.rowCount ?? 0;
}

/** Pages whose fetch time was postponed by hand become waiting again. */
export async function demote(tx: Sql, crawl: number, pages: { host: string; key: string }[]): Promise<void> {
  await tx.query(sql`
    update webpage w set rank = null
      from ${pageRows(crawl, pages)}
     where ${samePage} and w.fetch_time > now()`);
}

/**
 * Stores the newest batch of a crawl, for jobs that name none, and the rank from which on UPDATEDB keeps ranks exact, so that the
 * next batch finds its pages.
 */
export async function recordNewestBatch(tx: Sql, crawl: number, batch: string, exactFrom: number): Promise<void> {
  await tx.query(sql`update crawl set newest_batch = ${batch}, exact_from = ${exactFrom}::int where id = ${crawl}`);
}
