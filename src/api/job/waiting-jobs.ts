import type { Pool } from 'pg';
import { row, sql } from '../../db/sql.js';

/** Whether at least `most` jobs wait for a worker. Reads no more of the index than that. */
export async function areWaiting(pool: Pool, most: number): Promise<boolean> {
  const waiting = await row<{ n: number }>(
    pool,
    sql`select count(*)::int as n from (select from job where state = 'IDLE' limit ${most}) as waiting`,
  );
  return (waiting?.n ?? 0) >= most;
}
