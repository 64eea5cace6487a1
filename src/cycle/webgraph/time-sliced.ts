import { setImmediate as nextIteration } from 'node:timers/promises';

/** Runs work in slices of some ten milliseconds, between which the event loop continues. Throws the reason of `signal`. */
export async function timeSliced<S, T>(
  work: Generator<S, T>,
  signal: AbortSignal,
  each?: (slice: S) => void,
): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    each?.(value);
    await nextIteration();
    signal.throwIfAborted();
  }
}
