/** What the queue needs of PostgreSQL besides pg-boss. */
import { type Sql, sql } from '../db/sql.js';

/** Notifies the listeners of a channel when the transaction commits. */
export async function wakeListeners(tx: Sql, channel: string): Promise<void> {
  await tx.query(sql`select pg_notify(${channel}, '')`);
}

/** Deletes waiting messages with these keys that become available later than in `seconds`. */
export async function deleteEarlyMessages(
  tx: Sql,
  queue: string,
  { keys, seconds }: { keys: readonly string[]; seconds: number },
): Promise<void> {
  await tx.query(sql`
    delete from pgboss.job
     where name = ${queue} and state = 'created' and singleton_key = any (${keys}::text[])
       and start_after > now() + make_interval(secs => ${seconds})`);
}
