/** Tasks whose worker has died, and the pages that ended it: how often either is borne. */
import { unreverseUrl } from '../core/url/row-key.js';
import { type Sql, rows, sql } from '../db/sql.js';
import { logEvent } from './job-events.js';
import type { TaskMessage } from './job-queue.js';

/** Attempts in a row that may be lost without a write. */
export const MAX_LOST = 3;
/** Attempts in a row that may end with their server without a write: a task might be what ends the server. */
export const MAX_KILLED = 30;

/** Workers that are known to have died. */
export interface DeadOwners {
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
}

/**
 * The other tasks of a process that a page has ended are borne like those that ended with their server. To know a page is
 * progress: from now on it is left out.
 */
export function freeLost(tx: Sql, { owners = [], withServer = [], pages = [] }: DeadOwners): Promise<Lost[]> {
  const counted = pages.filter(({ owner }) => !withServer.includes(owner));
  const of = <V>(value: (page: DeadlyPage) => V): V[] => counted.map(value);
  return rows<Lost>(
    tx,
    sql`
    with lost as (
      select id, token, owner, deaths from job_task
       where state = 'RUNNING' and (lease_until < now() or owner = any (${owners}::text[]))
       order by id for update skip locked
    ), told as (
      select lost.id, page.key as deadly, coalesce((lost.deaths ->> page.key)::int, 0) + 1 as deaths,
             lost.owner = any (${withServer}::text[]) or (page.key is null and lost.owner = any (${of(({ owner }) => owner)}::text[])) as borne
        from lost left join unnest(${of(({ task }) => task)}::bigint[], ${of(({ token }) => token)}::int[], ${of(({ key }) => key)}::text[])
             as page (task, token, key) on page.task = lost.id and page.token = lost.token
    )
    update job_task t
       set state = 'WAITING', idle = false, token = t.token + 1, lease_until = null, queued_at = now(),
           lost = case when told.deaths >= ${MAX_LOST} and told.deadly is not null then 0 else t.lost - told.borne::int end,
           killed = t.killed + told.borne::int,
           deaths = case when told.deadly is null then t.deaths else t.deaths || jsonb_build_object(told.deadly, told.deaths) end
      from told where t.id = told.id
    returning t.job, t.id as task, t.lost, t.killed, t.part, t.owner, case when told.deaths = ${MAX_LOST} then told.deadly end as deadly`,
  );
}

/** Into the log of the job: who has lost the task, and which page is given up for it. */
export async function tellOf(tx: Sql, { job, part, owner, deadly }: Lost): Promise<void> {
  await logEvent(tx, job, 'task', { part, state: 'WAITING', msg: `lost by ${owner}` });
  if (deadly === null) return;
  await logEvent(tx, job, 'warning', { part, message: GIVEN_UP, url: unreverseUrl(deadly) });
}
