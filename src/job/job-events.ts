import { type Sql, rows, sql } from '../db/sql.js';

export type EventKind = 'state' | 'task' | 'progress' | 'warning';

export interface JobEvent {
  /** bigint as text: grows with time, so a reader resumes after the last one it saw. */
  id: string;
  job: string;
  time: Date;
  kind: EventKind;
  data: Record<string, unknown>;
}

/** Appends to the log of a job: the one record that polling, event streams and webhooks read. */
export async function logEvent(db: Sql, job: string, kind: EventKind, data: Record<string, unknown>): Promise<void> {
  await db.query(sql`insert into job_event (job, kind, data) values (${job}, ${kind}, ${data})`);
}

/** The events of a job after `after`, oldest first. */
export function eventsOf(db: Sql, job: string, after = '0', limit = 1000): Promise<JobEvent[]> {
  return rows<JobEvent>(
    db,
    sql`
    select id, job, time, kind, data from job_event where job = ${job} and id > ${after} order by id limit ${limit}`,
  );
}
