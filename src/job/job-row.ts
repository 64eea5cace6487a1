import type { JobState } from '../core/job/job-states.js';
import type { JobResult, JobType } from '../core/job/job-types.js';

/** A job, as its row has it. */
export interface JobRow {
  id: string;
  /** bigint as text, as `pg` returns it. */
  number: string;
  /** The crawl's number in the web table. */
  crawl: number;
  crawlId: string;
  confId: string;
  confHash: string;
  type: JobType;
  args: Record<string, unknown>;
  state: JobState;
  msg: string;
  plan: Record<string, unknown> | null;
  result: JobResult | null;
  /** The CRAWL that made it, and in which of its rounds. */
  parent: string | null;
  round: number | null;
  pausedAt: Date | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
}
