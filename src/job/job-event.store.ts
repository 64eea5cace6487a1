/**
 * The log of jobs, read by polling, event streams and webhooks.
 *
 * A reader continues after the last id it saw, so a smaller id must never appear later. Ids are drawn when a row is
 * written and become visible when its transaction commits, which is another order. Therefore an entry is written under a lock
 * of its crawl that is taken before the id is drawn and released by the commit: within a crawl, and so within a job, ids
 * appear in ascending order (docs/adr/0006). So that a transaction never waits for a row while it has that lock, it
 * writes its entries last.
 */
import { faultPoint } from '../db/fault-point.js';
import { WEBHOOK } from './states.sql.js';
import { type Fragment, type Sql, beforeCommit, fragment, prepared, row, rows, sql, storable } from '../db/sql.js';

export const eventKinds = ['state', 'task', 'progress', 'warning'] as const;
export type EventKind = (typeof eventKinds)[number];

/** Channel of NOTIFY for new entries; the payload is the crawl's number. */
export const EVENT_CHANNEL = 'orbweaver_event';

export interface JobEvent {
  /** bigint as text: within a crawl it grows with time, so a reader resumes after the last one it saw. */
  id: string;
  job: string;
  /** When it was written. */
  time: Date;
  kind: EventKind;
  data: Record<string, unknown>;
}

interface Entry {
  job: string;
  kind: EventKind;
  data: Record<string, unknown>;
}

/** Warnings in the result of a job, and characters of each. The log has all of them. */
const MAX_WARNINGS = 10;
const MAX_WARNING_LENGTH = 500;

/** First half of the key of the advisory locks; the second half is the crawl's number. */
const EVENT_LOCK = 710_453;

/**
 * Appends to the log of a job, and to the deliveries of each webhook that subscribes to it. Inside a `transaction` the entry
 * is written right before the commit; on a pool at once. An entry of a job that does not exist is left out.
 */
export async function logEvent(db: Sql, job: string, kind: EventKind, data: Record<string, unknown>): Promise<void> {
  const entry = { job, kind, data };
  if (!beforeCommit(db, write, entry)) await write(db, [entry]);
  await faultPoint('event.logged', db);
}

/** Locks the crawls in the order of their numbers, then draws the ids: one statement, so on a pool it is one transaction. */
async function write(db: Sql, entries: Entry[]): Promise<void> {
  await prepared(db).query(sql`
    with entry as materialized (
      select given.position, given.job, given.kind, given.data, job.crawl, job.crawl_id
        from unnest(${entries.map(({ job }) => job)}::text[], ${entries.map(({ kind }) => kind)}::text[],
                    ${entries.map(({ data }) => JSON.stringify(data, storableTexts))}::jsonb[])
             with ordinality as given (job, kind, data, position)
        join job on job.id = given.job
    ), locked as materialized (
      select pg_advisory_xact_lock(${EVENT_LOCK}::int, crawl)
        from (select distinct crawl from entry order by crawl) as touched
    ), logged as (
      insert into job_event (job, crawl, time, kind, data)
      select job, crawl, clock_timestamp(), kind, data
        from (select count(*) from locked) as all_locked cross join entry
       order by position
      returning id, job, crawl, kind
    ), delivery as (
      insert into webhook_delivery (webhook, event)
      select webhook.id, logged.id
        from logged join webhook on webhook.state = ${WEBHOOK.ACTIVE} and logged.kind = any (webhook.events)
       where webhook.crawl_id is null
          or webhook.crawl_id = (select crawl_id from entry where entry.job = logged.job limit 1)
       order by logged.id, webhook.id
    )
    select pg_notify(${EVENT_CHANNEL}, crawl::text) from (select distinct crawl from logged) as touched`);
}

const storableTexts = (_: string, value: unknown): unknown => (typeof value === 'string' ? storable(value) : value);

/** Which events are read. */
export interface EventSelection {
  readonly limit?: number;
  /** Only those of this kind. */
  readonly kind?: EventKind | undefined;
}

/** Nearly all events are of progress: the others have indexes of their own (`job_event_rare_…`), which need their condition. */
const isOfKind = (kind: EventKind | undefined): Fragment =>
  kind === undefined
    ? fragment``
    : fragment`and kind = ${kind} ${kind === 'progress' ? fragment`` : fragment`and kind <> 'progress'`}`;

