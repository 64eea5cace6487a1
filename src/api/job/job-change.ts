/** Pause, resume, stop and abort of a job; if one changes nothing, the reason, because the body is NutchServer's `false`. */
import type { Response } from 'express';
import { type JobState, isFinal } from '../../core/job/job-states.js';
import type { JobStore } from '../../job/job.store.js';
import { notice } from '../request/notice.js';

const acts = {
  pause: (jobs: JobStore, id: string) => jobs.pause(id),
  resume: (jobs: JobStore, id: string) => jobs.resume(id),
  stop: (jobs: JobStore, id: string) => jobs.requestStop(id),
  abort: (jobs: JobStore, id: string) => jobs.requestAbort(id),
};

export type JobChange = keyof typeof acts;

/** Changes a job. Returns a sentence that says why nothing was changed; undefined if something was. */
export async function changeJob(jobs: JobStore, change: JobChange, id: string): Promise<string | undefined> {
  if (await acts[change](jobs, id)) return undefined;
  const job = await jobs.find(id);
  return job === undefined
    ? `Job ${id} was deleted meanwhile.`
    : `Job ${id} ${whyUnchanged(change, job.state)}: ${job.state}.`;
}

function whyUnchanged(change: JobChange, state: JobState): string {
  if (isFinal(state)) return 'has ended already';
  if (change === 'resume') return 'is not paused';
  return `is being ${state === 'KILLING' ? 'aborted' : 'stopped'} already`;
}

/** The answer to a change: whether something was changed, with a notice that says why not. */
export function noticeUnchanged(response: Response, why: string | undefined): boolean {
  if (why !== undefined) notice(response, [why]);
  return why === undefined;
}
