import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sql } from '../../src/db/sql.js';
import {
  type JobState,
  finalStates,
  isFinal,
  jobStates,
  mayMove,
  statesBefore,
} from '../../src/core/job/job-states.js';
import { BEGUN, ENDING, FINAL, OPEN } from '../../src/job/states.sql.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';

/** The transitions of the diagram in docs/architecture.md, written a second time: from, and the allowed targets. */
const arrows: Record<string, string[]> = {
  IDLE: ['RUNNING', 'KILLED'],
  RUNNING: ['FINISHED', 'FAILED', 'STOPPING', 'KILLING'],
  STOPPING: ['FINISHED', 'FAILED', 'KILLING'],
  KILLING: ['KILLED'],
  FINISHED: [],
  FAILED: [],
  KILLED: [],
};
const names = ['IDLE', 'RUNNING', 'STOPPING', 'KILLING', 'FINISHED', 'FAILED', 'KILLED'] as JobState[];
const pairs = names.flatMap((from) => names.map((to) => ({ from, to, may: arrows[from]!.includes(to) })));

describe('the states of a job', () => {
  it('are seven without ANY, three of them final', () => {
    expect([...jobStates].sort()).toEqual([...names].sort());
    expect([...finalStates].sort()).toEqual(['FAILED', 'FINISHED', 'KILLED']);
    expect(names.filter(isFinal)).toEqual(['FINISHED', 'FAILED', 'KILLED']);
  });

  it.each([
    ['open', OPEN, `('IDLE', 'RUNNING', 'STOPPING', 'KILLING')`],
    ['begun', BEGUN, `('RUNNING', 'STOPPING', 'KILLING')`],
    ['ending', ENDING, `('STOPPING', 'KILLING')`],
    ['final', FINAL, `('FINISHED', 'FAILED', 'KILLED')`],
  ])('are literals in a statement: %s states', (_, list, literals) => {
    expect(sql`state in ${list}`).toEqual({ text: `state in ${literals}`, values: [] });
  });

  it.each(names)('statesBefore(%s) returns exactly the states with a transition to it', (to) => {
    expect(statesBefore(to).sort()).toEqual(names.filter((from) => arrows[from]!.includes(to)).sort());
  });

  it('have ten transitions among 49 pairs', () => {
    expect(pairs).toHaveLength(49);
    expect(pairs.filter(({ may }) => may)).toHaveLength(10);
  });

  it.each(pairs)('mayMove from $from to $to is $may', ({ from, to, may }) => {
    expect(mayMove(from, to)).toBe(may);
  });
});

describe('moves of a job in the database', () => {
  let jobs: JobsUnderTest;
  beforeAll(async () => {
    jobs = await openJobs();
  });
  afterAll(() => jobs.close());

  const snapshot = async (id: string): Promise<unknown> => ({
    row: await jobs.db.query('select * from job where id = $1', [id]),
    events: await jobs.db.query('select * from job_event where job = $1', [id]),
  });

  /** Sets the state of a new job directly. */
  async function jobIn(state: JobState): Promise<string> {
    const { id } = await jobs.create();
    await jobs.db.query(
      `update job set state = $2, started_at = case when $2 <> 'IDLE' then now() end,
              ended_at = case when $2 in ('FINISHED', 'FAILED', 'KILLED') then now() end where id = $1`,
      [id, state],
    );
    return id;
  }

  it.each(pairs)('$from to $to: $may (a forbidden move changes nothing)', async ({ from, to, may }) => {
    const id = await jobIn(from);
    const before = await snapshot(id);
    const moved = await jobs.jobs.move(jobs.pool, id, to, { msg: 'moved' });
    if (!may) {
      expect(moved).toBeUndefined();
      expect(await snapshot(id)).toEqual(before);
      return;
    }
    expect(moved).toMatchObject({ id, state: to, msg: 'moved' });
    const job = await jobs.job(id);
    expect(job).toEqual(moved);
    expect(job.endedAt !== null).toBe(isFinal(to));
    if (to === 'RUNNING') expect(job.startedAt).not.toBeNull();
    const [event] = await jobs.db.query('select kind, data from job_event where job = $1 order by id desc limit 1', [
      id,
    ]);
    expect(event).toEqual({ kind: 'state', data: { state: to, msg: 'moved' } });
  });

  it('a move is refused if the state is not in `from`', async () => {
    const id = await jobIn('RUNNING');
    expect(await jobs.jobs.move(jobs.pool, id, 'KILLING', { msg: 'no', from: ['STOPPING'] })).toBeUndefined();
    expect((await jobs.job(id)).state).toBe('RUNNING');
  });

  it('a move of an unknown job returns undefined', async () => {
    expect(await jobs.jobs.move(jobs.pool, 'k-c-FETCH-0', 'RUNNING', { msg: 'OK' })).toBeUndefined();
  });

  it.each([
    ['final without an end', `state = 'FINISHED', started_at = now()`, 'job_end'],
    ['killed without an end', `state = 'KILLED'`, 'job_end'],
    ['running with an end', `state = 'RUNNING', started_at = now(), ended_at = now()`, 'job_end'],
    ['idle with an end', `ended_at = now()`, 'job_end'],
    ['idle with a start', `started_at = now()`, 'job_start'],
    ['running without a start', `state = 'RUNNING'`, 'job_start'],
    ['stopping without a start', `state = 'STOPPING'`, 'job_start'],
    ['finished without a start', `state = 'FINISHED', ended_at = now()`, 'job_start'],
    ['ANY', `state = 'ANY', started_at = now()`, 'job_state'],
    ['in no state', `state = null`, 'not-null'],
  ])('a constraint refuses a job that is %s', async (_what, set, constraint) => {
    const { id } = await jobs.create();
    await expect(jobs.db.query(`update job set ${set} where id = '${id}'`)).rejects.toThrow(constraint);
    expect((await jobs.job(id)).state).toBe('IDLE');
  });

  it('a constraint allows one begun job per lock_key', async () => {
    const [first, second] = [await jobIn('RUNNING'), await jobIn('STOPPING')];
    await jobs.db.query(`update job set lock_key = 'x' where id = $1`, [first]);
    await expect(jobs.db.query(`update job set lock_key = 'x' where id = $1`, [second])).rejects.toThrow('job_lock');
  });
});
