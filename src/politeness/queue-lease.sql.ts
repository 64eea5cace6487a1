/**
 * Leases of fetch queues, so that the delay of a host, domain or address holds across tasks, jobs, crawls and machines. A task
 * leases a queue for some seconds and keeps the pace itself, without a statement per page. Statements on several queues lock
 * them in the order of their ids, so that those of two tasks cannot deadlock.
 */
import { MAX_INT32 } from '../core/int32.js';
import { MAX_BACK_OFF_S } from '../core/politeness/back-off.js';
import { isPossibleBlock } from './possible-block.sql.js';
import { rowList } from '../db/row-list.js';
import { type Fragment, type Sql, fragment, rows, sql } from '../db/sql.js';
import { TASK_LEASE_S } from '../job/task.store.js';

/** Seconds after which a queue lease expires unless renewed: longer than the lease of a task. */
export const QUEUE_LEASE_S = TASK_LEASE_S * 1.5;
/** Seconds after a renewal in which the holder begins requests. The rest of the lease is for running requests to end. */
export const QUEUE_VALID_S = QUEUE_LEASE_S / 2;
/** Minimum seconds that a task keeps a queue for which another task waits; in general shorter than the interval of renewals. */
export const MIN_QUEUE_LEASE_S = 5;
/** Owner of a queue that was released with its remaining delay. */
const NOBODY = '';
/**
 * A lease, or the time for which a queue is wanted, that ends later than this many times its maximum was written by a clock that
 * was ahead: it is expired. The factor tolerates small steps of the clock.
 */
const TOO_FAR = 2;
/** The longest block that properties allow (`fetcher.backoff.max`), ms. */
const MAX_BLOCK_MS = MAX_BACK_OFF_S * 1000;
/** Seconds for which a task that wants a queue has precedence over others; renewed with each `wantQueues`. */
const WANTED_S = 10;

/** A queue and the delay after each request, ms. */
export interface QueueDelay {
  queueId: string;
  delayMs: number;
}

/** Rounds up and limits to the range of the column: robots.txt may ask for any delay. */
const wholeDelay = ({ delayMs }: QueueDelay): number => Math.min(Math.ceil(delayMs), MAX_INT32);

export interface QueueLease {
  queueId: string;
  /** Milliseconds until its next request may start. */
  waitMs: number;
  /** Milliseconds for which it is blocked (back-off, Retry-After): part of `waitMs`. */
  blockedMs: number;
}

/** Whether the attempt of this name has ended: its task ended or was claimed again, or its worker is known to be dead. */
const hasEnded = (attempt: Fragment) => {
  const token = fragment`substring(${attempt} from '#(\\d+)$')::int`;
  return fragment`exists (
  select 1 from job_task t
   where t.id = substring(${attempt} from '^task (\\d+)#\\d+$')::bigint
     and (t.state <> 'RUNNING' or t.token <> ${token}) and t.silent_token is distinct from ${token})`;
};

/**
 * Whether the attempt that holds the lease has ended. A request of it may have been running, so a whole delay is waited, but not
 * for the lease to expire. An attempt without heartbeats may be cut off from the database and still send requests: its lease must
 * expire or be released.
 */
const holderHasEnded = hasEnded(fragment`politeness.owner`);

const secondsAhead = (seconds: number) => fragment`now() + make_interval(secs => ${seconds})`;
const leaseIsTooFar = fragment`politeness.lease_until > ${secondsAhead(QUEUE_LEASE_S * TOO_FAR)}`;
/** Whether a task waits for the queue: one that yields its slot, or has ended, waits no longer. */
const isWanted = fragment`(coalesce(politeness.wanted_until > now()
  and politeness.wanted_until <= ${secondsAhead(WANTED_S * TOO_FAR)}, false) and not ${hasEnded(fragment`politeness.wanted_by`)})`;

/** Whether no task holds the queue, and none has waited for it longer than this task. */
const isFree = fragment`(politeness.owner = ${NOBODY} or politeness.lease_until <= now() or ${leaseIsTooFar} or ${holderHasEnded})
        and (politeness.wanted_by = excluded.owner or not ${isWanted})`;

/** When the block of a queue ends; null without one, and for one longer than any that this task would set. */
const queueBlockEnd = (maxMs: number) =>
  fragment`case when ${isPossibleBlock(fragment`politeness.blocked_until`, maxMs / 1000)} then politeness.blocked_until end`;

/**
 * Leases queues for a task; the result omits queues that another task holds. If the holder died, the time of its last request
 * is unknown: then a whole delay is waited, ours or the holder's, whichever is longer.
 *
 * A waiting time longer than any possible one was written by a clock that was ahead, and is shortened. A lease that ends too
 * far ahead may belong to a running task: it is taken, and no request begins for as long as that task may begin requests.
 * @param owner `task <id>#<token>`, one attempt. Any task can lease the queues of an attempt that has ended; if it still runs, it
 * can no longer renew, block or release them
 */
