/** How many pages the FETCH jobs of a crawl have visited, and which rounds visited none. */
import type { Child } from './crawl-plan.js';
import { LEFT_IN_BATCH, OF_EXCLUDED_HOSTS } from './fetch-counters.js';

/**
 * Rounds in a row without a visit that end a crawl. Pages that only ran out of time (a back-off, a host leased by another crawl,
 * a pause) may well be fetched in the next round; where all pages were filtered, the next round is the same.
 */
export const MAX_FRUITLESS = 3;

/**
 * The FETCH jobs of the last rounds in a row that visited nothing. If hosts were excluded the next round differs: GENERATE
 * leaves them out.
 */
export function fruitlessRounds(children: readonly Child[]): Child[] {
  const fetches = children.filter(({ type }) => type === 'FETCH');
  const last = fetches.findLastIndex(
    (fetchJob) =>
      visitsOf(fetchJob, 1) > 0 || sumOfCounters(fetchJob, OF_EXCLUDED_HOSTS) > 0 || fetchJob.reason === 'stopped',
  );
  return fetches.slice(last + 1);
}

export const sumOfCounters = ({ visits }: Child, counters: readonly string[]): number =>
  counters.reduce((sum, name) => sum + (visits?.[name] ?? 0), 0);

/**
 * Pages visited so far; of batches that are not fetched completely, all pages count. The batches of GENERATE lack the
 * targets of redirects that joined them: for those the counters of FETCH are used.
 */
export function visitedBy(children: readonly Child[]): number {
  let visited = 0;
  let selected = 0;
  let fetchJob: Child | undefined;
  for (const child of children) {
    selected += child.selected;
    if (child.type === 'FETCH') fetchJob = child;
    if (child.type !== 'UPDATEDB' || child.keepsOpen) continue;
    visited += visitsOf(fetchJob, selected);
    [fetchJob, selected] = [undefined, 0];
  }
  return visited + visitsOf(fetchJob, selected);
}

/** Visits to a batch of `selected` pages. A FETCH that was stopped before it began has no counters, and visited nothing. */
function visitsOf(fetchJob: Child | undefined, selected: number): number {
  if (selected === 0 || !fetchJob) return selected;
  if (!fetchJob.visits) return fetchJob.reason === 'stopped' ? 0 : selected;
  return Object.entries(fetchJob.visits).reduce((sum, [name, n]) => (LEFT_IN_BATCH.includes(name) ? sum : sum + n), 0);
}
