/** Waiting of a step that ends when its job is to end. */
import type { TaskOutcome } from '../job/job-row.js';
import type { Run } from './step.js';

/**
 * Does work that gives up waiting with the reason of `halt`, which fires when the job is asked to stop or is aborted. Work
 * that a stop has ended in this way ends the task as stopped.
 */
export async function untilHalted(
  { stopping, aborted }: Pick<Run, 'stopping' | 'aborted'>,
  work: (halt: AbortSignal) => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  const halt = AbortSignal.any([stopping, aborted]);
  try {
    return await work(halt);
  } catch (error) {
    if (!halt.aborted || error !== halt.reason) throw error;
    aborted.throwIfAborted();
    return { reason: 'stopped' };
  }
}
