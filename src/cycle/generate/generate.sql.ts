/**
 * The statements of GENERATE. A page that may be selected has a rank (its score in steps) and stands in an index by that; so
 * a batch is chosen by four statements: pages that are due get their rank, a cursor walks the ranks from the top, what is
 * chosen is marked with its batch (and loses its rank), what was not due after all goes back. The cost is that of the pages
 * that were passed and read, not of the table.
 */
import { statusText } from '../../core/page/page-status.js';
import { type Sql, count, fragment, rows, sql } from '../../db/sql.js';
import { lockInOrder } from '../../db/row-locks.js';
import { type HostExclusion, hostExclusion } from '../../politeness/host-settings.store.js';
import { lockPagesByHost } from '../../webpage/lock-pages.js';
import { ofKind } from '../batch.js';
import { rankOf } from '../../webpage/rank.js';
import { crawlColumn } from '../../webpage/crawl-column.js';
import type { Trace } from '../step.js';

/** A page that may be selected, as GENERATE sees it: small columns only. */
export interface Candidate {
  host: string;
  key: string;
  score: number;
  rank: number | null;
  distance: number;
  status: number;
  fetchInterval: number;
  /** Whether its time has come by the clock of the run. */
  due: boolean;
  /** Why its host is left alone now; null: it is not. Of those that a cursor reads it is asked afterwards (`ExcludedHosts`). */
  excluded: HostExclusion | null;
  /** Read only where a scoring filter sorts by more than the score. */
  metadata?: Record<string, string> | null;
}

/** What an expression may ask of a candidate besides; read only where there is one. */
export interface CandidateFacts {
  fetchTime: Date;
  modifiedTime: Date | null;
  retriesSinceFetch: number;
  signature: string | null;
}

/**
 * Pages that the clock has made due become selectable: by index, so the cost is that of the pages it passed. The two
 * reasons are two ranges of that index: asked for with OR they would be one walk over all pages that wait.
 */
export function promoteDue(
  tx: Sql,
  crawl: number,
  options: { now: Date; maxInterval: number; limit: number },
): Promise<number> {
  const beyond = new Date(options.now.getTime() + options.maxInterval * 1000);
  const waiting = (when: ReturnType<typeof fragment>) => fragment`(
    select crawl, host, key from webpage
     where crawl = ${crawl} and rank is null and generate_mark is null and ${when}
     order by fetch_time limit ${options.limit})`;
  return count(tx)`
    update webpage w
       set rank = ${rankOf(fragment`w.score`)},
           -- A time beyond the longest interval is a mistake or an old setting: such a page is due now.
           fetch_time = least(w.fetch_time, ${options.now}::timestamptz),
           fetch_interval = case when w.fetch_time > ${beyond}::timestamptz and w.fetch_interval > ${options.maxInterval}
                                 then ${Math.round(options.maxInterval * 0.9)} else w.fetch_interval end
      from (select crawl, host, key
              from (${waiting(fragment`fetch_time <= ${options.now}::timestamptz`)} union all
                    ${waiting(fragment`fetch_time > ${beyond}::timestamptz`)}) due
             limit ${options.limit}) passed
     where w.crawl = passed.crawl and w.host = passed.host and w.key = passed.key
       -- Still waiting. Written so that the index of waiting pages is not walked for each key by old statistics.
       and num_nulls(w.rank, w.generate_mark) = 2`;
}

/**
 * Pages of batches made before a moment that nobody has fetched leave their batch, with their cash, due if their time has
 * come. Returns how many. A FETCH that is at work on them sees that they left its batch.
 */
