import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Command, LeaseModel, type Task, flaws } from './lease-model.js';
import { type Schedule, fairEnd, fiveSteps, interleavings, scheduleOf } from './lease-schedules.js';
import { LeaseStore } from './lease-store.js';

/** The stores agree with the model after each command: the same results, the same rows, the same writes. */

let store: LeaseStore;
beforeAll(async () => void (store = await LeaseStore.open()));
afterAll(() => store.close());

/** The state of a task as the store returns it. */
function rowOf(task: Task): Omit<Task, 'queuedAt'> {
  const { queuedAt: _, ...row } = task;
  return row;
}

async function expectAgreement({ tasks, workers, commands }: Schedule): Promise<void> {
  const model = new LeaseModel(tasks, workers);
  await store.begin(tasks);
  const done: Command[] = [];
  const step = async (command: Command): Promise<void> => {
    done.push(command);
    const answer = await store.apply(command, model);
    const expected = model.apply(command);
    const sequence = JSON.stringify(done);
    expect(answer, sequence).toBe(expected);
    if (command.kind === 'tick') return;
    expect(await store.state(), sequence).toEqual({ job: model.job, tasks: model.tasks.map(rowOf) });
  };
  for (const command of commands) if (model.may(command)) await step(command);
  expect(await store.announced(), JSON.stringify(done)).toEqual([...model.announced].sort());
  model.now += 1;
  for (const command of fairEnd(model)) await step(command);
  expect(model.isOver).toBe(true);
  expect(await store.writes()).toEqual(model.history.filter(({ what }) => what === 'write'));
  expect(flaws(model.history)).toEqual([]);
}

describe('the stores of tasks and jobs', () => {
  it('agree with the lease model in 120 random schedules', async () => {
    for (let seed = 1; seed <= 120; seed++) await expectAgreement(scheduleOf(seed, 25));
  });

  const expiry: Command[] = [{ kind: 'tick', seconds: 21 }, { kind: 'rescue' }];
  it('agree with it in all interleavings of two workers with five steps each', async () => {
    for (const steps of interleavings(fiveSteps(0, expiry), fiveSteps(1, expiry))) {
      await expectAgreement({ tasks: 1, workers: 2, commands: steps.flat() });
    }
  });
});
