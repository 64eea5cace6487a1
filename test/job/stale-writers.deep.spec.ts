import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { type Claim, LeaseLost } from '../../src/job/claim.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';

/**
 * A worker that is paused beyond its lease, resumes and continues to write, 1,000 times: against the store, where the lease
 * is a column that the test sets. (With a real process: test/faults/overtaken.deep.spec.ts.)
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

/** A write as in the steps: the token is checked, then rows change, then counters and progress. */
const write = (claim: Claim): Promise<void> =>
  transaction(under.pool, async (tx) => {
    await under.tasks.lock(tx, claim);
    await tx.query('insert into written values ($1, $2)', [claim.task, claim.token]);
    await under.tasks.wrote(tx, claim, {}, null);
  });

/** What a worker may do next when it is paused. */
const acts: ((claim: Claim) => Promise<unknown>)[] = [
  write,
  (claim) => under.tasks.finish(claim, { reason: 'done' }),
  (claim) => under.tasks.fail(claim, 'ERROR: late'),
];

/** The next claim of the task. Another lane may be rescuing it: then it cannot be claimed yet. */
async function claimed({ job, task }: Claim, owner: string): Promise<Claim> {
  for (;;) {
    const claim = await under.tasks.claim({ job, task }, owner);
    if (claim) return claim;
    await under.tasks.rescue();
  }
}

/** One pause: the owner writes, its lease expires, it resumes before or after another claims the task, and writes. */
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

describe('a worker that was paused beyond its lease', () => {
  it(`cannot write, finish or release its task, in ${PAUSES} pauses`, async () => {
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
