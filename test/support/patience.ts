import { availableParallelism, loadavg } from 'node:os';
import { readFileSync } from 'node:fs';
import { inject } from 'vitest';

/**
 * How long tests wait for what has to come, ms: what ends a test that hangs. Where a time is what is checked, the test says
 * it by itself.
 *
 * It follows the progress that the machine makes: it is as many times as long as there are processes for each core that
 * want to run. So a condition that never comes is told soon where there is time for all, and one that comes late is waited for.
 */
export let PATIENCE_MS = patience();

/** Looks at the load anew. */
export function measurePatience(): number {
  PATIENCE_MS = patience();
  return PATIENCE_MS;
}

function patience(): number {
  return Math.round(inject('patienceMs') * crowd());
}

/** A wait for what has to come, from now on; load that comes meanwhile makes it longer. */
export class Wait {
  private last = performance.now();

  /** @param left ms on a machine with a core for each process */
  constructor(private left = inject('patienceMs')) {}

  /** Whether what was left is gone: ms count for less where processes wait for a core. */
  get isOver(): boolean {
    const now = performance.now();
    this.left -= (now - this.last) / crowd();
    this.last = now;
    return this.left < 0;
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The patience on a machine with a core for each process. */
    patienceMs: number;
    /** What a test and a hook may take at least, ms, before they are ended: each wait in them has its own limit. */
    boundMs: number;
  }
}

/** Processes that want to run, for each core: now or in the last minute, at least 1 and at most 20. */
function crowd(): number {
  const wanting = Math.max(loadavg()[0] ?? 0, runningNow());
  return Math.min(20, Math.max(1, wanting / availableParallelism()));
}

/** Linux tells it; the average of a minute comes too late where others have just begun. */
function runningNow(): number {
  try {
    return Number(/ (\d+)\//.exec(readFileSync('/proc/loadavg', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}
