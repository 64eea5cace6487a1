/** Changes of leases without a change of state. */
import { type Sql, rows, sql } from '../db/sql.js';

/**
 * Renews the leases of tasks, by id with the token of the attempt; returns those that are still claimed so.
 *
 * A heartbeat waits for no row lock: it locks the rows of all tasks at once, so a task whose end is being written, and waits
 * for its job, would make the other leases expire, and could deadlock with it. Locked rows are skipped until the next
 * heartbeat; rescuers skip it too.
 */
export async function renewLeases(
  db: Sql,
  tasks: ReadonlyMap<string, number>,
  seconds: number,
): Promise<ReadonlySet<string>> {
  const renewed = await rows<{ task: string }>(db)`
    with claimed as materialized (
      select t.id, t.token from job_task t
        join unnest(${[...tasks.keys()]}::bigint[], ${[...tasks.values()]}::int[]) as claimed (id, token) on t.id = claimed.id and t.token = claimed.token
       where t.state = 'RUNNING'
    ), free as materialized (
      select t.id from job_task t join claimed on t.id = claimed.id and t.token = claimed.token
       where t.state = 'RUNNING' order by t.id for no key update of t skip locked
    ), renewed as (
      update job_task t set lease_until = now() + make_interval(secs => ${seconds})
        from free where t.id = free.id
    )
    select id as task from claimed`;
  return new Set(renewed.map(({ task }) => task));
}

/**
 * A lease that lasts longer than any can was written by a clock that was ahead: it is shortened to the length of a lease. Not one
 * that has expired: its holder may be running, and renews it with its next heartbeat.
 */
export async function shortenLeases(tx: Sql, seconds: number): Promise<void> {
  await tx.query(sql`
    update job_task set lease_until = now() + make_interval(secs => ${seconds})
     where id in (select id from job_task
                   where state = 'RUNNING' and lease_until > now() + make_interval(secs => ${seconds * 2})
                   order by id for update skip locked)`);
}
