import { setTimeout as sleep } from 'node:timers/promises';

/** Longest pause before a delay is looked at again. Timers of Node fire at once when they are set to more than 24 days. */
const MAX_PAUSE_MS = 3_600_000;

/** Waits for a delay, or for a part of it that is long, or until the signal fires. */
export const pause = (delayMs: number, signal: AbortSignal | undefined): Promise<void> =>
  sleep(Math.min(delayMs, MAX_PAUSE_MS), undefined, { signal }).catch(() => undefined);
