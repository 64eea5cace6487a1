/**
 * The catalogue of what a user can do about a job that did not do what it was asked for. The code of a failure is in its result
 * (`failure`), written where it happened; if a crawl ended normally without a page, its counters show the reason. Pure.
 */
import { mostFrequentFailure } from './fetch-failures.js';
import { fetchFigures } from './fetch-figures.js';
import type { JobResult, JobType } from './job-types.js';
import type { JobState } from './job-states.js';

/** Why a job failed, as a code. */
export const failureCodes = [
  'AGENT_NAME_MISSING',
  'PROTOCOL_MISSING',
  'NO_BATCH',
  'BATCH_UNKNOWN',
  'BATCH_OPEN',
  'CRAWL_UNKNOWN',
  'SEEDS_MISSING',
  'LIST_GONE',
  'LIST_CHANGED',
  'ARGS_INVALID',
  'GRAPH_TOO_LARGE',
  'INDEX_WRITER',
  'GIVEN_UP',
  'STEP_ABORTED',
  'UNEXPECTED',
] as const;
export type FailureCode = (typeof failureCodes)[number];

/** Why a crawl that ended normally fetched nothing, and why a job was aborted. */
export const endCodes = [
  'ABORTED',
  'SEEDS_REFUSED',
  'ROBOTS_DENIED',
  'HOSTS_LEFT_ALONE',
  'NOTHING_FETCHED',
  'NOTHING_DUE',
] as const;
export type CureCode = FailureCode | (typeof endCodes)[number];

export interface Cure {
  code: CureCode;
  /** What to do, as a sentence. */
  message: string;
  /** The property of its configuration that has to be set, if there is one. */
  property: string | null;
  /** Whether the same job may succeed after that. */
  again: boolean;
}

/** The part of a job that is needed here. */
export interface Ended {
  type: JobType;
  state: JobState;
  crawlId: string;
  confId: string;
  result: JobResult | null;
}

type Words = Omit<Cure, 'code' | 'property'> & { property?: Cure['property'] };

const failures: Readonly<Record<FailureCode, (job: Ended) => Words>> = {
  AGENT_NAME_MISSING: ({ confId }) => ({
    message: `Say who crawls: set http.agent.name in configuration "${confId}" (PUT /config/${confId}/http.agent.name), then run it again.`,
    property: 'http.agent.name',
    again: true,
  }),
  PROTOCOL_MISSING: ({ confId }) => ({
    message: `Let plugin.includes of configuration "${confId}" name protocol-http, then run it again.`,
    property: 'plugin.includes',
    again: true,
  }),
  NO_BATCH: () => ({ message: 'Run GENERATE first: it selects the pages of a batch. Then run it again.', again: true }),
  BATCH_UNKNOWN: ({ crawlId }) => ({
    message: `Name a batch that the crawl has: GET /v1/batches?crawlId=${crawlId} lists them.`,
    again: false,
  }),
  BATCH_OPEN: () => ({ message: 'Run UPDATEDB on the batch that msg names, then run it again.', again: true }),
  CRAWL_UNKNOWN: ({ crawlId }) => ({
    message: `Name an existing crawl (GET /job lists all jobs with their crawls), or begin "${crawlId}" with INJECT or POST /v1/crawls.`,
    again: false,
  }),
  SEEDS_MISSING: () => ({
    message: 'Give seeds: the name of a stored list as seedName, or the lines as seed.',
    again: false,
  }),
  LIST_GONE: () => ({
    message: 'Store the list again under its name (POST /seed/create), then run it again.',
    again: true,
  }),
  LIST_CHANGED: () => ({ message: 'Run it again: it reads the list as it is now.', again: true }),
  ARGS_INVALID: () => ({ message: 'Fix the arguments named in msg and create the job again.', again: false }),
  GRAPH_TOO_LARGE: ({ confId }) => ({
    message: `Give the workers memory for its links, 12 bytes each, and raise link.graph.max.edges in configuration "${confId}", then run it again.`,
    property: 'link.graph.max.edges',
    again: true,
  }),
  INDEX_WRITER: () => ({
    message:
      'Fix the error of the index writer or its engine that msg reports, then run the job again: documents that are already in the index are replaced by the same.',
    again: true,
  }),
  GIVEN_UP: () => ({
    message:
      'Its worker processes ended several times. See the last log lines of the workers in the log of the server, give them more memory if they ran out of it, then run the job again: what was written stays.',
    again: true,
  }),
  STEP_ABORTED: () => ({
    message: 'One of its steps was aborted. Run it again: it first completes the open batch, then continues.',
    again: true,
  }),
  UNEXPECTED: () => ({
    message:
      'See the log of the server under the id of the job. When the cause is removed, run it again: what was written stays.',
    again: true,
  }),
};

