import { setImmediate as nextIteration } from 'node:timers/promises';

/** Lets other tasks of the process run. Called between steps of computing of some milliseconds. */
export type Pause = () => Promise<void>;

/** The last pause, after which the next one begins. */
let last: Promise<void> = Promise.resolve();
/**
 * For one iteration of the event loop after the pauses that began before: one slice runs in an iteration, however many
 * computations there are.
 */
export const pauseForOthers: Pause = () => (last = last.then(() => nextIteration()));

/** Milliseconds of computing between two pauses. A request of HTTP takes some iterations of the event loop. */
const SLICE_MS = 4;

/** The time from one pause of a computation to the next. */
export class TimeSlices {
  private until: number;

  constructor(
    private readonly pause: Pause = pauseForOthers,
    private readonly sliceMs = SLICE_MS,
  ) {
    this.until = performance.now() + sliceMs;
  }

  get isOver(): boolean {
    return performance.now() >= this.until;
  }

  async next(): Promise<void> {
    await this.pause();
    this.until = performance.now() + this.sliceMs;
  }
}

/** Runs a computation, with a pause after that step of it with which a slice is over. */
export async function inTimeSlices<T>(steps: Generator<void, T>, slices = new TimeSlices()): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    if (slices.isOver) await slices.next();
  }
}
