import { problem } from '../problem.js';

export const jobNotEnded = problem(
  409,
  'JOB_NOT_ENDED',
  'The job has not ended',
  (id: string, state: string) => `Job ${id} is ${state}; it can be run again when it has ended.`,
);
export const jobNotRepeated = problem(
  409,
  'JOB_NOT_REPEATED',
  'Jobs of this type cannot be run again',
  (id: string, type: string) =>
    `Job ${id} is a ${type}: DELETE /v1/crawls/{id} creates a new one, which deletes the rest.`,
);
