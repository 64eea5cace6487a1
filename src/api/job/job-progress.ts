import type { JobRow } from '../../job/job-row.js';
import { isFinal } from '../../core/job/job-states.js';
import type { JobStore } from '../../job/job.store.js';
import { type JobProgress, jobInfoOf } from './job.dto.js';

const SHOWN_CHILDREN = 1_000;
const SHOWN_WAITS = 20;

/** A job with its counters so far, what its tasks wait for and, for a CRAWL, its children. */
export async function jobProgress(jobs: JobStore, job: JobRow): Promise<JobProgress> {
  const counters = isFinal(job.state) && job.result ? job.result.counters : await jobs.counters(job.id);
  const waitsFor = isFinal(job.state) ? [] : await jobs.waits(job.id, SHOWN_WAITS);
  if (job.type !== 'CRAWL') return { ...jobInfoOf(job), counters, waitsFor };
  const children = await jobs.children(job.id, SHOWN_CHILDREN);
  return { ...jobInfoOf(job), counters, waitsFor, children: children.map(jobInfoOf) };
}
