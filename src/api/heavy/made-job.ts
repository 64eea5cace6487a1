/**
 * Jobs that a process beside the API made. That process is not kept waiting until a worker takes the job: it answers with the id of
 * the job, and the API waits and shows the job as it does one that it made itself.
 */
import type { Request } from 'express';

export const MADE_JOB_HEADER = 'orbweaver-made-job';

const made = new WeakMap<Request, string>();

export const madeBeside = (request: Request, job: string): void => void made.set(request, job);

export const jobMadeBeside = (request: Request): string | undefined => made.get(request);
