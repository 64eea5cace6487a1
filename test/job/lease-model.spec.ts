import { describe, expect, it } from 'vitest';
import { type Command, LeaseModel, type Mutant, flaws } from './lease-model.js';
import { type Schedule, fairEnd, fiveSteps, interleavings, scheduleOf } from './lease-schedules.js';

/**
 * The lease protocol over a virtual clock: no schedule lets two owners write under one token, ends a task twice or leaves one
 * stuck.
 */

function complaintsOf({ tasks, workers, commands }: Schedule, mutant?: Mutant): string[] {
  const model = new LeaseModel(tasks, workers, mutant);
  for (const command of commands) if (model.may(command)) model.apply(command);
  for (const command of fairEnd(model)) model.apply(command);
  return [...flaws(model.history), ...(model.isOver ? [] : [`stuck: ${model.job}, ${JSON.stringify(model.tasks)}`])];
}

const SCHEDULES = 10_000;

describe('the lease protocol over a virtual clock', () => {
  it(`keeps its invariants in ${SCHEDULES} random schedules of two to four workers`, () => {
    const ends = new Map<string, number>();
    for (let seed = 1; seed <= SCHEDULES; seed++) {
      const schedule = scheduleOf(seed, 60);
      const complaints = complaintsOf(schedule);
      expect(complaints, `seed ${seed}: ${JSON.stringify(schedule.commands)}`).toEqual([]);
      const model = new LeaseModel(schedule.tasks, schedule.workers);
      for (const command of schedule.commands) model.apply(command);
      ends.set(model.job, (ends.get(model.job) ?? 0) + 1);
    }
    // The schedules cover all outcomes: jobs of every state but IDLE are common.
    for (const state of ['RUNNING', 'FINISHED', 'FAILED', 'KILLED']) expect(ends.get(state)).toBeGreaterThan(100);
  });

  it.each<Mutant>([
    'does not check the token of a write',
    'does not check the token at the end',
    'never raises a token',
    'repeats an unacknowledged commit',
    'never frees a task',
    'never announces again',
  ])('detects a store that %s', (mutant) => {
    const found = Array.from({ length: 400 }, (_, seed) => complaintsOf(scheduleOf(seed + 1, 60), mutant));
    expect(found.filter((complaints) => complaints.length > 0).length).toBeGreaterThan(4);
  });
});

const expiry: Command[] = [{ kind: 'tick', seconds: 21 }, { kind: 'rescue' }];

describe('the lease protocol in all interleavings of two workers with five steps each', () => {
  it.each<[string, (w: number) => Command[]]>([
    ['a heartbeat', (w) => [{ kind: 'beat', w }]],
    ['the expiry of all leases', () => expiry],
    [
      'a heartbeat, and the expiry of leases without one',
      (w) => [{ kind: 'tick', seconds: 15 }, { kind: 'beat', w }, { kind: 'tick', seconds: 10 }, { kind: 'rescue' }],
    ],
    ['a cut connection', (w) => [{ kind: 'cut', w, t: 0 }]],
    [
      'a commit whose response is lost, and a retry',
      (w) => [{ kind: 'commit unacknowledged', w, t: 0 }, ...expiry, { kind: 'retry', w, t: 0 }],
    ],
    ['a crash of the process', (w) => [{ kind: 'die', w, withServer: false }, { kind: 'rescue' }]],
    [
      'a released task',
      (w) => [
        { kind: 'commit', w, t: 0 },
        { kind: 'release', w, t: 0 },
      ],
    ],
    ['an abort', () => [{ kind: 'abort' }]],
  ])('keeps its invariants with %s in between', (_, between) => {
    const all = interleavings(fiveSteps(0, between(0)), fiveSteps(1, between(1)));
    expect(all.length).toBe(252);
    for (const steps of all) {
      const schedule = { tasks: 1, workers: 2, commands: steps.flat() };
      expect(complaintsOf(schedule), JSON.stringify(schedule.commands)).toEqual([]);
    }
  });
});
