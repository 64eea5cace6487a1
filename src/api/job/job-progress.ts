import type { JobRow } from '../../job/job-row.js';
import { isFinal } from '../../core/job/job-states.js';
import type { JobStore } from '../../job/job.store.js';
import { type JobProgress, jobInfoOf } from './job.dto.js';

const SHOWN_CHILDREN = 1_000;

/** A job with its counters so far and, for a CRAWL, its children. */
export async function jobProgress(jobs: JobStore, job: JobRow): Promise<JobProgress> {
  const counters = isFinal(job.state) && job.result ? job.result.counters : await jobs.counters(job.id);
  if (job.type !== 'CRAWL') return { ...jobInfoOf(job), counters };
  const children = await jobs.children(job.id, SHOWN_CHILDREN);
  return { ...jobInfoOf(job), counters, children: children.map(jobInfoOf) };
}
