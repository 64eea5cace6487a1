/**
 * The optional steps that a continuous crawl runs beside its FETCH, again and again: DEDUP, INDEX and CLEAN, so that a search
 * finds a page soon after it was fetched. UPDATEDB records what they have to read.
 */
import { isOpen } from './child-states.js';
import type { Child, CrawlSoFar } from './crawl-plan.js';
import type { StepType } from './job-types.js';

/** From the end of a series of these steps to the next one: as long as the series took, within these limits. */
const MIN_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 30_000;

/**
 * The type of the next step beside the open FETCH of a crawl, or undefined: none is due.
 * @param types of the steps, in the order of a series
 * @param rounds the steps of its rounds
 * @param beside its steps of these types
 */
export function typeBesideFetch(
  { state, now }: CrawlSoFar,
  { types, rounds, beside }: { types: readonly StepType[]; rounds: readonly Child[]; beside: readonly Child[] },
): StepType | undefined {
  const fetchJob = rounds.findLast(({ type }) => type === 'FETCH');
  if (state !== 'RUNNING' || !fetchJob || !isOpen(fetchJob) || fetchJob.closed) return undefined;
  const last = beside.at(-1);
  if (last && isOpen(last)) return undefined;
  const following = last && types[types.indexOf(last.type) + 1];
  if (following) return following;
  const updatedAt = endOf(rounds.findLast((child) => child.type === 'UPDATEDB' && child.round > 0 && !isOpen(child)));
  const startedAt = beside.findLast(({ type }) => type === types[0])?.createdAt?.getTime() ?? 0;
  if (updatedAt <= startedAt) return undefined;
  const pausedMs = now.getTime() - endOf(last);
  const isPausing = last && pausedMs < Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, endOf(last) - startedAt));
  return isPausing ? undefined : types[0];
}

/** Ms; 0: there is no such step, or it has not ended. */
const endOf = (child: Child | undefined): number => child?.endedAt?.getTime() ?? 0;
