import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { type Claim, LeaseLost } from '../../src/job/task.store.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';

/**
 * A worker that is paused past its lease, wakes up and writes on, 1,000 times over: at the store, where the lease is what
 * the table says, not what a clock does. (With a real process: test/faults/overtaken.deep.spec.ts.)
 */

const PAUSES = 1_000;
/** Tasks at the same time. */
const LANES = 20;

let under: JobsUnderTest;
beforeAll(async () => {
  under = await openJobs();
  await under.db.query('create table written (task bigint, token int, stale boolean)');
  await under.db.query(`create function judge() returns trigger language plpgsql as $$
    begin new.stale := new.token <> (select token from job_task where id = new.task); return new; end $$`);
  await under.db.query('create trigger judge before insert on written for each row execute function judge()');
});
afterAll(() => under.close());

/** A write as steps do it: the token is tested, then rows change, then counters and progress. */
const write = (claim: Claim): Promise<void> =>
  transaction(under.pool, async (tx) => {
    await under.tasks.lock(tx, claim);
    await tx.query('insert into written values ($1, $2)', [claim.task, claim.token]);
    await under.tasks.wrote(tx, claim, {}, null);
  });

/** What a worker may be about to do when it is paused. */
const acts: ((claim: Claim) => Promise<unknown>)[] = [
  write,
  (claim) => under.tasks.finish(claim, { reason: 'done' }),
  (claim) => under.tasks.fail(claim, 'ERROR: late'),
];

/** The task with its next holder. Another lane may be about to rescue it: then it is not ours to claim yet. */
async function claimed({ job, task }: Claim, owner: string): Promise<Claim> {
  for (;;) {
    const claim = await under.tasks.claim({ job, task }, owner);
    if (claim) return claim;
    await under.tasks.rescue();
  }
}

/** One pause: the holder writes, is silent past its lease, wakes up before or after another has the task, and writes on. */
async function pauseOf(stale: Claim, number: number): Promise<Claim> {
  const act = acts[number % acts.length]!;
  await write(stale);
  await under.expire(stale.task);
  await under.tasks.rescue();
  const early = number % 2 === 0 ? act(stale) : undefined;
  await Promise.allSettled([early]);
  const next = await claimed(stale, `w${number}`);
  await expect(early ?? act(stale)).rejects.toThrow(LeaseLost);
  await expect(write(stale)).rejects.toThrow(LeaseLost);
  await under.tasks.release(stale);
  return next;
}

describe('a worker that was paused past its lease', () => {
  it(`writes nothing, finishes nothing and gives nothing back, in ${PAUSES} pauses`, async () => {
    const { id, claims } = await under.running(LANES);
    const lane = async (first: Claim): Promise<void> => {
      let claim = first;
      for (let number = 0; number < PAUSES / LANES; number++) claim = await pauseOf(claim, number);
      await write(claim);
    };
    await Promise.all(claims.map(lane));
    const [rows] = await under.db.query(
      'select count(*)::int as all, count(*) filter (where stale)::int as stale from written',
    );
    expect(rows).toEqual({ all: PAUSES + LANES, stale: 0 });
    expect((await under.tasksOf(id)).every(({ state }) => state === 'RUNNING')).toBe(true);
  });
});
