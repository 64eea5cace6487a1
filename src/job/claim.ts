/** A task that a worker has claimed: the identity of the attempt, and what the attempts before it have left. */
import type { CounterGroups } from '../core/job/job-types.js';

export interface Claim {
  task: string;
  job: string;
  part: number;
  token: number;
  writes: number;
  counters: CounterGroups;
  progress: Record<string, unknown> | null;
  /** Workers that died while they parsed a page, by its row key. */
  deaths: Record<string, number>;
}

/** Thrown inside a task whose lease went to another worker: it must write nothing more. */
export class LeaseLost extends Error {
  constructor(claim: Claim) {
    super(`Task ${claim.task} of ${claim.job} was handed to another worker.`);
  }
}