const ASK_WHY = 'POST /v1/inspect/url (in a browser: “Why?”) gives the reason for each URL';

/** What a user can do about a job; null if there is nothing to do, or the job has not ended. */
export function cureOf(job: Ended): Cure | null {
  const { state, type, result } = job;
  if (state === 'FAILED') {
    const code = failureCodes.find((known) => known === result?.['failure']) ?? 'UNEXPECTED';
    return cure(code, failures[code](job));
  }
  if (state === 'KILLED') return cure('ABORTED', { message: aborted(type), again: true });
  if (state !== 'FINISHED' || type !== 'CRAWL' || result === null) return null;
  return fruitless(job, result);
}

const cure = (code: CureCode, { message, property = null, again }: Words): Cure => ({ code, message, property, again });

function aborted(type: JobType): string {
  if (type === 'CRAWL') return 'Its batch stays open. Run it again: it first completes that batch, then continues.';
  if (type === 'FETCH' || type === 'PARSE')
    return 'Its batch stays open. Run it again, or release its pages by an UPDATEDB of the batch.';
  return 'Run it again.';
}

/** Of a crawl that ended normally. */
function fruitless({ crawlId }: Ended, { reason, counters }: JobResult): Cure | null {
  const { fetched, failed, denied } = fetchFigures(counters);
  const { urls_injected: injected = 0, urls_filtered: refused = 0 } = counters['injector'] ?? {};
  if (fetched > 0 || reason === 'stopped') return null;
  if (injected === 0 && refused > 0)
    return cure('SEEDS_REFUSED', {
      message: `The URL filters refused all seeds (${refused}). ${ASK_WHY}, with the rule: give other seeds, or change the rules and run it again.`,
      again: true,
    });
  if (denied > 0 && failed === 0)
    return cure('ROBOTS_DENIED', {
      message: `robots.txt forbids all pages that were tried (${denied}). ${ASK_WHY}, with the line. Ask the owner of the site, or crawl what it allows.`,
      again: false,
    });
  if (reason === 'hosts-left-alone')
    return cure('HOSTS_LEFT_ALONE', {
      message: `All pages that are due are on excluded hosts: GET /v1/hosts?crawlId=${crawlId} shows until when. Run it again then.`,
      again: true,
    });
  if (reason === 'nothing-fetched' || failed > 0) {
    const why = mostFrequentFailure(counters);
    const failures = why === null ? `${failed} failed` : `${failed} failed; most frequent reason: ${why}`;
    return cure('NOTHING_FETCHED', {
      message: `No page could be fetched (${failures}). ${ASK_WHY}. Run it again when the cause is removed.`,
      again: true,
    });
  }
  if (reason !== 'done') return null;
  return cure('NOTHING_DUE', {
    message: `No page was due. Give seeds, or set the clock ahead (adddays); pages of an open batch wait for its UPDATEDB (GET /v1/batches?crawlId=${crawlId}). ${ASK_WHY}.`,
    again: false,
  });
}
