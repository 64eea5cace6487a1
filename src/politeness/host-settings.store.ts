/**
 * Settings and state of a host: settings by hand (delays, threads, drain, a block), and the back-off after failures of its
 * servers. FETCH reads them for the hosts that it visits, and writes the outcomes in the transaction of the visits; GENERATE
 * skips excluded hosts (excluded-hosts.ts); /v1/hosts shows and changes them.
 */
import { MAX_BACK_OFF_S } from '../core/politeness/back-off.js';
import { domainKeyOf } from '../core/url/domain.js';
import { lockInOrder } from '../db/row-locks.js';
import { rowList } from '../db/row-list.js';
import { type Sql, fragment, prepared, rows, sql } from '../db/sql.js';
import { crawlColumn } from '../webpage/crawl-column.sql.js';
import { isPossibleBlock } from './possible-block.sql.js';

/** Failures in a row that are counted. */
const MAX_FAILURES = 1_000_000;
/** Until the first request after a block that was lifted: the default of `fetcher.server.delay`. */
const UNBLOCKED_DELAY_S = 5;

/**
 * When the block of host `h` ends; null without one, and for a back-off that is too long to be possible. A block by hand may have
 * any length.
 * @param max seconds of the longest back-off (`fetcher.backoff.max`)
 */
export const blockEnd = (max: number) => fragment`case when h.blocked_by is distinct from 'back-off'
  or ${isPossibleBlock(fragment`h.blocked_until`, max)} then h.blocked_until end`;

/** Pace settings of a host; null: not set. */
export interface HostSettings {
  /** By hand. */
  threads: number | null;
  delayMs: number | null;
  minDelayMs: number | null;
  /** From its metadata, with the names of Nutch 2.x: threads, delay and minimum delay (ms). */
  q_mt: string | null;
  q_cd: string | null;
  q_mcd: string | null;
  /** The value of `generate.fetch.delay.expr` for its batch, ms. */
  fetchDelayMs: number | null;
}

export const settingColumns = fragment`threads, delay_ms as "delayMs", min_delay_ms as "minDelayMs",
  fetch_delay_ms as "fetchDelayMs", metadata ->> 'q_mt' as q_mt, metadata ->> 'q_cd' as q_cd, metadata ->> 'q_mcd' as q_mcd`;

/** State of a host for FETCH. */
export interface HostState extends HostSettings {
  /** Reversed. */
  host: string;
  drain: boolean;
  /** Failures in a row; 0 where the last one is older than `clearAfter`. */
  failures: number;
  /** Milliseconds for which it is blocked from now on; 0: not blocked. */
  blockedMs: number;
}

/**
 * The states of hosts with settings, a block or failures; the result omits other hosts.
 * @param clearAfter seconds after which failures are forgotten (`fetcher.exceptions.per.queue.clear.after`)
 * @param max seconds of the longest back-off (`fetcher.backoff.max`)
 */
export function hostStates(
  db: Sql,
  crawl: number,
  hosts: string[],
  { clearAfter, max = MAX_BACK_OFF_S }: { clearAfter: number; max?: number },
): Promise<HostState[]> {
  return rows<HostState>(prepared(db))`
    select h.host, ${settingColumns}, drain,
           case when blocked_until > now() - make_interval(secs => ${clearAfter}) then failures else 0 end as failures,
           coalesce(greatest(0, extract(epoch from ${blockEnd(max)} - now()) * 1000), 0)::float8 as "blockedMs"
      from unnest(${crawlColumn(crawl, hosts.length)}, ${hosts}::text[]) as asked (crawl, host)
      join host h on h.crawl = asked.crawl and h.host = asked.host
     where (num_nonnulls(threads, delay_ms, min_delay_ms, fetch_delay_ms, blocked_until) > 0 or drain or metadata ?| array['q_mt', 'q_cd', 'q_mcd'])`;
}

/** Outcome of consecutive visits to a host. */
export interface HostOutcome {
  host: string;
  /** Whether any visit succeeded; failures before that are reset. */
  answered: boolean;
  /** Failures after the last success. */
  failures: number;
  /** Milliseconds for which it is blocked from now on; null: no back-off. */
  blockedMs: number | null;
}

