/** The names that GENERATE and MERGESEGS give to batches. */
import { randomInt } from 'node:crypto';
import { type Sql, databaseNow } from '../db/sql.js';

/** `<epoch seconds>-<positive random int>`, as Nutch makes it. */
export async function newBatchId(db: Sql): Promise<string> {
  return `${Math.floor((await databaseNow(db)).getTime() / 1000)}-${randomInt(1, 2 ** 31 - 1)}`;
}

/** Of the batches that one job makes, the one with this number, from 0. */
export const segmentId = (batch: string, segment: number): string =>
  segment === 0 ? batch : `${batch}-${segment + 1}`;
