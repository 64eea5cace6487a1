import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { forgetQueues, leaseQueues, releaseQueues, renewQueues } from '../../src/politeness/queue-lease.sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { PATIENCE_MS } from '../support/patience.js';

/** Statements of two tasks on the same queues lock them in one order: none of them ends as a deadlock. */

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

const IDS = ['a', 'm', 'z'];
const backwards = IDS.toReversed();
const queues = (ids: readonly string[]) => ids.map((queueId) => ({ queueId, delayMs: 0 }));

beforeEach(async () => {
  await db.query('delete from politeness');
  // In the table, too, the last queue comes first.
  for (const queueId of backwards) await leaseQueues(db.pool, 'first', queues([queueId]));
});

/** Waits until that many statements wait for a row. */
const untilWaiting = (n: number) =>
  expect
    .poll(
      () =>
        db.query(
          `select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        ),
      { timeout: PATIENCE_MS },
    )
    .toEqual([{ n }]);

async function releasing(): Promise<void> {
  await releaseQueues(
    db.pool,
    'first',
    backwards.map((queueId) => ({ queueId, remainingMs: 0 })),
  );
}

async function renewing(): Promise<void> {
  await renewQueues(db.pool, 'first', backwards);
}

async function forgetting(): Promise<void> {
  await forgetQueues(db.pool);
}

it.each([
  ['a release of queues', releasing],
  ['a renewal of leases', renewing],
  ['the deletion of unused queues', forgetting],
])('%s', async (_, change) => {
  if (change === forgetting)
    await db.query(
      `update politeness set lease_until = now() - interval '2 days', next_at = now() - interval '2 days'`,
    );
  const blocker = await db.pool.connect();
  await blocker.query('begin');
  await blocker.query(`select from politeness where queue_id = 'm' for update`);
  const both: Promise<unknown>[] = [];
  try {
    both.push(change());
    await untilWaiting(1);
    both.push(leaseQueues(db.pool, 'second', queues(IDS)));
    await untilWaiting(2);
  } finally {
    await blocker.query('commit');
    blocker.release();
  }
  const ends = await Promise.allSettled(both);
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
});