/** Adds the outcomes of hosts. A block by hand is kept: it expires, or is removed by hand. */
export async function recordOutcomes(tx: Sql, crawl: number, outcomes: HostOutcome[]): Promise<void> {
  if (outcomes.length === 0) return;
  await prepared(tx).query(sql`
    with outcome as (
      select crawl, host, answered, failures, now() + make_interval(secs => ms / 1000) as until
        from ${rowList('outcome', outcomes, {
          crawl: crawlColumn(crawl, outcomes.length),
          host: ['text', ({ host }) => host],
          answered: ['bool', ({ answered }) => answered],
          failures: ['int', ({ failures }) => failures],
          ms: ['float8', ({ blockedMs }) => blockedMs],
        })}
    ), locked as (
      -- In key order, so that two writers cannot deadlock; hosts with nothing to change are not touched.
      select h.host, h.blocked_by = 'hand' and h.blocked_until > now() as by_hand
        from host h join outcome on h.crawl = outcome.crawl and h.host = outcome.host
       where outcome.failures > 0 or outcome.until is not null or h.failures > 0 or h.blocked_by = 'back-off'
       order by h.host ${lockInOrder(fragment`h`)}
    )
    update host h
       set failures = least(${MAX_FAILURES}::int, case when outcome.answered then 0 else h.failures end + outcome.failures),
           blocked_until = case when locked.by_hand then h.blocked_until when outcome.until is not null then outcome.until
                                when outcome.answered then null else h.blocked_until end,
           blocked_by = case when locked.by_hand then 'hand' when outcome.until is not null then 'back-off'
                             when outcome.answered then null else h.blocked_by end
      from outcome join locked on locked.host = outcome.host
     where h.crawl = outcome.crawl and h.host = outcome.host`);
}

/** Changes of a host; an undefined member is not changed, null clears it. */
export interface HostChange {
  blockedUntil?: Date | null;
  delayMs?: number | null;
  minDelayMs?: number | null;
  threads?: number | null;
  drain?: boolean | null;
}

/** Changes a host's settings; adds a row for a host that is new to the crawl. Clearing a block resets the failures. */
export async function changeHost(tx: Sql, crawl: number, host: string, change: HostChange): Promise<void> {
  const { blockedUntil, delayMs, minDelayMs, threads, drain } = change;
  const keeps = (value: unknown) => fragment`${value === undefined}::bool`;
  await tx.query(sql`
    insert into host as h (crawl, host, domain, blocked_until, blocked_by, delay_ms, min_delay_ms, threads, drain)
    values (${crawl}, ${host}, ${domainKeyOf(host)}, ${blockedUntil ?? null}::timestamptz, ${blockedUntil ? 'hand' : null},
            ${delayMs ?? null}::int, ${minDelayMs ?? null}::int, ${threads ?? null}::smallint, ${drain ?? false})
    on conflict (crawl, host) do update
       set blocked_until = case when ${keeps(blockedUntil)} then h.blocked_until else excluded.blocked_until end,
           blocked_by = case when ${keeps(blockedUntil)} then h.blocked_by else excluded.blocked_by end,
           failures = case when ${keeps(blockedUntil)} or excluded.blocked_until is not null then h.failures else 0 end,
           delay_ms = case when ${keeps(delayMs)} then h.delay_ms else excluded.delay_ms end,
           min_delay_ms = case when ${keeps(minDelayMs)} then h.min_delay_ms else excluded.min_delay_ms end,
           threads = case when ${keeps(threads)} then h.threads else excluded.threads end,
           drain = case when ${keeps(drain)} then h.drain else excluded.drain end`);
}

/** Unblocks fetch queues: their next request may start after the default delay. */
export async function unblockQueues(tx: Sql, queueIds: string[]): Promise<void> {
  await tx.query(sql`
    update politeness set blocked_until = null, next_at = least(next_at, now() + make_interval(secs => ${UNBLOCKED_DELAY_S}))
     where queue_id = any (${queueIds}::text[]) and blocked_until is not null`);
}