export async function giveBackAbandoned(
  tx: Sql,
  crawl: number,
  o: { madeBefore: Date; now: Date; limit: number },
): Promise<number> {
  const pages = await rows<{ host: string; key: string; mark: string }>(tx)`
    with old as materialized (
      select crawl, id from batch where crawl = ${crawl} and generated_at <= ${o.madeBefore}::timestamptz
    )
    select w.host, w.key, old.id as mark
      from old join webpage w on w.crawl = old.crawl and w.generate_mark = old.id
     where w.fetch_mark is null limit ${o.limit}`;
  if (pages.length === 0) return 0;
  await lockPagesByHost(tx, crawl, pages);
  return count(tx)`
    with held as (
      select w.crawl, w.host, w.key
        from unnest(${crawlColumn(crawl, pages.length)}, ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[],
                    ${pages.map((p) => p.mark)}::text[]) as page (crawl, host, key, mark)
        join webpage w on w.crawl = page.crawl and w.host = page.host and w.key = page.key
         and w.generate_mark is not distinct from page.mark and w.fetch_mark is null
       order by w.host, w.key ${lockInOrder(fragment`w`)}
    )
    update webpage w
       set generate_mark = null, cash = w.cash + coalesce(w.spend, 0), spend = null, spend_distance = null,
           rank = case when w.fetch_time <= ${o.now}::timestamptz then ${rankOf(fragment`w.score`)} end
      from held
     where w.crawl = held.crawl and w.host = held.host and w.key = held.key`;
}

/** Due by a clock; where `beyond` is given, also a page that waits for a time behind it. */
const isDue = (clock: Date, beyond?: Date) =>
  beyond === undefined
    ? fragment`fetch_time <= ${clock}::timestamptz`
    : fragment`(fetch_time <= ${clock}::timestamptz or (rank is null and fetch_time > ${beyond}::timestamptz))`;

const candidateColumns = ({
  clock,
  beyond,
}: Pick<CandidateClock, 'clock' | 'beyond'>) => fragment`host, key, score, rank,
  distance, status, fetch_interval as "fetchInterval", ${isDue(clock, beyond)} as due`;

const factColumns = fragment`, fetch_time as "fetchTime", modified_time as "modifiedTime",
  retries_since_fetch as "retriesSinceFetch", signature`;

export interface CandidateClock {
  clock: Date;
  /** Pages that wait for a time behind this are due as well: for who cannot promote them first. */
  beyond?: Date;
  /** Seconds that FETCH waits for a host that is left alone (`fetcher.backoff.max.wait`). */
  maxWait: number;
  /** Seconds of the longest back-off (`fetcher.backoff.max`). */
  maxBackOff?: number;
}

export interface CandidateQuery extends Pick<CandidateClock, 'clock' | 'beyond'> {
  crawl: number;
  /** The clock is ahead of the database's: pages that wait are candidates too. */
  ahead: boolean;
  sitemap: boolean;
  /** Pages visited since then are left out. */
  notFetchedSince?: Date;
  /** Row keys, both included: only pages between them. */
  from?: string;
  to?: string;
  /** With the columns of `CandidateFacts`. */
  facts?: boolean;
  /** With the metadata. */
  metadata?: boolean;
  /** In the order of the table, by host and then key, instead of that of scores. */
  byKey?: boolean;
  /** Only ranks up to this one, without the pages of these hosts and of hosts that are left alone. */
  passOver?: { rank: number; hosts: readonly string[]; maxWait: number; maxBackOff?: number };
}

/** The visits of a page are found by its key, in the partitions since then. */
const notVisited = (since: Date | undefined) =>
  since === undefined
    ? fragment``
    : fragment`and not exists (
        select from fetch_history h
         where h.crawl = webpage.crawl and h.host = webpage.host and h.key = webpage.key and h.time >= ${since}::timestamptz)`;

const between = ({ from, to }: CandidateQuery) =>
  fragment`${from === undefined ? fragment`` : fragment`and key >= ${from}`} ${to === undefined ? fragment`` : fragment`and key <= ${to}`}`;

/** Passed over by the server instead of sent here. Excluded hosts are looked up page by page: a join would sort the whole place. */
const below = ({ passOver, crawl }: CandidateQuery) =>
  passOver === undefined
    ? fragment``
    : fragment`and rank <= ${passOver.rank} and host <> all (${passOver.hosts}::text[])
        and ${hostExclusion(crawl, passOver.maxWait, passOver.maxBackOff)} is null`;

