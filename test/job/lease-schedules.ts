/** Schedules for the machine of lease-model.ts: random by a seed, and all interleavings of two workers. */
import { randomOf } from '../faults/chaos-schedule.js';
import { type Command, LeaseModel } from './lease-model.js';

export interface Schedule {
  tasks: number;
  workers: number;
  commands: Command[];
}

/** How often each command is attempted: the others have an effect only after claims and writes. */
const WEIGHTS: readonly [Command['kind'], number][] = [
  ['claim', 12],
  ['begin', 14],
  ['commit', 10],
  ['commit unacknowledged', 3],
  ['cut', 2],
  ['retry', 4],
  ['finish', 4],
  ['fail', 0.3],
  ['release', 2],
  ['beat', 5],
  ['die', 2],
  ['tick', 10],
  ['rescue', 8],
  ['lose messages', 1],
  ['stop', 0.3],
  ['abort', 0.3],
];
const SUM = WEIGHTS.reduce((sum, [, weight]) => sum + weight, 0);

/** Possible commands chosen by a seed. A worker without commands for long models a paused one. */
export function scheduleOf(seed: number, length: number): Schedule {
  const random = randomOf(seed);
  const below = (n: number): number => Math.floor(random() * n);
  const workers = 2 + below(3);
  const tasks = 1 + below(2);
  const model = new LeaseModel(tasks, workers);
  const commands: Command[] = [];
  const kind = (): Command['kind'] => {
    let at = random() * SUM;
    return WEIGHTS.find(([, weight]) => (at -= weight) < 0)?.[0] ?? 'tick';
  };
  for (let attempts = 0; commands.length < length && attempts < length * 20; attempts++) {
    const command = commandOf(kind(), below(workers), below(tasks), below);
    if (!model.may(command)) continue;
    model.apply(command);
    commands.push(command);
  }
  return { tasks, workers, commands };
}

function commandOf(kind: Command['kind'], w: number, t: number, below: (n: number) => number): Command {
  if (kind === 'tick') return { kind, seconds: [1, 4, 9, 21][below(4)]! };
  if (kind === 'die') return { kind, w, withServer: below(3) === 0, ...(below(2) === 0 && { page: t }) };
  if (kind === 'beat') return { kind, w };
  if (kind === 'rescue' || kind === 'lose messages' || kind === 'stop' || kind === 'abort') return { kind };
  return { kind, w, t };
}

/** All orders in which two lists can be merged. */
export function interleavings<T>(one: readonly T[], other: readonly T[]): T[][] {
  if (one.length === 0) return [[...other]];
  if (other.length === 0) return [[...one]];
  return [
    ...interleavings(one.slice(1), other).map((rest) => [one[0]!, ...rest]),
    ...interleavings(one, other.slice(1)).map((rest) => [other[0]!, ...rest]),
  ];
}

/** The five steps of a worker with one task; `between` is the third. */
export const fiveSteps = (w: number, between: Command[]): Command[][] => [
  [{ kind: 'claim', w, t: 0 }],
  [{ kind: 'begin', w, t: 0 }],
  between,
  [{ kind: 'commit', w, t: 0 }],
  [{ kind: 'finish', w, t: 0 }],
];

/** After any schedule: all workers proceed correctly until every task has ended, at most 40 rounds. */
export function* fairEnd(model: LeaseModel): Generator<Command> {
  for (let round = 0; round < 40 && !model.isOver; round++) {
    for (const [w, worker] of model.workers.entries()) {
      for (const t of Array.from(worker.claims.keys())) yield* endOf(model, w, t);
    }
    yield { kind: 'tick', seconds: 6 };
    yield { kind: 'rescue' };
    for (const t of Array.from(model.announced)) {
      model.announced.delete(t);
      if (model.may({ kind: 'claim', w: 0, t })) yield { kind: 'claim', w: 0, t };
    }
  }
}

function* endOf(model: LeaseModel, w: number, t: number): Generator<Command> {
  const commands: Command[] = [
    { kind: 'commit', w, t },
    { kind: 'retry', w, t },
    { kind: 'begin', w, t },
    { kind: 'commit', w, t },
    { kind: 'finish', w, t },
  ];
  for (const command of commands) if (model.may(command)) yield command;
}
