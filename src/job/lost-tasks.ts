/** Tasks whose worker has died, and the pages that ended it: how often either is borne. */
import { unreverseUrl } from '../core/url/row-key.js';
import { type Sql, rows, sql } from '../db/sql.js';
import { logEvent } from './job-events.js';
import type { TaskMessage } from './job-queue.js';

/** Attempts in a row that may be lost without a write. */
export const MAX_LOST = 3;
/** Attempts in a row that may end with their server without a write: a task might be what ends the server. */
export const MAX_KILLED = 30;

/** Pages of a task that may be given up, each for the lives of its workers: whoever meets more of them has another trouble. */
export const MAX_GIVEN_UP = 10;

/** Workers that are known to have died. */
export interface DeadOwners {
  /** Whether leases that ran out count (default): not while the others had no chance to renew them. */
  readonly expired?: boolean;
  readonly owners?: readonly string[];
  /** Those of them whose server is dead, too. */
  readonly withServer?: readonly string[];
  /** What they had in hand, those that left word. It counts for a page when its server lives. */
  readonly pages?: readonly DeadlyPage[];
}

export interface DeadlyPage {
  readonly owner: string;
  readonly task: string;
  readonly token: number;
  /** Row key. */
  readonly key: string;
}

/** Why a page is given up. */
export const GIVEN_UP = `given up: it has ended ${MAX_LOST} workers`;

export interface Lost extends TaskMessage {
  lost: number;
  killed: number;
  part: number;
  owner: string;
  /** Row key of the page that has now ended as many workers as one may. */
  deadly: string | null;
  /** How many of its pages are given up. */
  givenUp: number;
}

/**
 * Frees the tasks of workers that are dead, or whose lease ran out: those may live, and are noted by the token of the attempt (`silent_token`),
 * so that no other task requests its hosts before it has stopped by itself.
 *
 * A death of which the page is known counts for that page. All tasks of the process bear it like the death of a server; the task of
 * the page begins again when the page is given up.
 */
export function freeLost(
  tx: Sql,
  { expired = true, owners = [], withServer = [], pages = [] }: DeadOwners,
): Promise<Lost[]> {
  const counted = pages.filter(({ owner }) => !withServer.includes(owner));
  const of = <V>(value: (page: DeadlyPage) => V): V[] => counted.map(value);
  return rows<Lost>(
    tx,
    sql`
    with lost as (
      select id, token, owner, deaths from job_task
       where state = 'RUNNING' and (${expired}::boolean and lease_until < now() or owner = any (${owners}::text[]))
       order by id for update skip locked
    ), told as (
      select lost.id, page.key as deadly, (lost.owner = any (${owners}::text[])) is not true as silent,
             coalesce((lost.deaths ->> page.key)::int, 0) + 1 as deaths,
             lost.owner = any (${withServer}::text[]) or lost.owner = any (${of(({ owner }) => owner)}::text[]) as borne
        from lost left join unnest(${of(({ task }) => task)}::bigint[], ${of(({ token }) => token)}::int[], ${of(({ key }) => key)}::text[])
             as page (task, token, key) on page.task = lost.id and page.token = lost.token
    )
    update job_task t
       set state = 'WAITING', idle = false, token = t.token + 1, lease_until = null, queued_at = now(),
           silent_token = case when told.silent then t.token else t.silent_token end,
           lost = greatest(0, t.lost - told.borne::int),
           killed = case when told.deaths >= ${MAX_LOST} and told.deadly is not null then 0 else t.killed + told.borne::int end,
           deaths = case when told.deadly is null then t.deaths else t.deaths || jsonb_build_object(told.deadly, told.deaths) end
      from told where t.id = told.id
    returning t.job, t.id as task, t.lost, t.killed, t.part, t.owner, case when told.deaths = ${MAX_LOST} then told.deadly end as deadly,
              (select count(*) from jsonb_each_text(t.deaths) as page (key, n) where page.n::int >= ${MAX_LOST})::int as "givenUp"`,
  );
}

/**
 * A lease that lasts longer than any may was written by a clock that was ahead: it becomes a usual one. Not one that is over: its
 * holder may be at work, and renews it with its next beat.
 */
export async function shortenLeases(tx: Sql, seconds: number): Promise<void> {
  await tx.query(sql`
    update job_task set lease_until = now() + make_interval(secs => ${seconds})
     where id in (select id from job_task
                   where state = 'RUNNING' and lease_until > now() + make_interval(secs => ${seconds * 2})
                   order by id for update skip locked)`);
}

/** Into the log of the job: who has lost the task, and which page is given up for it. */
export async function recordLoss(tx: Sql, { job, part, owner, deadly }: Lost): Promise<void> {
  await logEvent(tx, job, 'task', { part, state: 'WAITING', msg: `lost by ${owner}` });
  if (deadly === null) return;
  await logEvent(tx, job, 'warning', { part, message: GIVEN_UP, url: unreverseUrl(deadly) });
}

/** Why a task of which workers were lost is given up, and its job with it; null: it is tried again. */
export function whyGivenUp({ lost, killed, givenUp }: Pick<Lost, 'lost' | 'killed' | 'givenUp'>): string | null {
  if (lost >= MAX_LOST || killed >= MAX_KILLED)
    return `was lost ${Math.max(lost, killed)} times in a row without any progress`;
  return givenUp > MAX_GIVEN_UP ? `has ${givenUp} pages that have ended ${MAX_LOST} workers each` : null;
}
