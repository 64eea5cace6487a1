/**
 * The database's time for work that takes a while: read once, and continued by the monotonic clock. The clock of the
 * machine may be wrong, or jump.
 */
import { type Sql, row } from './sql.js';

/** Returns the database's time, ms since the epoch. */
export type DatabaseClock = () => number;

/** Reads the time once, and returns a clock that continues it. */
export async function databaseClock(db: Sql): Promise<DatabaseClock> {
  const reading = await row<{ now: number }>(db)`select (extract(epoch from now()) * 1000)::float8 as now`;
  const ahead = reading!.now - performance.now();
  return () => ahead + performance.now();
}
