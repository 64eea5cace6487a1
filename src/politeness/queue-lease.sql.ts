/**
 * Who may knock at a host: a lease per fetch queue, so that the delay of a host, domain or address holds across tasks,
 * jobs, crawls and machines. A task leases a queue for a while and then keeps the pace by itself; it is not asked per page.
 */
import { type Sql, fragment, rows, sql } from '../db/sql.js';
import { LEASE_SECONDS } from '../job/task.store.js';

/** Seconds a queue stays with a task that does not renew it: longer than the task stays with a worker that is silent. */
export const QUEUE_LEASE_SECONDS = LEASE_SECONDS * 1.5;
/** For so many of them its holder begins requests. Then it waits for word from the database, and what is under way ends. */
export const QUEUE_VALID_SECONDS = QUEUE_LEASE_SECONDS / 2;
/** A queue that another task waits for stays with its holder for at least so many seconds: in general shorter than the time between renewals. */
export const QUEUE_MIN_LEASE_SECONDS = 5;
/** Owner of a queue that was given back, with its rest. */
const NOBODY = '';
/**
 * A lease, or a request for one, that lasts so many times as long as any may was written by a clock that was ahead: it is over. Small
 * steps of a clock are none of that.
 */
const TOO_FAR = 2;
/** The longest block that properties allow (`fetcher.backoff.max`), ms. */
const MAX_BLOCK_MS = 2_592_000_000;
/** How much a block may seem longer than it was made. */
const SLACK_MS = 5_000;
/** For so many seconds after it asked for a queue, the task that waited for it first comes before others. */
const WANTED_SECONDS = 10;

/** A queue and its rest after each request, ms. */
export interface QueueDelay {
  queueId: string;
  delayMs: number;
}

/** As it fits the column: robots.txt may ask for any delay. */
const wholeDelay = ({ delayMs }: QueueDelay): number => Math.min(Math.ceil(delayMs), 2 ** 31 - 1);

export interface QueueLease {
  queueId: string;
  /** Milliseconds until its next request may start. */
  waitMs: number;
  /** Milliseconds for which its servers have asked to be left alone (back-off, Retry-After): part of `waitMs`. */
  blockedMs: number;
}

const tokenOfOwner = fragment`substring(politeness.owner from '#(\\d+)$')::int`;

/**
 * Whether the holder is an attempt that is over: its task ended, or its worker is known to have died, and left the lease behind.
 * It may still have had a request under way, so a whole delay is waited, but no lease. An attempt that was only silent may
 * be cut off from the database and ask on: its lease has to run out, or to be given back.
 */
const holderIsOver = fragment`exists (
  select from job_task t
   where t.id = substring(politeness.owner from '^task (\\d+)#\\d+$')::bigint
     and (t.state <> 'RUNNING' or t.token <> ${tokenOfOwner}) and t.silent_token is distinct from ${tokenOfOwner})`;

const secondsAhead = (seconds: number) => fragment`now() + make_interval(secs => ${seconds})`;
const leaseIsTooFar = fragment`politeness.lease_until > ${secondsAhead(QUEUE_LEASE_SECONDS * TOO_FAR)}`;
const isWanted = fragment`coalesce(politeness.wanted_until > now()
  and politeness.wanted_until <= ${secondsAhead(WANTED_SECONDS * TOO_FAR)}, false)`;

/** Whether nobody holds the queue, nor has waited for it before the task that asks. */
const isFree = fragment`(politeness.owner = ${NOBODY} or politeness.lease_until <= now() or ${leaseIsTooFar} or ${holderIsOver})
        and (politeness.wanted_by = excluded.owner or not ${isWanted})`;

/** When the block of a queue ends; null without one, and where it is longer than any that the asking task would make. */
const blockEnd = (maxMs: number) =>
  fragment`case when politeness.blocked_until <= ${secondsAhead((maxMs + SLACK_MS) / 1000)} then politeness.blocked_until end`;

/**
 * Leases queues for a task; those that another task holds are missing in the answer. After an attempt that died, the
 * time of its last request is unknown: then a whole delay is waited, ours or the one that it kept, whichever is longer.
 *
 * No rest is longer than it can have been made: it was written by a clock that was ahead. A lease that is too far off may still
 * be that of a task at work, which will renew it: it is taken, and for as long as that task may begin requests, none is begun.
 * @param owner `task <id>#<token>`, one attempt: what an attempt that is over has held goes to any task that asks; should it be
 * at work after all, what it renews, puts off or gives back is no longer its own
 */