export function leaseQueues(
  db: Sql,
  owner: string,
  queues: QueueDelay[],
  maxBlockMs = MAX_BLOCK_MS,
): Promise<QueueLease[]> {
  const delay = fragment`make_interval(secs => greatest(excluded.delay_ms, politeness.delay_ms) / 1000.0)`;
  const blocked = queueBlockEnd(maxBlockMs);
  const nextAt = fragment`least(politeness.next_at, greatest(now() + ${delay}, ${blocked}))`;
  const mayBeRunning = fragment`politeness.owner <> excluded.owner and ${leaseIsTooFar} and not ${holderHasEnded}`;
  return rows<QueueLease>(db)`
    insert into politeness (queue_id, owner, lease_until, next_at, delay_ms)
    select id, ${owner}, now() + make_interval(secs => ${QUEUE_LEASE_S}), now(), delay_ms
      from ${rowList('queue', queues, { id: ['text', ({ queueId }) => queueId], delay_ms: ['int', wholeDelay] })}
     order by id collate "C"
    on conflict (queue_id) do update
       set owner = excluded.owner, lease_until = excluded.lease_until,
           next_at = case when politeness.owner = ${NOBODY}
                          then least(politeness.next_at,
                                     greatest(now() + make_interval(secs => politeness.delay_ms / 1000.0), ${blocked}))
                          when ${mayBeRunning}
                          then greatest(${nextAt}, now() + ${delay} + make_interval(secs => ${QUEUE_VALID_S}))
                          when politeness.lease_until > now() then greatest(${nextAt}, now() + ${delay})
                          else greatest(${nextAt}, politeness.lease_until + ${delay})
                     end,
           delay_ms = case when politeness.owner = ${NOBODY} then excluded.delay_ms
                           else greatest(excluded.delay_ms, politeness.delay_ms) end,
           wanted_by = case when politeness.owner = excluded.owner then politeness.wanted_by end,
           wanted_until = case when politeness.owner = excluded.owner then politeness.wanted_until end
     where politeness.owner = excluded.owner or (${isFree})
    returning queue_id as "queueId",
              greatest(0, extract(epoch from next_at - now()) * 1000)::float8 as "waitMs",
              coalesce(greatest(0, extract(epoch from ${blocked} - now()) * 1000), 0)::float8 as "blockedMs"`;
}

/**
 * Records that a task waits for queues that others hold: the first such task gets them next, as long as it repeats that.
 * A queue whose row is locked is skipped until the next call.
 */
export async function wantQueues(db: Sql, owner: string, queueIds: string[]): Promise<void> {
  await db.query(sql`
    update politeness p
       set wanted_by = ${owner}, wanted_until = now() + make_interval(secs => ${WANTED_S})
      from (select queue_id from politeness
             where queue_id = any (${queueIds}::text[]) and owner <> ${owner}
               and (wanted_by = ${owner} or not ${isWanted})
             order by queue_id for no key update skip locked) as other
     where p.queue_id = other.queue_id`);
}

/** Renews the leases of a task. Returns the queues that it still holds, and whether another task waits for them. */
export function renewQueues(
  db: Sql,
  owner: string,
  queueIds: string[],
): Promise<{ queueId: string; isWanted: boolean }[]> {
  return rows<{ queueId: string; isWanted: boolean }>(db)`
    with locked as materialized (
      select queue_id from politeness
       where queue_id = any (${queueIds}::text[]) and owner = ${owner} order by queue_id for no key update
    )
    update politeness set lease_until = now() + make_interval(secs => ${QUEUE_LEASE_S})
      from locked where politeness.queue_id = locked.queue_id
    returning politeness.queue_id as "queueId", ${isWanted} as "isWanted"`;
}

/** Records the delay that a task keeps in a queue, for the next holder if the task dies. */
export async function recordDelay(db: Sql, owner: string, queue: QueueDelay): Promise<void> {
  await db.query(sql`
    update politeness set delay_ms = ${wholeDelay(queue)} where queue_id = ${queue.queueId} and owner = ${owner}`);
}

/** Releases queues, each with its remaining delay in ms, which is stored as a duration, too: a wrong clock cannot extend it. */
export async function releaseQueues(
  db: Sql,
  owner: string,
  queues: { queueId: string; remainingMs: number }[],
): Promise<void> {
  await db.query(sql`
    with locked as materialized (
      select politeness.queue_id, released.remaining
        from ${rowList('released', queues, {
          id: ['text', ({ queueId }) => queueId],
          remaining: ['float8', ({ remainingMs }) => remainingMs],
        })}
        join politeness on politeness.queue_id = released.id
       where politeness.owner = ${owner} order by politeness.queue_id for no key update of politeness
    )
    update politeness p
       set owner = ${NOBODY}, lease_until = now(), next_at = now() + make_interval(secs => locked.remaining / 1000),
           delay_ms = least(ceil(locked.remaining), ${MAX_INT32}::float8)::int
      from locked where p.queue_id = locked.queue_id`);
}

/** Blocks a queue that a task holds, for later holders, too. */
export async function blockQueue(db: Sql, owner: string, queueId: string, ms: number): Promise<void> {
  await db.query(sql`
    update politeness
       set blocked_until = greatest(blocked_until, now() + make_interval(secs => ${ms / 1000})),
           next_at = greatest(next_at, now() + make_interval(secs => ${ms / 1000}))
     where queue_id = ${queueId} and owner = ${owner}`);
}

/** The blocked ones of the given queues, and for how many ms; blocks longer than the maximum are ignored. */
export async function queueBlocks(
  db: Sql,
  queueIds: readonly string[],
  maxBlockMs = MAX_BLOCK_MS,
): Promise<Map<string, number>> {
  const blocks = await rows<{ id: string; ms: number }>(db)`
    select queue_id as id, (extract(epoch from blocked_until - now()) * 1000)::float8 as ms from politeness
     where queue_id = any (${queueIds}::text[]) and ${queueBlockEnd(maxBlockMs)} > now()`;
  return new Map(blocks.map(({ id, ms }) => [id, ms]));
}

/** Deletes queues that were not used for a day. */
export async function forgetQueues(db: Sql): Promise<void> {
  await db.query(sql`
    delete from politeness p
     using (select queue_id from politeness where greatest(lease_until, next_at) < now() - interval '1 day'
             order by queue_id for update) as old
     where p.queue_id = old.queue_id`);
}
