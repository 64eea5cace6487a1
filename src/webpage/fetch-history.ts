/** The visits to pages, partitioned by month: retention drops a partition instead of deleting rows. */
import { type Sql, rows, sql } from '../db/sql.js';

const month = (year: number, index: number): Date => new Date(Date.UTC(year, index, 1));
const day = (date: Date): string => date.toISOString().slice(0, 10);

/** Makes the partitions of this month and the next, by the database's clock. Safe to call from many processes. */
export async function ensureHistoryPartitions(db: Sql): Promise<void> {
  const [{ now }] = (await rows<{ now: Date }>(db, sql`select now()`)) as [{ now: Date }];
  for (const ahead of [0, 1]) {
    const from = month(now.getUTCFullYear(), now.getUTCMonth() + ahead);
    const to = month(now.getUTCFullYear(), now.getUTCMonth() + ahead + 1);
    const name = `fetch_history_${day(from).slice(0, 7).replace('-', '_')}`;
    await createPartition(db, name, `from ('${day(from)} 00:00+00') to ('${day(to)} 00:00+00')`);
  }
}

/** DDL takes no parameters: both texts are made of digits of a date, above. Another process may have been first. */
async function createPartition(db: Sql, name: string, bounds: string): Promise<void> {
  try {
    await db.query({
      text: `create table if not exists ${name} partition of fetch_history for values ${bounds}`,
      values: [],
    });
  } catch (error) {
    if (!['42P07', '23505'].includes((error as { code?: string }).code ?? '')) throw error;
  }
}

/** Drops the partitions that ended more than `months` months ago; answers their names. */
export async function dropOldHistory(db: Sql, months: number): Promise<string[]> {
  const old = await rows<{ name: string }>(
    db,
    sql`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'fetch_history'::regclass
       and c.relname < to_char(now() - make_interval(months => ${months}), '"fetch_history_"YYYY_MM')`,
  );
  for (const { name } of old) await db.query({ text: `drop table ${name}`, values: [] });
  return old.map(({ name }) => name);
}
