/**
 * Candidates of GENERATE in chunks, best first: a cursor, and the walk that reads it.
 *
 * The walk follows the index of selectable pages by rank, which orders by score; when it reaches ranks that may lag behind
 * their scores, it throws `RanksLag`. A chunk reads a little more than requested while the rank is the same, and is sorted
 * by score, then key: if very many pages have one score, those are selected that are first in the table.
 *
 * The best million ranks may belong to hosts that give no further page: full by `generate.max.count`, drained, blocked. If
 * half of a chunk was theirs, the walk reopens its cursor without these hosts: the server skips their rows, which costs
 * far less than sending them here to be refused. Skipped rows are in no counter.
 */
import { type Fragment, type Sql, count, fragment, rows, sql } from '../../db/sql.js';
import { hostExclusion } from '../../politeness/excluded-hosts.sql.js';
import { rankBelow } from '../../webpage/rank.sql.js';
import type { EligiblePage } from '../../core/frontier/eligibility.js';
import { ofKind } from '../batch-chunks.sql.js';
import { RanksLag } from './refresh-ranks.js';

/** Maximum number of rows read at once. */
const CHUNK = 50_000;
/** Rows of the last rank that are read beyond those requested: a twentieth of them, at least MIN_EXTRA. */
const EXTRA_DIVISOR = 20;
const MIN_EXTRA = 2_000;
/** Maximum number of these rows read at once. */
const EXTRA_CHUNK = 5_000;
/** Minimum number of candidates requested at once: smaller reads cost as much. */
const MIN_CHUNK = 1_000;
/** Maximum number of hosts sent to the server. */
const MAX_HOSTS = 50_000;
/** Maximum number of keys of one rank kept in memory; a larger group is read to its end. */
const MAX_KEYS = 200_000;

/** A page that may be selected, as GENERATE sees it: small columns only. */
export interface Candidate extends EligiblePage {
  host: string;
  rank: number | null;
}

/** Further fields that an expression can use; read only if there is one. */
export interface CandidateFacts {
  fetchTime: Date;
  modifiedTime: Date | null;
  retriesSinceFetch: number;
  signature: string | null;
}

export interface WalkOptions {
  /** Seconds that FETCH waits for a host (`fetcher.backoff.max.wait`). */
  maxWaitS: number;
  /** Seconds of the longest back-off (`fetcher.backoff.max`). */
  maxBackOffS?: number;
  /** Ranks from here on match their scores (`settledFrom`). Default: the walk uses ranks as they are. */
  settledFrom?: number;
  /** The sort value of scoring filters, if it is not the score alone. */
  sortBy?: (page: Candidate) => number;
}

/** Pages of a chunk that were refused because their host gives no further page. */
export interface Refused {
  /** Hosts that `generate.max.count` has filled. The server knows drained and blocked hosts itself. */
  full: Set<string>;
  /** How many pages, of full hosts and of others. */
  pages: number;
}

export class CandidateWalk {
  private readonly full = new Set<string>();
  /** Keys read at the lowest rank so far: a reopened cursor returns them again. */
  private atLowest = new Set<string>();
  private lowest = Infinity;

  constructor(
    private readonly tx: Sql,
    private readonly query: CandidateQuery,
    private readonly options: WalkOptions,
  ) {}

  /** Opens the cursor, in the current transaction. */
  open(): Promise<void> {
    return openCandidates(this.tx, this.query);
  }

  /** The next chunk; empty at the end. */
  async next(needed: number): Promise<Candidate[]> {
    const { sortBy } = this.options;
    const first = Math.min(Math.max(needed, MIN_CHUNK), CHUNK);
    if (this.query.byKey) return fetchCandidates(this.tx, first);
    if (sortBy !== undefined) return inOrderOf(await this.read(CHUNK), sortBy);
    const chunk = await this.read(first);
    const last = chunk.at(-1)?.rank ?? null;
    let extra = Math.max(first / EXTRA_DIVISOR, MIN_EXTRA);
    while (chunk.length >= first && extra > 0 && last !== null && chunk.at(-1)!.rank === last) {
      const more = await this.read(Math.min(extra, EXTRA_CHUNK));
      if (more.length === 0) break;
      for (const page of more) chunk.push(page);
      extra -= more.length;
    }
    return inOrderOf(chunk, ({ score }) => score);
  }

  /** Throws RanksLag for a page that may come too early: pages of better scores may still come after it. */
  check({ score }: Candidate): void {
    const { settledFrom, sortBy } = this.options;
    if (settledFrom === undefined || sortBy !== undefined || this.query.ahead || this.query.byKey) return;
    const rank = rankBelow(score);
    if (rank < settledFrom) throw new RanksLag(rank);
  }

