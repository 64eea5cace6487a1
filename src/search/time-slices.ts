import { setImmediate as nextIteration } from 'node:timers/promises';

/** Lets other tasks of the process run. Called between steps of computing of some milliseconds. */
export type Pause = () => Promise<void>;

/** For one iteration of the event loop. */
export const yieldToOthers: Pause = () => nextIteration();

/** Milliseconds of computing between two pauses. */
const SLICE_MS = 10;

/** Runs a computation, with a pause between two steps of it every `sliceMs` or a little later. */
export async function inTimeSlices<T>(
  steps: Generator<void, T>,
  { pause = yieldToOthers, sliceMs = SLICE_MS }: { pause?: Pause; sliceMs?: number } = {},
): Promise<T> {
  let until = performance.now() + sliceMs;
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (performance.now() < until) continue;
    await pause();
    until = performance.now() + sliceMs;
  }
}
