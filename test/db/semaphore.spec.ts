import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import { DedupJob } from '../../src/cycle/dedup/dedup.job.js';
import { eachEqualPage } from '../../src/cycle/dedup/dedup.sql.js';
import { InvertLinksJob } from '../../src/cycle/invertlinks/invertlinks.job.js';
import type { Run } from '../../src/cycle/step.js';
import { cursorRows } from '../../src/db/cursor-rows.js';
import { cursorReaders } from '../../src/db/pool-semaphores.js';
import { type Sql, transaction } from '../../src/db/sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** Steps that read through a cursor and write on another connection: several at once in a small pool. */

let db: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  db = await testDatabase();
  pool = db.openPool({ max: 2 });
  await db.query(`insert into crawl (id, name) overriding system value values (1, 'k')`);
  await db.query(
    `insert into webpage (crawl, host, key, status, source_kind, fetch_time, fetch_interval, score, cash, signature)
     values (1, 'test.a', 'test.a:http/', 2, 'seed', now(), 1, 1, 1, 'same')`,
  );
  await db.query(`insert into signature_due values (1, now(), 'test.a', '0123456789abcdef')`);
});
afterAll(() => db.drop());

/** Requests a connection after another reader has had time to take the last one. */
const write = async (): Promise<void> => {
  await sleep(100);
  await pool.query('select');
};

describe('readers with cursors in a pool of two connections leave one for writes', () => {
  it.each<[string, () => Promise<void>]>([
    [
      'of pages with equal contents (DEDUP)',
      async () => {
        const [{ hash }] = (await db.query<{ hash: number }>(`select hashtext('same') as hash`)) as [{ hash: number }];
        await eachEqualPage(pool, { crawl: 1, hashes: [hash], duplicates: false }, write);
      },
    ],
    [
      'of the rows of a long statement (INVERTLINKS)',
      async () => {
        for await (const _ of cursorRows(pool, { text: 'select generate_series(1, 3)', values: [] }, 2)) await write();
      },
    ],
  ])('%s', async (_, read) => {
    await Promise.all([read(), read(), read()]);
    expect(pool.waitingCount).toBe(0);
  });
});

/** A run of a job with a plan, and the signals to end it. */
function runOf(plan: object): { run: Run; stop: AbortController; abort: AbortController } {
  const [stop, abort] = [new AbortController(), new AbortController()];
  const run = {
    job: { id: 'j', crawl: 1, crawlId: 'k', startedAt: new Date() },
    part: 0,
    args: {},
    conf: defaults,
    pool,
    progress: null,
    stopping: stop.signal,
    aborted: abort.signal,
    plan: () => Promise.resolve(plan),
    write: (work: (tx: Sql, count: () => void) => Promise<unknown>) =>
      transaction(pool, (tx) => work(tx, () => undefined)),
  } as unknown as Run;
  return { run, stop, abort };
}

/** Acquires the only permit of cursor readers; returns a function to release it. */
async function permitTaken(): Promise<() => void> {
  const permits = cursorReaders(pool);
  await permits.acquire();
  return () => permits.release();
}

/** Result of a promise within a second. */
const soon = <T>(promise: Promise<T>): Promise<T | 'still waits'> =>
  Promise.race([promise, sleep(1_000, 'still waits' as const)]);

const read = async (signal?: AbortSignal): Promise<number> => {
  let n = 0;
  const statement = { text: 'select generate_series(1, 3)', values: [] };
  for await (const rows of cursorRows(pool, statement, 2, signal)) n += rows.length;
  return n;
};

describe('a job that waits for a permit to read ends when it is stopped or aborted', () => {
  const dedup = { parts: 1, whole: true, rules: { group: 'none', order: ['score'], distance: 0 } };
  const jobs: [string, () => { run: Run; stop: AbortController; abort: AbortController; ended: Promise<unknown> }][] = [
    ['DEDUP', () => begun(new DedupJob(), dedup)],
    [
      'DEDUP of near contents',
      () => begun(new DedupJob(), { ...dedup, whole: false, rules: { ...dedup.rules, distance: 3 } }),
    ],
    ['INVERTLINKS', () => begun(new InvertLinksJob(), { parts: 1, batches: ['1-1'] })],
  ];
  const begun = (job: DedupJob | InvertLinksJob, plan: object) => {
    const parts = runOf(plan);
    return { ...parts, ended: job.run(parts.run) };
  };

  it.each(jobs)('%s', async (_, begin) => {
    const release = await permitTaken();
    const stopped = begin();
    const aborted = begin();
    await sleep(100);
    stopped.stop.abort();
    expect(await soon(stopped.ended)).toEqual({ reason: 'stopped' });
    // As a worker does.
    aborted.stop.abort();
    aborted.abort.abort();
    await expect(soon(aborted.ended)).rejects.toBe(aborted.abort.signal.reason);
    release();
    expect(await soon(read())).toBe(3);
  });
});

it('a permit to read goes to the next waiting reader, and none is lost or added', async () => {
  const release = await permitTaken();
  const [gone, late] = [new AbortController(), new AbortController()];
  const first = read(gone.signal);
  const second = read(late.signal);
  gone.abort();
  await expect(first).rejects.toBe(gone.signal.reason);
  await expect(read(gone.signal)).rejects.toBe(gone.signal.reason);
  release();
  // It has its permit: the signal no longer ends its read.
  late.abort();
  expect(await soon(second)).toBe(3);
  const releaseAgain = await permitTaken();
  const third = read();
  expect(await soon(third)).toBe('still waits');
  releaseAgain();
  expect(await third).toBe(3);
});
