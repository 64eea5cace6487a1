/** How a crawl ends: the same for strict rounds and for a continuous crawl. */
import type { Child, CrawlSoFar, CrawlStep, End } from './crawl-plan.js';
import { roundsWithPages } from './round-numbers.js';
import type { FailureCode } from './failure-codes.js';
import type { JobType } from './job-types.js';

/** Counters of GENERATE. Due pages of hosts that are excluded for a while: they may be selected later. */
const ON_EXCLUDED_HOSTS = ['HOST_BLOCKED', 'HOST_DRAINED'];
/** Due pages that this configuration does not select. */
const NOT_SELECTED = [
  'DISTANCE',
  'SCORE_TOO_LOW',
  'STATUS_REJECTED',
  'INTERVAL_REJECTED',
  'URL_FILTERS_REJECTED',
  'EXPR_REJECTED',
];

/** The reason is `done` only where nothing is due. */
export function nothingSelected(crawl: CrawlSoFar, { generated }: Child): CrawlStep {
  const named = (names: readonly string[]) =>
    names.flatMap((name) => (generated?.[name] ? [`${name} ${generated[name]}`] : [])).join(', ');
  const [excluded, notWanted] = [named(ON_EXCLUDED_HOSTS), named(NOT_SELECTED)];
  if (excluded !== '')
    return end(crawl, 'FINISHED', 'hosts-left-alone', `OK: all pages that are due are on excluded hosts (${excluded})`);
  const more = notWanted === '' ? '' : `; not selected by the configuration: ${notWanted}`;
  return end(crawl, 'FINISHED', 'done', `OK: nothing more is due${more}`);
}

const failed = (crawl: CrawlSoFar, msg: string, failure: FailureCode): CrawlStep => ({
  ...end(crawl, 'FAILED', 'failed', msg),
  failure,
});

/** The steps whose pages are in a batch, until UPDATEDB has closed it. */
const IN_BATCH: readonly JobType[] = ['GENERATE', 'FETCH', 'PARSE', 'UPDATEDB'];

/** A crawl fails with the first of its children that failed, or that a user killed. */
export function failedBy(crawl: CrawlSoFar, { id, type, state, msg, failure }: Child): CrawlStep {
  if (state !== 'KILLED') return failed(crawl, `ERROR: ${id} failed: ${msg}`, failure ?? 'UNEXPECTED');
  const left = IN_BATCH.includes(type) ? ': its pages wait in their batch' : '';
  return failed(crawl, `ERROR: ${id} was killed${left}`, 'STEP_ABORTED');
}

/**
 * Whether a step is a PARSE or UPDATEDB that a user has ended before it had parsed, or closed, its batches. Their pages would not
 * be parsed, or due, in any further round: the crawl ends, and its next run continues with these batches.
 */
export function leavesBatchesOpen({
  type,
  state,
  reason,
  keepsOpen = false,
}: Pick<Child, 'type' | 'state' | 'reason' | 'keepsOpen'>): boolean {
  if (type === 'PARSE') return reason === 'stopped' || state === 'KILLED';
  return type === 'UPDATEDB' && !keepsOpen && reason === 'stopped';
}

export const stopped = (crawl: CrawlSoFar): CrawlStep => end(crawl, 'FINISHED', 'stopped', 'OK: stopped on request');

export function end(crawl: CrawlSoFar, state: 'FINISHED' | 'FAILED' | 'KILLED', reason: string, msg: string): End {
  return { kind: 'end', state, reason, msg, rounds: roundsWithPages(crawl.children) };
}