/**
 * Opens the cursor over candidates, best first, for the present transaction. With the clock of now it walks the index
 * of selectable pages and stops where the batch is full; with a clock ahead it sorts what will be due by then. `excluded` is
 * null in all of them.
 */
export async function openCandidates(tx: Sql, q: CandidateQuery): Promise<void> {
  const columns = fragment`${candidateColumns(q)}, null as excluded ${q.facts ? factColumns : fragment``}
    ${q.metadata ? fragment`, metadata` : fragment``}`;
  const wanted = fragment`${ofKind(q.sitemap)} ${notVisited(q.notFetchedSince)} ${between(q)} ${below(q)}`;
  const selectable = fragment`select ${columns} from webpage
    where crawl = ${q.crawl} and rank is not null and ${wanted}`;
  if (!q.ahead) {
    await tx.query(sql`declare candidates no scroll cursor for ${selectable}
      order by ${q.byKey ? fragment`host, key` : fragment`rank desc`}`);
    return;
  }
  await tx.query(sql`
    declare candidates no scroll cursor for
    select * from (${selectable}
       union all
      select ${columns} from webpage
       where crawl = ${q.crawl} and rank is null and generate_mark is null
         and ${isDue(q.clock, q.beyond)} and ${wanted}) due
     order by ${q.byKey ? fragment`host, key` : fragment`score desc, key`}`);
}

/** One page as GENERATE would see it by a clock; undefined when the crawl does not know it. */
export async function candidateOf(
  db: Sql,
  page: { crawl: number; host: string; key: string },
  when: CandidateClock,
): Promise<Candidate | undefined> {
  const found = await rows<Candidate>(db)`
    select ${candidateColumns(when)}, ${hostExclusion(page.crawl, when.maxWait, when.maxBackOff)} as excluded, metadata from webpage
         where crawl = ${page.crawl} and host = ${page.host} and key = ${page.key}`;
  return found[0];
}

/** Whether pages wait whose time has come: GENERATE would promote them first. Asks the two ends of their index. */
export async function hasUnpromoted(db: Sql, crawl: number, when: { now: Date; beyond: Date }): Promise<boolean> {
  const end = (order: ReturnType<typeof fragment>) => fragment`(
    select fetch_time from webpage where crawl = ${crawl} and rank is null and generate_mark is null
     order by fetch_time ${order} limit 1)`;
  const [found] = await rows<{ some: boolean }>(db)`
    select coalesce(${end(fragment``)} <= ${when.now}::timestamptz, false)
            or coalesce(${end(fragment`desc`)} > ${when.beyond}::timestamptz, false) as some`;
  return found!.some;
}

/** Skips over candidates that were not read; returns how many, at most `max`. */
export const skipCandidates = (tx: Sql, max: number): Promise<number> =>
  count(tx, { text: `move forward ${Math.trunc(max)} from candidates`, values: [] });

/** Pages of a crawl that are no candidates by a clock: those that wait for their time, those in a batch; at most `max` each. */
export async function countOthers(
  db: Sql,
  crawl: number,
  q: { clock: Date; beyond: Date; max: number },
): Promise<{ waiting: number; inBatch: number }> {
  const [found] = await rows<{ waiting: number; inBatch: number }>(db)`
    select (select count(*)::int from (
              select 1 from webpage where crawl = ${crawl} and rank is null and generate_mark is null
                 and fetch_time > ${q.clock}::timestamptz and fetch_time <= ${q.beyond}::timestamptz limit ${q.max}) w) as waiting,
           (select count(*)::int from (
              select 1 from webpage where crawl = ${crawl} and generate_mark is not null limit ${q.max}) b) as "inBatch"`;
  return found!;
}

