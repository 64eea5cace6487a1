import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sql, sql, transaction } from '../../src/db/sql.js';
import {
  claimTask,
  dropObsolete,
  dropWaiting,
  endTask,
  freeLost,
  giveUpTask,
  releaseTask,
} from '../../src/job/task-moves.sql.js';
import { type TaskState, mayMoveTask } from '../../src/core/job/task-states.js';
import { taskMove } from '../../src/job/states.sql.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';

/** The transitions of the diagram in docs/architecture.md, written a second time. */
const arrows: Record<TaskState, TaskState[]> = { WAITING: ['RUNNING', 'DONE'], RUNNING: ['WAITING', 'DONE'], DONE: [] };
const names = Object.keys(arrows) as TaskState[];
const pairs = names.flatMap((from) => names.map((to) => ({ from, to, may: arrows[from].includes(to) })));

describe('the states of a task', () => {
  it('have four transitions among nine pairs', () => {
    expect(pairs).toHaveLength(9);
    expect(pairs.filter(({ may }) => may)).toHaveLength(4);
  });

  it.each(pairs)('mayMoveTask from $from to $to is $may', ({ from, to, may }) => {
    expect(mayMoveTask(from, to)).toBe(may);
    if (!may) {
      expect(() => taskMove(from, to)).toThrow(`A task never moves from ${from} to ${to}.`);
      return;
    }
    const move = taskMove(from, to);
    expect(sql`set ${move.to} where ${move.from}`).toEqual({
      text: `set state = '${to}' where state = '${from}'`,
      values: [],
    });
  });
});

interface Task {
  job: string;
  task: string;
  owner: string;
}

interface Statement {
  name: string;
  from: TaskState;
  to: TaskState;
  run(tx: Sql, task: Task): Promise<unknown>;
}

const statements: Statement[] = [
  {
    name: 'claim',
    from: 'WAITING',
    to: 'RUNNING',
    run: (tx, task) => claimTask(tx, task, { owner: 'another', seconds: 20 }),
  },
  { name: 'end', from: 'RUNNING', to: 'DONE', run: (tx, { task }) => endTask(tx, task, { reason: 'done' }, {}) },
  {
    name: 'release',
    from: 'RUNNING',
    to: 'WAITING',
    run: (tx, { task }) => releaseTask(tx, { task, token: 1 }, false),
  },
  {
    name: 'rescue',
    from: 'RUNNING',
    to: 'WAITING',
    run: (tx, { owner }) => freeLost(tx, { expired: false, owners: [owner] }),
  },
  { name: 'give up', from: 'WAITING', to: 'DONE', run: (tx, { task }) => giveUpTask(tx, task) },
  { name: 'stop before it began', from: 'WAITING', to: 'DONE', run: (tx, { job }) => dropWaiting(tx, job, 'all') },
  {
    name: 'abort while none runs',
    from: 'WAITING',
    to: 'DONE',
    run: (tx, { job }) => dropWaiting(tx, job, 'none-runs'),
  },
  {
    name: 'end of the job',
    from: 'WAITING',
    to: 'DONE',
    async run(tx, { job }) {
      await tx.query(sql`update job set state = 'FAILED', ended_at = now() where id = ${job}`);
      return dropObsolete(tx);
    },
  },
];

describe('moves of a task in the database', () => {
  let under: JobsUnderTest;
  beforeAll(async () => {
    under = await openJobs();
  });
  afterAll(() => under.close());

  /** A task of a begun job with its state set directly, after its first attempt. */
  async function taskIn(state: TaskState): Promise<Task> {
    const { id: job } = await under.create();
    await under.jobs.move(under.pool, job, 'RUNNING', { msg: 'OK' });
    const [{ id: task }] = (await under.db.query<{ id: string }>(
      `update job_task set state = $2, token = 1, owner = $1, claimed_at = now(),
              lease_until = case when $2 = 'RUNNING' then now() + interval '1 minute' end,
              outcome = case when $2 = 'DONE' then '{"reason": "done"}'::jsonb end
        where job = $1 returning id`,
      [job, state],
    )) as [{ id: string }];
    return { job, task, owner: job };
  }

  const taskRow = async ({ task }: Task) => (await under.db.query('select * from job_task where id = $1', [task]))[0];

  it('every transition has a statement, and no statement makes another transition', () => {
    const made = new Set(statements.map(({ from, to }) => `${from} ${to}`));
    expect([...made].sort()).toEqual(
      pairs
        .filter(({ may }) => may)
        .map(({ from, to }) => `${from} ${to}`)
        .sort(),
    );
  });

  it.each(statements.flatMap((statement) => names.map((state) => ({ ...statement, state }))))(
    '$name moves only from $from to $to (task in state $state)',
    async ({ from, to, run, state }) => {
      const task = await taskIn(state);
      const before = await taskRow(task);
      await transaction(under.pool, (tx) => run(tx, task));
      if (state === from) expect(await taskRow(task)).toMatchObject({ id: task.task, state: to });
      else expect(await taskRow(task)).toEqual(before);
    },
  );

  it('an abort keeps waiting tasks while another one runs', async () => {
    const { id, claims } = await under.running(2);
    await under.tasks.release(claims[1]!);
    await transaction(under.pool, (tx) => dropWaiting(tx, id, 'none-runs'));
    expect((await under.tasksOf(id)).map(({ state }) => state)).toEqual(['RUNNING', 'WAITING']);
    await transaction(under.pool, (tx) => dropWaiting(tx, id, 'all'));
    expect((await under.tasksOf(id)).map(({ state }) => state)).toEqual(['RUNNING', 'DONE']);
  });

  const claimed = `token = 1, owner = 'w', claimed_at = now()`;
  it.each([
    ['running without a lease', `state = 'RUNNING', ${claimed}`, 'job_task_lease'],
    ['waiting with a lease', `lease_until = now()`, 'job_task_lease'],
    ['done with a lease', `state = 'DONE', outcome = '{}', lease_until = now()`, 'job_task_lease'],
    [
      'running without an owner',
      `state = 'RUNNING', token = 1, claimed_at = now(), lease_until = now()`,
      'job_task_holder',
    ],
    ['running, but never claimed', `state = 'RUNNING', token = 1, owner = 'w', lease_until = now()`, 'job_task_holder'],
    [
      'running without a token',
      `state = 'RUNNING', owner = 'w', claimed_at = now(), lease_until = now()`,
      'job_task_holder',
    ],
    ['done without an outcome', `state = 'DONE'`, 'job_task_end'],
    ['waiting with an outcome', `outcome = '{}'`, 'job_task_end'],
    ['running with an outcome', `state = 'RUNNING', ${claimed}, lease_until = now(), outcome = '{}'`, 'job_task_end'],
    ['in an unknown state', `state = 'LOST'`, 'job_task_state'],
    ['in no state', `state = null`, 'not-null'],
  ])('a constraint refuses a task that is %s', async (_what, set, constraint) => {
    const { id } = await under.create();
    await expect(under.db.query(`update job_task set ${set} where job = '${id}'`)).rejects.toThrow(constraint);
  });
});
