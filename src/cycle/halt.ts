/** How a step ends when its job is stopped or aborted. */
import type { TaskOutcome } from '../core/job/job-types.js';
import type { Run } from './step.js';

/** Whether the job was asked to stop: begin nothing new. @throws the reason of an abort */
export function isStopping({ stopping, aborted }: Pick<Run, 'stopping' | 'aborted'>): boolean {
  aborted.throwIfAborted();
  return stopping.aborted;
}

/**
 * Runs work whose waits are rejected with the reason of `signal`, which fires when the job is asked to stop or is aborted. If a
 * stop has ended the work in this way, the task ends as stopped.
 */
export async function untilHalted(
  { stopping, aborted }: Pick<Run, 'stopping' | 'aborted'>,
  work: (signal: AbortSignal) => Promise<TaskOutcome>,
): Promise<TaskOutcome> {
  const signal = AbortSignal.any([stopping, aborted]);
  try {
    return await work(signal);
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error;
    aborted.throwIfAborted();
    return { reason: 'stopped' };
  }
}
