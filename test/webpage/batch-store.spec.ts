import { afterAll, beforeAll, expect, it } from 'vitest';
import { batchNamed, recordBatches } from '../../src/webpage/batch.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { PATIENCE_MS } from '../support/patience.js';

/** The second name of a batch is its own, also while two jobs of a crawl make batches: FETCH is told to fetch it by that name. */

const CRAWL = 1;
const now = new Date(Date.UTC(2026, 0, 1));
const batch = (id: string) => [{ id, pages: 1, partitions: 1 }];

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
  await db.query(`insert into crawl (id, name) overriding system value values ($1, 'c')`, [CRAWL]);
});
afterAll(() => db.drop());

it('two batches that are recorded at once have different segment names', async () => {
  const merged = await db.pool.connect();
  const generated = await db.pool.connect();
  try {
    for (const tx of [merged, generated]) await tx.query('begin');
    const [first] = await recordBatches(merged, CRAWL, batch('merged'), now);
    let isRecorded = false;
    const recording = recordBatches(generated, CRAWL, batch('generated'), now).finally(() => (isRecorded = true));
    // Extension: Citus waits for another node, which waits for the lock.
    const isWaiting = `select from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
      and wait_event_type in ('Lock', 'Extension')`;
    await expect
      .poll(async () => isRecorded || (await db.query(isWaiting)).length > 0, { timeout: PATIENCE_MS })
      .toBe(true);
    await merged.query('commit');
    const [second] = await recording;
    await generated.query('commit');
    expect(await Promise.all([first!, second!].map((name) => batchNamed(db.pool, CRAWL, name)))).toEqual([
      'merged',
      'generated',
    ]);
  } finally {
    for (const tx of [merged, generated]) tx.release(true);
  }
});

it('a name that is the id of one batch and the segment name of another is the id: clients of 2.x choose ids such as times', async () => {
  const tx = await db.pool.connect();
  try {
    const [segment] = await recordBatches(tx, CRAWL, batch('made-first'), now);
    expect(await batchNamed(db.pool, CRAWL, segment!)).toBe('made-first');
    await recordBatches(tx, CRAWL, batch(segment!), now);
    expect(await batchNamed(db.pool, CRAWL, segment!)).toBe(segment);
  } finally {
    tx.release(true);
  }
});
