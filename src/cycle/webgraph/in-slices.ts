import { setImmediate } from 'node:timers/promises';

/** Does work of some ten milliseconds at a time, between which the process goes on with other work. Throws the reason of `halt`. */
export async function inSlices<S, T>(work: Generator<S, T>, halt: AbortSignal, each?: (slice: S) => void): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    each?.(value);
    await setImmediate();
    halt.throwIfAborted();
  }
}
