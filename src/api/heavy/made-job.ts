/**
 * Jobs that a heavy process created. That process does not wait until a worker claims the job: it answers with the id of the job,
 * and the API waits and returns the job like one that it created itself.
 */
import type { Request } from 'express';

export const MADE_JOB_HEADER = 'orbweaver-made-job';

const jobs = new WeakMap<Request, string>();

export const setHeavyJob = (request: Request, job: string): void => void jobs.set(request, job);

export const heavyJobOf = (request: Request): string | undefined => jobs.get(request);
