/** The types of jobs, what a job returns, and its counters. */

export const jobTypes = [
  'INJECT',
  'GENERATE',
  'FETCH',
  'PARSE',
  'UPDATEDB',
  'INVERTLINKS',
  'DEDUP',
  'INDEX',
  'CLEAN',
  'MERGESEGS',
  'SITEMAP',
  'HOSTDB',
  'WEBGRAPH',
  'LINKRANK',
  'SCOREUPDATE',
  'PAGERANK',
  'HITS',
  'READDB',
  'CRAWL',
  'DROPCRAWL',
] as const;
export type JobType = (typeof jobTypes)[number];
/** The types that a request may name. DROPCRAWL is made by DELETE /v1/crawls/{id}, which needs another scope. */
export const requestedTypes = jobTypes.filter((type) => type !== 'DROPCRAWL');
/** The types that workers run. A CRAWL has no task: the end of each of its children makes the next. */
export type StepType = Exclude<JobType, 'CRAWL'>;

/** Group → name → number, as Hadoop shows a job's counters (`FetcherStatus` → `SUCCESS` → 12). */
export type CounterGroups = Record<string, Record<string, number>>;

/** What a finished job returns: `result` "0" done, "1" nothing to do; a machine-readable reason; the counters. */
export interface JobResult {
  result: string;
  reason: string;
  counters: CounterGroups;
  [extra: string]: unknown;
}

/** How one task ended: the reason of the whole job is the first that is not `done`. */
export interface TaskOutcome {
  reason: string;
  /** Copied to the top level of the job's result (`generate.batch.id` …). */
  extra?: Record<string, unknown>;
}

/** Adds the counters of `more` to `sum`, in place. */
export function addCounters(sum: CounterGroups, more: CounterGroups): CounterGroups {
  for (const [group, names] of Object.entries(more)) {
    const into = (sum[group] ??= {});
    for (const [name, n] of Object.entries(names)) into[name] = (into[name] ?? 0) + n;
  }
  return sum;
}