  /**
   * Called after each chunk: if half of it was refused, reopens the cursor at its end without the hosts that give no further
   * page.
   */
  async skipHosts(chunk: number, { full, pages }: Refused): Promise<void> {
    const { query } = this;
    if (chunk < MIN_CHUNK || pages < chunk / 2 || query.ahead || query.byKey) return;
    if (this.full.size + full.size > MAX_HOSTS || this.atLowest.size > MAX_KEYS) return;
    for (const host of full) this.full.add(host);
    const skipHosts = {
      rank: this.lowest,
      hosts: [...this.full],
      maxWaitS: this.options.maxWaitS,
      maxBackOffS: this.options.maxBackOffS,
    };
    await closeCandidates(this.tx);
    await openCandidates(this.tx, { ...query, skipHosts });
  }

  private async read(n: number): Promise<Candidate[]> {
    for (;;) {
      const chunk = await fetchCandidates(this.tx, n);
      const fresh = chunk.filter(({ key }) => !this.atLowest.has(key));
      const last = chunk.at(-1)?.rank ?? null;
      if (last !== null && last < this.lowest) {
        this.lowest = last;
        this.atLowest = new Set();
      }
      for (const { rank, key } of fresh) if (rank === this.lowest) this.atLowest.add(key);
      if (fresh.length > 0 || chunk.length === 0) return fresh;
    }
  }
}

/** Best first, ties by key. */
function inOrderOf(pages: Candidate[], valueOf: (page: Candidate) => number): Candidate[] {
  const valued = pages.map((page) => ({ page, value: valueOf(page) }));
  valued.sort((a, b) => b.value - a.value || (a.page.key < b.page.key ? -1 : 1));
  return valued.map(({ page }) => page);
}

/** Due at a time; if `beyond` is given, also a page whose fetch time is after it. */
const isDue = (curTime: Date, beyond?: Date) =>
  beyond === undefined
    ? fragment`fetch_time <= ${curTime}::timestamptz`
    : fragment`(fetch_time <= ${curTime}::timestamptz or (rank is null and fetch_time > ${beyond}::timestamptz))`;

const candidateColumns = ({
  curTime,
  beyond,
}: Pick<CandidateTime, 'curTime' | 'beyond'>) => fragment`host, key, score, rank,
  distance, status, fetch_interval as "fetchInterval", ${isDue(curTime, beyond)} as due`;

const factColumns = fragment`, fetch_time as "fetchTime", modified_time as "modifiedTime",
  retries_since_fetch as "retriesSinceFetch", signature`;

export interface CandidateTime {
  /** The time by which pages are due: now, or another one (`curTime`, `adddays`). */
  curTime: Date;
  /** Pages with a fetch time after this are due as well: for callers that cannot promote them first. */
  beyond?: Date;
  /** Seconds that FETCH waits for an excluded host (`fetcher.backoff.max.wait`). */
  maxWaitS: number;
  /** Seconds of the longest back-off (`fetcher.backoff.max`). */
  maxBackOffS?: number;
}

export interface CandidateQuery extends Pick<CandidateTime, 'curTime' | 'beyond'> {
  crawl: number;
  /** `curTime` is ahead of now: waiting pages are candidates too. */
  ahead: boolean;
  sitemap: boolean;
  /** Pages visited since then are left out. */
  notFetchedSince?: Date;
  /** Row keys, both inclusive: only pages between them. */
  from?: string;
  to?: string;
  /** With the columns of `CandidateFacts`. */
  facts?: boolean;
  /** With the metadata. */
  metadata?: boolean;
  /** In the order of the table, by host and then key, instead of by score. */
  byKey?: boolean;
  /** Only ranks up to this one, without the pages of these hosts and of excluded hosts. */
  skipHosts?: { rank: number; hosts: readonly string[]; maxWaitS: number; maxBackOffS?: number };
}

/** The visits of a page are found by its key, in the partitions since then. */
const notVisited = (since: Date | undefined) =>
  since === undefined
    ? fragment``
    : fragment`and not exists (
        select 1 from fetch_history h
         where h.crawl = webpage.crawl and h.host = webpage.host and h.key = webpage.key and h.time >= ${since}::timestamptz)`;

const between = ({ from, to }: CandidateQuery) =>
  fragment`${from === undefined ? fragment`` : fragment`and key >= ${from}`} ${to === undefined ? fragment`` : fragment`and key <= ${to}`}`;

