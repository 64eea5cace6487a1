/**
 * The statements that change `job_task.state`: all of them, each along an arrow of task-states.ts. A task in another
 * state than that in which the arrow begins stays as it is.
 */
import { rowList } from '../db/row-list.js';
import { type Sql, row, rows, sql } from '../db/sql.js';
import type { TaskMessage } from './job-queue.js';
import type { CounterGroups, StepType, TaskOutcome } from '../core/job/job-types.js';
import { BEGUN, FINAL, taskMove } from './states.sql.js';
import { type DeadOwners, type Lost, MAX_LOST } from './lost-tasks.js';
import type { Claim } from './claim.js';

const claimed = taskMove('WAITING', 'RUNNING');
const released = taskMove('RUNNING', 'WAITING');
const done = taskMove('RUNNING', 'DONE');
const dropped = taskMove('WAITING', 'DONE');

/** To a worker, for `seconds`. The job must have begun. Undefined if the task is not available. */
export function claimTask(
  tx: Sql,
  { job, task }: TaskMessage,
  { owner, seconds }: { owner: string; seconds: number },
): Promise<Claim | undefined> {
  return row<Claim>(tx)`
    update job_task
       -- Counted as lost now, since a process that dies counts nothing; the first write of the attempt resets the counter.
       set ${claimed.to}, idle = false, low_since = null, dry_since = null, token = token + 1, owner = ${owner}, lost = lost + 1, claimed_at = now(),
           lease_until = now() + make_interval(secs => ${seconds})
     where id = ${task} and ${claimed.from}
       and exists (select from job where id = ${job} and state in ${BEGUN})
    returning id as task, job, part, token, writes, counters, progress, deaths`;
}

/** The attempt that has claimed the task has ended. The task is locked, under its token. */
export async function endTask(tx: Sql, task: string, outcome: TaskOutcome, counters: CounterGroups): Promise<void> {
  // One update: a row changed twice in a transaction has its foreign key checked, which locks the job as well.
  await tx.query(sql`
    update job_task set ${done.to}, lease_until = null, outcome = ${outcome}, counters = ${counters}
     where id = ${task} and ${done.from}`);
}

/**
 * The attempt that has claimed the task releases it. Undefined if it has lost it.
 * @param counts as one that ended with its server
 */
export function releaseTask(
  tx: Sql,
  { task, token }: Pick<Claim, 'task' | 'token'>,
  counts: boolean,
): Promise<(TaskMessage & { lost: number; killed: number }) | undefined> {
  return row<TaskMessage & { lost: number; killed: number }>(tx)`
    update job_task set ${released.to}, idle = false, token = token + 1, lease_until = null, queued_at = now(),
           waiting_since = now(), lost = 0,
           killed = case when ${counts}::boolean then killed + 1 else 0 end
     where id = ${task} and token = ${token} and ${released.from} returning job, id as task, lost, killed`;
}

/**
 * Frees the tasks of workers that are dead, or whose lease has expired. The latter may be alive, so the token of the attempt
 * is stored (`silent_token`), so that no other task requests its hosts before it has stopped by itself.
 *
 * A death whose page is known counts for that page. For all tasks of the process it counts like the death of a server; the counts
 * of the page's task are reset when the page is given up.
 */
export function freeLost(
  tx: Sql,
  { expired = true, owners = [], withServer = [], pages = [] }: DeadOwners,
): Promise<Lost[]> {
  const withoutServer = pages.filter(({ owner }) => !withServer.includes(owner));
  const owner = withoutServer.map((page) => page.owner);
  return rows<Lost>(tx)`
    with lost as (
      select id, token, owner, deaths from job_task
       where ${released.from} and (${expired}::boolean and lease_until < now() or owner = any (${owners}::text[]))
       order by id for update skip locked
    ), counted as (
      select lost.id, page.key as deadly, (lost.owner = any (${owners}::text[])) is not true as silent,
             coalesce((lost.deaths ->> page.key)::int, 0) + 1 as deaths,
             lost.owner = any (${withServer}::text[]) or lost.owner = any (${owner}::text[]) as blamed
        from lost
        left join ${rowList('page', withoutServer, {
          task: ['bigint', ({ task }) => task],
          token: ['int', ({ token }) => token],
          key: ['text', ({ key }) => key],
        })} on page.task = lost.id and page.token = lost.token
    )
    update job_task t
       set ${released.to}, idle = false, token = t.token + 1, lease_until = null, queued_at = now(),
           silent_token = case when counted.silent then t.token else t.silent_token end,
           lost = greatest(0, t.lost - counted.blamed::int),
           killed = case when counted.deaths >= ${MAX_LOST} and counted.deadly is not null then 0 else t.killed + counted.blamed::int end,
           deaths = case when counted.deadly is null then t.deaths else t.deaths || jsonb_build_object(counted.deadly, counted.deaths) end
      from counted where t.id = counted.id
    returning t.job, t.id as task, t.lost, t.killed, t.part, t.owner, case when counted.deaths = ${MAX_LOST} then counted.deadly end as deadly,
              (select count(*) from jsonb_each_text(t.deaths) as page (key, n) where page.n::int >= ${MAX_LOST})::int as "givenUp"`;
}

/** Gives up a waiting task. Undefined if it is not waiting any more. */
export function giveUpTask(tx: Sql, task: string): Promise<{ type: StepType } | undefined> {
  return row<{ type: StepType }>(tx)`
    update job_task set ${dropped.to}, outcome = ${{ reason: 'failed' }}
      from job where job_task.id = ${task} and job_task.${dropped.from} and job.id = job_task.job returning job.type`;
}

/** Ends the waiting tasks of a job that is stopped or aborted: all of them, or only if none runs. */
export async function dropWaiting(tx: Sql, job: string, which: 'all' | 'none-runs'): Promise<void> {
  await tx.query(sql`
    update job_task set ${dropped.to}, outcome = ${{ reason: 'stopped' }}
     where job = ${job} and ${dropped.from}
       and (${which === 'all'}::boolean or not exists (select from job_task t where t.job = ${job} and t.state = 'RUNNING'))`);
}

/**
 * Ends the waiting tasks of jobs that have ended. In a job that is being killed the same holds for tasks that were released;
 * tasks never claimed stay while another task runs. Returns the jobs whose tasks were ended.
 */
export async function dropObsolete(tx: Sql): Promise<ReadonlySet<string>> {
  const over = await rows<{ job: string }>(tx)`
    update job_task set ${dropped.to}, outcome = ${{ reason: 'stopped' }}
      from job where job.id = job_task.job and job_task.${dropped.from}
       and (job.state in ${FINAL}
            or job.state = 'KILLING' and (job_task.token > 0 or not exists (select from job_task t where t.job = job.id and t.state = 'RUNNING')))
    returning job_task.job`;
  return new Set(over.map(({ job }) => job));
}