export function leaseQueues(
  db: Sql,
  owner: string,
  queues: QueueDelay[],
  maxBlockMs = MAX_BLOCK_MS,
): Promise<QueueLease[]> {
  const delay = fragment`make_interval(secs => greatest(excluded.delay_ms, politeness.delay_ms) / 1000.0)`;
  const blocked = blockEnd(maxBlockMs);
  const rest = fragment`least(politeness.next_at, greatest(now() + ${delay}, ${blocked}))`;
  const mayBeAtWork = fragment`politeness.owner <> excluded.owner and ${leaseIsTooFar} and not ${holderIsOver}`;
  return rows<QueueLease>(db)`
    insert into politeness (queue_id, owner, lease_until, next_at, delay_ms)
    select id, ${owner}, now() + make_interval(secs => ${QUEUE_LEASE_SECONDS}), now(), delay_ms
      from unnest(${queues.map((q) => q.queueId)}::text[], ${queues.map(wholeDelay)}::int[]) as given (id, delay_ms)
     order by id collate "C"
    on conflict (queue_id) do update
       set owner = excluded.owner, lease_until = excluded.lease_until,
           next_at = case when politeness.owner = ${NOBODY}
                          then least(politeness.next_at,
                                     greatest(now() + make_interval(secs => politeness.delay_ms / 1000.0), ${blocked}))
                          when ${mayBeAtWork}
                          then greatest(${rest}, now() + ${delay} + make_interval(secs => ${QUEUE_VALID_SECONDS}))
                          when politeness.lease_until > now() then greatest(${rest}, now() + ${delay})
                          else greatest(${rest}, politeness.lease_until + ${delay})
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
 * Says of queues that others hold that a task waits for them: the first who does gets them next, as long as it asks again and
 * again. A queue that somebody writes to now is passed over, until it is asked for again.
 */
export async function wantQueues(db: Sql, owner: string, queueIds: string[]): Promise<void> {
  await db.query(sql`
    update politeness p
       set wanted_by = ${owner}, wanted_until = now() + make_interval(secs => ${WANTED_SECONDS})
      from (select queue_id from politeness
             where queue_id = any (${queueIds}::text[]) and owner <> ${owner}
               and (wanted_by = ${owner} or not ${isWanted})
             order by queue_id for no key update skip locked) as other
     where p.queue_id = other.queue_id`);
}

/** Keeps the leases of a task. Returns the queues that it still holds, and whether another task waits for them. */
export function renewQueues(
  db: Sql,
  owner: string,
  queueIds: string[],
): Promise<{ queueId: string; isWanted: boolean }[]> {
  return rows<{ queueId: string; isWanted: boolean }>(db)`
    update politeness set lease_until = now() + make_interval(secs => ${QUEUE_LEASE_SECONDS})
     where queue_id = any (${queueIds}::text[]) and owner = ${owner}
    returning queue_id as "queueId", ${isWanted} as "isWanted"`;
}

/** Notes the rest that a task keeps in a queue, for who comes after it when it dies. */
export async function noteDelay(db: Sql, owner: string, queue: QueueDelay): Promise<void> {
  await db.query(sql`
    update politeness set delay_ms = ${wholeDelay(queue)} where queue_id = ${queue.queueId} and owner = ${owner}`);
}

/** Gives queues back, each with what is left of its rest in milliseconds: noted as such, too, so that a wrong clock cannot make it longer. */
export async function releaseQueues(
  db: Sql,
  owner: string,
  queues: { queueId: string; restMs: number }[],
): Promise<void> {
  await db.query(sql`
    update politeness p
       set owner = ${NOBODY}, lease_until = now(), next_at = now() + make_interval(secs => given.rest / 1000),
           delay_ms = least(ceil(given.rest), 2147483647)::int
      from unnest(${queues.map((q) => q.queueId)}::text[], ${queues.map((q) => q.restMs)}::float8[]) as given (id, rest)
     where p.queue_id = given.id and p.owner = ${owner}`);
}

/** Puts a queue of a task off, for all who come after it. */
export async function blockQueue(db: Sql, owner: string, queueId: string, ms: number): Promise<void> {
  await db.query(sql`
    update politeness
       set blocked_until = greatest(blocked_until, now() + make_interval(secs => ${ms / 1000})),
           next_at = greatest(next_at, now() + make_interval(secs => ${ms / 1000}))
     where queue_id = ${queueId} and owner = ${owner}`);
}

/** Those of some queues that are put off now, and for how many ms, where it is not longer than a task may put a queue off. */
export async function queueBlocks(
  db: Sql,
  queueIds: readonly string[],
  maxBlockMs = MAX_BLOCK_MS,
): Promise<Map<string, number>> {
  const found = await rows<{ id: string; ms: number }>(db)`
    select queue_id as id, (extract(epoch from blocked_until - now()) * 1000)::float8 as ms from politeness
     where queue_id = any (${queueIds}::text[]) and ${blockEnd(maxBlockMs)} > now()`;
  return new Map(found.map(({ id, ms }) => [id, ms]));
}

/** Forgets queues that nobody has used for a day. */
export async function forgetQueues(db: Sql): Promise<void> {
  await db.query(sql`delete from politeness where greatest(lease_until, next_at) < now() - interval '1 day'`);
}