/** The events of a job after `after`, oldest first. */
export function eventsOf(
  db: Sql,
  job: string,
  after = '0',
  { limit = 1000, kind }: EventSelection = {},
): Promise<JobEvent[]> {
  return rows<JobEvent>(db)`
    select id, job, time, kind, data from job_event
     where job = ${job} and id > ${after} ${isOfKind(kind)} order by id limit ${limit}`;
}

/** The first different warnings of a job, each shortened, for its result. */
export async function warningsOf(db: Sql, job: string): Promise<string[]> {
  const warnings = await rows<{ message: string }>(db)`
    select left(concat_ws(' ', data->>'message', data->>'url'), ${MAX_WARNING_LENGTH}::int) as message
      from job_event
     where job = ${job} and kind = 'warning' and data ? 'message'
     group by 1 order by min(id) limit ${MAX_WARNINGS}`;
  return warnings.map(({ message }) => message);
}

/** Those of the jobs that a CRAWL made, each with the type of its job. */
export async function warningsOfChildren(db: Sql, parent: string): Promise<string[]> {
  const warnings = await rows<{ message: string }>(db)`
    select left(concat_ws(' ', job.type || ':', e.data->>'message', e.data->>'url'), ${MAX_WARNING_LENGTH}::int) as message
      from job join job_event e on e.job = job.id
     where job.parent = ${parent} and e.kind = 'warning' and e.data ? 'message'
     group by 1 order by min(e.id) limit ${MAX_WARNINGS}`;
  return warnings.map(({ message }) => message);
}

/** The events of a crawl, whichever of its jobs they are of, after `after`, oldest first. */
export function eventsOfCrawl(
  db: Sql,
  crawl: number,
  after = '0',
  { limit = 1000, kind }: EventSelection = {},
): Promise<JobEvent[]> {
  return rows<JobEvent>(db)`
    select id, job, time, kind, data from job_event
     where crawl = ${crawl} and id > ${after} ${isOfKind(kind)} order by id limit ${limit}`;
}

/**
 * The events of a job and of the jobs that it made, after `after`, oldest first. Events of its crawl that are older than
 * the family are not read. The job's own first event is the oldest; only if it was deleted all events are read.
 */
export function eventsOfFamily(
  db: Sql,
  parent: { id: string; crawl: number },
  after = '0',
  { limit = 1000, kind }: EventSelection = {},
): Promise<JobEvent[]> {
  return rows<JobEvent>(db)`
    select e.id, e.job, e.time, e.kind, e.data
      from job_event e join job on job.id = e.job
     where e.crawl = ${parent.crawl}
       and e.id > case
             when ${after}::bigint >= (select min(id) from job_event where job = ${parent.id}) then ${after}::bigint
             else greatest(${after}::bigint, (
               select min(oldest.id) - 1
                 from job member
                cross join lateral (
                  select id from job_event where job_event.job = member.id order by id limit 1) as oldest
                where member.id = ${parent.id} or member.parent = ${parent.id})) end
       and (job.id = ${parent.id} or job.parent = ${parent.id}) ${isOfKind(kind)}
     order by e.id limit ${limit}`;
}

/** The id of the newest event of each of these crawls that has any. */
export function newestEvents(db: Sql, crawls: readonly number[]): Promise<{ crawl: number; id: string }[]> {
  return rows<{ crawl: number; id: string }>(db)`
    select asked.crawl, newest.id
      from unnest(${crawls}::int[]) as asked (crawl)
     cross join lateral (select id from job_event where job_event.crawl = asked.crawl order by id desc limit 1) as newest`;
}

/** Events that retention reads in one statement. */
const MAX_SCANNED = 5_000;

/**
 * Deletes events that are older than `days` and whose job has ended or was deleted, and the progress of any job: the FETCH of a
 * continuous crawl runs for weeks, and each of its tasks writes an entry a second. Ids ascend with time: the log is scanned from
 * its oldest entry, past the other events of open jobs, until a chunk has no old entry.
 */
export async function purgeEvents(db: Sql, days: number): Promise<void> {
  for (let after: string | undefined = '0'; after !== undefined;) {
    const last: { id: string } | undefined = await row<{ id: string }>(db)`
      with event as materialized (
        select id, job, kind, time < now() - make_interval(days => ${days}) as old
          from job_event where id > ${after} order by id limit ${MAX_SCANNED}
      ), deleted as (
        delete from job_event where id in (
          select id from event
           where old and (kind = 'progress'
                          or not exists (select from job where job.id = event.job and job.ended_at is null)))
      )
      select max(id) as id from event having bool_or(old)`;
    after = last?.id;
  }
}