/** Skipped by the server instead of sent here. Excluded hosts are looked up page by page: a join would sort all rows. */
const below = ({ skipHosts, crawl }: CandidateQuery) =>
  skipHosts === undefined
    ? fragment``
    : fragment`and rank <= ${skipHosts.rank} and host <> all (${skipHosts.hosts}::text[])
        and ${hostExclusion(crawl, skipHosts.maxWaitS, skipHosts.maxBackOffS)} is null`;

/**
 * Opens the cursor over candidates, best first, for the current transaction. With the time of now it scans the index
 * of selectable pages and stops when the batch is full; with a time ahead it sorts what will be due by then. `excluded` is
 * null in all of them.
 */
export async function openCandidates(tx: Sql, q: CandidateQuery): Promise<void> {
  const columns = fragment`${candidateColumns(q)}, null as excluded ${q.facts ? factColumns : fragment``}
    ${q.metadata ? fragment`, metadata` : fragment``}`;
  const conditions = fragment`${ofKind(q.sitemap)} ${notVisited(q.notFetchedSince)} ${between(q)} ${below(q)}`;
  // By key, the condition is not that of the partial index of selectable pages: by old statistics all of them would be sorted.
  const selectable = fragment`select ${columns} from webpage
    where crawl = ${q.crawl} and ${q.byKey ? fragment`num_nulls(rank) = 0` : fragment`rank is not null`} and ${conditions}`;
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
         and ${isDue(q.curTime, q.beyond)} and ${conditions}) due
     order by ${q.byKey ? fragment`host, key` : fragment`score desc, key`}`);
}

/** One page as GENERATE would see it at a time; undefined if the crawl has no such page. */
export async function candidateOf(
  db: Sql,
  page: { crawl: number; host: string; key: string },
  when: CandidateTime,
): Promise<Candidate | undefined> {
  const candidates = await rows<Candidate>(db)`
    select ${candidateColumns(when)}, ${hostExclusion(page.crawl, when.maxWaitS, when.maxBackOffS)} as excluded, metadata from webpage
         where crawl = ${page.crawl} and host = ${page.host} and key_hash = hashtextextended(${page.key}, 0) and key = ${page.key}`;
  return candidates[0];
}

/** Whether waiting pages have become due: GENERATE would promote them first. Reads the two ends of their index. */
export async function hasUnpromoted(db: Sql, crawl: number, when: { now: Date; beyond: Date }): Promise<boolean> {
  const end = (order: Fragment) => fragment`(
    select fetch_time from webpage where crawl = ${crawl} and rank is null and generate_mark is null
     order by fetch_time ${order} limit 1)`;
  const [unpromoted] = await rows<{ some: boolean }>(db)`
    select coalesce(${end(fragment``)} <= ${when.now}::timestamptz, false)
            or coalesce(${end(fragment`desc`)} > ${when.beyond}::timestamptz, false) as some`;
  return unpromoted!.some;
}

/** Skips candidates that were not read; returns how many, at most `max`. */
export const skipCandidates = (tx: Sql, max: number): Promise<number> =>
  count(tx, { text: `move forward ${Math.trunc(max)} from candidates`, values: [] });

/** Pages of a crawl that are no candidates at a time: those that wait for their time, those in a batch; at most `max` each. */
export async function countOthers(
  db: Sql,
  crawl: number,
  q: { curTime: Date; beyond: Date; max: number },
): Promise<{ waiting: number; inBatch: number }> {
  const [others] = await rows<{ waiting: number; inBatch: number }>(db)`
    select (select count(*)::int from (
              select 1 from webpage where crawl = ${crawl} and rank is null and generate_mark is null
                 and fetch_time > ${q.curTime}::timestamptz and fetch_time <= ${q.beyond}::timestamptz limit ${q.max}) w) as waiting,
           (select count(*)::int from (
              select 1 from webpage where crawl = ${crawl} and generate_mark is not null limit ${q.max}) b) as "inBatch"`;
  return others!;
}

/** Fetches from the cursor. FETCH takes its number as text only: it is an integer of our own. */
export const fetchCandidates = (tx: Sql, n: number): Promise<Candidate[]> =>
  rows<Candidate>(tx, { text: `fetch ${Math.trunc(n)} from candidates`, values: [] });

/** Closes the cursor, to open it again. */
export const closeCandidates = async (tx: Sql): Promise<void> =>
  void (await tx.query({ text: 'close candidates', values: [] }));

/** Makes a transaction read-only, and limits each of its statements to this time. */
export async function onlyRead(tx: Sql, ms: number): Promise<void> {
  await tx.query(sql`set transaction read only`);
  await tx.query(sql`select set_config('statement_timeout', ${String(Math.trunc(ms))}, true)`);
}