/** Reads on. FETCH takes its number as text only: it is an integer of our own. */
export const fetchCandidates = (tx: Sql, n: number): Promise<Candidate[]> =>
  rows<Candidate>(tx, { text: `fetch ${Math.trunc(n)} from candidates`, values: [] });

/** Closes the cursor, to open it again. */
export const closeCandidates = async (tx: Sql): Promise<void> =>
  void (await tx.query({ text: 'close candidates', values: [] }));

export interface Selected {
  host: string;
  key: string;
  hash: number;
  /** What `generate.max.count` counts it by; of a page that was chosen by its score. */
  group?: string;
}

/** Which of some pages are in no batch. */
export async function keysInNoBatch(
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; key: string }[],
): Promise<ReadonlySet<string>> {
  const found = await rows<{ key: string }>(tx)`
    select w.key
      from unnest(${crawlColumn(crawl, pages.length)}, ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[]) as page (crawl, host, key)
      join webpage w on w.crawl = page.crawl and w.host = page.host and w.key = page.key
     -- Written so that the index of batches is not walked by old statistics.
     where num_nulls(w.generate_mark) = 1`;
  return new Set(found.map(({ key }) => key));
}

/** Which of some pages do not carry the mark of a batch. */
export async function withoutMark(
  tx: Sql,
  crawl: number,
  batch: string,
  pages: readonly Selected[],
): Promise<Selected[]> {
  const found = await rows<{ key: string }>(tx)`
    select w.key
      from unnest(${crawlColumn(crawl, pages.length)}, ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[]) as page (crawl, host, key)
      join webpage w on w.crawl = page.crawl and w.host = page.host and w.key = page.key
     -- Written so that the index of batches is not walked by old statistics.
     where w.generate_mark is not distinct from ${batch}`;
  const marked = new Set(found.map(({ key }) => key));
  return pages.filter(({ key }) => !marked.has(key));
}

/**
 * Marks selected pages with their batch; their cash is frozen for UPDATEDB, and so is their distance. In the order of keys:
 * neighbours lie in the same leaves of the primary key.
 */
export async function markBatch(
  tx: Sql,
  crawl: number,
  { batch, trace }: { batch: string; trace?: Trace | undefined },
  selected: readonly Selected[],
): Promise<number> {
  const pages = selected.toSorted((a, b) => (a.key < b.key ? -1 : 1));
  const marked = await tx.query(sql`
    update webpage w
       set generate_mark = ${batch}, batch_id = ${batch}, rank = null, partition_hash = chosen.hash,
           spend = w.cash, cash = 0, spend_distance = w.distance
      from unnest(${crawlColumn(crawl, pages.length)}, ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[],
                  ${pages.map((p) => p.hash)}::int[]) as chosen (crawl, host, key, hash)
     where w.crawl = chosen.crawl and w.host = chosen.host and w.key = chosen.key and w.generate_mark is null
    ${trace ? fragment`returning w.key, w.status, w.score` : fragment``}`);
  for (const { key, status, score } of marked.rows as { key: string; status: number; score: number }[])
    trace?.(key, { status: statusText(status), score, batch });
  return marked.rowCount ?? 0;
}

/** Pages whose time was set forward by hand go back to the pages that wait. */
export async function demote(tx: Sql, crawl: number, pages: { host: string; key: string }[]): Promise<void> {
  await tx.query(sql`
    update webpage w set rank = null
      from unnest(${crawlColumn(crawl, pages.length)}, ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[])
           as early (crawl, host, key)
     where w.crawl = early.crawl and w.host = early.host and w.key = early.key and w.fetch_time > now()`);
}

/**
 * Remembers the newest batch of a crawl, for jobs that name none, and the rank from which on UPDATEDB keeps ranks exact, so that the
 * next batch finds its pages.
 */
export async function rememberBatch(tx: Sql, crawl: number, batch: string, exactFrom: number): Promise<void> {
  await tx.query(sql`update crawl set newest_batch = ${batch}, exact_from = ${exactFrom}::int where id = ${crawl}`);
}
