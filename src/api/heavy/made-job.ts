/**
 * Jobs that a heavy process created. That process does not wait until a worker claims the job: it answers with the id of the job,
 * and the API waits and returns the job like one that it created itself.
 */
import type { Request } from 'express';

export const MADE_JOB_HEADER = 'orbweaver-made-job';
/** The token of the claim by which that process ran a request with an `Idempotency-Key`: the API stores the answer that it sends. */
export const KEY_TOKEN_HEADER = 'orbweaver-key-token';

export interface HeavyJob {
  readonly id: string;
  /** Undefined if the request has no `Idempotency-Key`. */
  readonly keyToken: number | undefined;
}

const jobs = new WeakMap<Request, HeavyJob>();

export const setHeavyJob = (request: Request, job: HeavyJob): void => void jobs.set(request, job);

export const heavyJobOf = (request: Request): HeavyJob | undefined => jobs.get(request);
