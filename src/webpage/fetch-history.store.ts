/**
 * The visits to pages, partitioned by month (UTC): retention drops a partition instead of deleting rows. The partitions of the
 * previous month and of the next month always exist, so a visit finds its own at the turn of a month, and when the
 * clock of the database is set.
 */
import type { Pool } from 'pg';
import { hasSqlState } from '../db/sql-state.js';
import { row, rows, sql, transaction } from '../db/sql.js';

/** A partition, with its bounds as PostgreSQL reads them; the second one is exclusive. */
export interface HistoryPartition {
  name: string;
  from: string;
  to: string;
}

/**
 * Longest wait for the lock that creating and dropping need: everyone who reads or writes the history waits for that lock
 * too.
 */
const LOCK_TIMEOUT = '500ms';

/** The partitions that must exist at a given time. */
export function partitionsAt(now: Date): HistoryPartition[] {
  const month = (ahead: number) => new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1));
  const start = (date: Date) => `${date.toISOString().slice(0, 10)} 00:00+00`;
  return [-1, 0, 1].map((ahead) => ({
    name: `fetch_history_${month(ahead).toISOString().slice(0, 7).replace('-', '_')}`,
    from: start(month(ahead)),
    to: start(month(ahead + 1)),
  }));
}

/**
 * Creates the missing partitions, by the database's clock. Safe to call from many processes. If a reader keeps its lock
 * (a backup) only the partition of the present month is required; the others are left for the next call.
 */
export async function ensureHistoryPartitions(pool: Pool): Promise<void> {
  const { now } = (await row<{ now: Date }>(pool)`select now()`)!;
  const partitions = partitionsAt(now);
  const names = partitions.map(({ name }) => name);
  const missing = await rows<{ name: string }>(pool)`
    select name from unnest(${names}::text[]) as name where to_regclass(name) is null`;
  const present = names[1];
  for (const { name } of missing) {
    const isCreated = await createPartition(pool, partitions[names.indexOf(name)]!);
    if (!isCreated && name === present)
      throw new Error(`cannot make ${name}: another session reads the history and does not end`);
  }
}

/**
 * Writes visits; if the clock of the database has been set to a month without a partition, creates that partition and writes
 * them then.
 */
export async function withHistoryPartition<T>(pool: Pool, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!hasNoPartition(error)) throw error;
    await ensureHistoryPartitions(pool);
    return write();
  }
}

/**
 * A row without a partition is a check violation. On many nodes only the text, in the language of the server, names the table, with
 * the number of its shard.
 */
function hasNoPartition(error: unknown): boolean {
  if (!hasSqlState(error, 'CHECK_VIOLATION')) return false;
  const { table, message } = error as { table?: unknown; message?: unknown };
  return table === 'fetch_history' || /\bfetch_history_\d+\b/.test(String(message));
}

/**
 * Returns false if a reader keeps its lock. DDL takes no parameters: name and bounds are made of digits of a date, above. Another
 * process may have been first.
 */
async function createPartition(pool: Pool, { name, from, to }: HistoryPartition): Promise<boolean> {
  const text = `create table if not exists ${name} partition of fetch_history for values from ('${from}') to ('${to}')`;
  try {
    return await withoutWaiting(pool, text);
  } catch (error) {
    if (!hasSqlState(error, 'DUPLICATE_TABLE', 'UNIQUE_VIOLATION')) throw error;
    return true;
  }
}

/**
 * Drops the partitions that ended more than `months` months ago, each in a transaction of its own; returns their names.
 * A partition whose readers keep their locks is left for the next call.
 */
export async function dropOldHistory(pool: Pool, months: number): Promise<string[]> {
  const old = await rows<{ name: string }>(pool)`
    select c.relname::text as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'fetch_history'::regclass and c.relname ~ '^fetch_history_\\d{4}_\\d{2}$'
       and c.relname::text collate "C" < to_char((now() at time zone 'UTC') - make_interval(months => ${months}), '"fetch_history_"YYYY_MM') collate "C"
     order by c.relname`;
  const dropped: string[] = [];
  // The query makes sure that the names have the form of ours.
  for (const { name } of old) if (await withoutWaiting(pool, `drop table if exists ${name}`)) dropped.push(name);
  return dropped;
}

/** Changes the table, unless it would have to wait for others; returns whether it did. */
async function withoutWaiting(pool: Pool, ddl: string): Promise<boolean> {
  try {
    await transaction(pool, async (tx) => {
      await tx.query(sql`select set_config('lock_timeout', ${LOCK_TIMEOUT}, true)`);
      await tx.query(ddl);
    });
    return true;
  } catch (error) {
    if (hasSqlState(error, 'LOCK_NOT_AVAILABLE')) return false;
    throw error;
  }
}
