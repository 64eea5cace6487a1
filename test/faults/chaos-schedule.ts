/**
 * Faults of one run, as a function of its seed: a list of faults, each with a delay after the one before. Pure, so that a seed
 * always gives the same list; the exact moment in the crawl depends on the machine.
 */
import { FAULT_POINTS, type FaultPoint } from '../../src/db/fault-point.js';
import type { FaultAction } from '../support/fault-orders.js';

/** `who`: a process by its number, 0 the server with its worker, 1 and up a worker alone; each has its own proxy. */
export type Fault =
  /** kill -9, and started again. */
  | { kind: 'kill'; who: number }
  /** kill -9 of the server's worker alone: the server starts another. */
  | { kind: 'kill the worker of the server' }
  /** SIGTERM, and started again. */
  | { kind: 'terminate'; who: number }
  /** SIGSTOP, SIGCONT after `ms`; with `expire` its leases expire meanwhile. */
  | { kind: 'stop and continue'; who: number; ms: number; expire: boolean }
  | { kind: 'reset' | 'half-open'; who: number }
  | { kind: 'refuse' | 'black hole'; who: number; ms: number }
  | { kind: 'latency'; who: number; ms: number; each: number }
  /** The next COMMITs are executed without a response. */
  | { kind: 'cut at commit'; who: number; times: number }
  | { kind: 'restart PostgreSQL'; how: 'fast' | 'immediate' }
  /** All leases expire at once. */
  | { kind: 'leases expire' }
  /** Every task is queued again, whatever its state. */
  | { kind: 'deliver twice' }
  /** The crawl is paused, and resumed after `ms`. */
  | { kind: 'pause the crawl'; ms: number }
  | { kind: 'order'; point: FaultPoint; action: FaultAction; after: number };

export interface Strike {
  /** Milliseconds after the fault before. */
  after: number;
  fault: Fault;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Rounds of a crawl: one after another, or with one FETCH that stays open. */
export type Rounds = 'strict' | 'open';

/** Points that every crawl of these tests passes, and at which an error does not fail the job itself. */
const POINTS = FAULT_POINTS.filter((name) =>
  /^(inject|generate|fetch|parse|updatedb|index|task|job|crawl|event)\./.test(name),
).filter((name) => !['task.failing', 'task.releasing', 'task.released'].includes(name));
/** Only where FETCH stays open. */
const BACKLOG: FaultPoint = 'task.backlog';
const pointsOf = (rounds: Rounds): readonly FaultPoint[] =>
  POINTS.filter((name) => rounds === 'open' || name !== BACKLOG);
/** Points at which an unexpected error is caught and the work repeated; elsewhere it would correctly fail the job. */
const MAY_THROW: readonly FaultPoint[] = ['task.taken', 'task.rescuing', 'task.rescued'];

/**
 * The faults of a seed: `most` at most, at least half that. A task that is lost three times in a row without a write is
 * failed, which is no defect of the product; so at most two of the faults can lose a task.
 */
export function scheduleOf(
  seed: number,
  { processes, most, rounds }: { processes: number; most: number; rounds: Rounds },
): Strike[] {
  const random = randomOf(seed);
  const points = pointsOf(rounds);
  const between = (min: number, largest: number): number => min + Math.floor(random() * (largest - min + 1));
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)]!;
  const who = (): number => between(0, processes - 1);
  const kinds: readonly (() => Fault)[] = [
    () => ({ kind: 'kill', who: who() }),
    () => ({ kind: 'kill', who: 0 }),
    () => ({ kind: 'kill the worker of the server' }),
    () => ({ kind: 'terminate', who: who() }),
    () => ({ kind: 'stop and continue', who: who(), ms: between(200, 1_500), expire: random() < 0.7 }),
    () => ({ kind: one(['reset', 'half-open'] as const), who: who() }),
    () => ({ kind: one(['refuse', 'black hole'] as const), who: who(), ms: between(100, 2_000) }),
    () => ({ kind: 'latency', who: who(), ms: between(500, 2_000), each: between(2, 60) }),
    () => ({ kind: 'cut at commit', who: who(), times: between(1, 3) }),
    () => ({ kind: 'restart PostgreSQL', how: one(['fast', 'immediate'] as const) }),
    () => ({ kind: 'leases expire' }),
    () => ({ kind: 'deliver twice' }),
    () => ({ kind: 'pause the crawl', ms: between(50, 800) }),
    order,
    order,
    order,
  ];
  function order(): Fault {
    const point = one(points);
    const actions: FaultAction[] = ['exit', 'exit', 'drop', `sleep ${between(50, 1_500)}`];
    if (MAY_THROW.includes(point)) actions.push('throw', 'throw');
    return { kind: 'order', point, action: one(actions), after: one([0, 0, 1, 3, 10]) };
  }
  const strikes: Strike[] = [];
  const count = between(Math.ceil(most / 2), most);
  for (let losses = 0; strikes.length < count;) {
    const fault = one(kinds)();
    if (losesTasks(fault) && losses++ >= 2) continue;
    strikes.push({ after: between(50, 900), fault });
  }
  return strikes;
}

/** Whether a fault alone can lose an attempt; one whose claim was committed without a response is lost when its lease expires. */
export function losesTasks(fault: Fault): boolean {
  if (fault.kind === 'kill') return fault.who > 0;
  if (fault.kind === 'order') return fault.action === 'exit';
  if (fault.kind === 'stop and continue') return fault.expire;
  return ['kill the worker of the server', 'leases expire', 'half-open', 'black hole', 'cut at commit'].includes(
    fault.kind,
  );
}

/** The fault as one line of text. */
export function lineOf({ after, fault }: Strike): string {
  const { kind, ...more } = fault;
  const words = Object.entries(more).map(([name, value]) => `${name}=${value}`);
  return `+${after} ms ${kind}${words.length > 0 ? ` (${words.join(', ')})` : ''}`;
}
