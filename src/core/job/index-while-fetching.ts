/**
 * INDEX, and after it CLEAN, of a continuous crawl: they run beside FETCH, again and again, so that a search finds a page soon
 * after it was fetched. UPDATEDB records the pages whose documents may have changed; INDEX takes the recorded ones.
 */
import { isOpen } from './child-states.js';
import type { Child, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import { freeRound } from './round-numbers.js';

/** The arguments of an INDEX of the recorded pages. */
export const OF_RECORDED = { ofCrawl: 'updated' } as const;

/** From the end of an INDEX and its CLEAN to the next one: at least so long, and so many times as long as both took. */
const MIN_PAUSE_MS = 5_000;
const PAUSE_FACTOR = 3;

/**
 * The next INDEX or CLEAN beside the open FETCH of a crawl, or undefined: none is due. Time is that of the last step that ended:
 * so the choice depends on rows alone.
 * @param rounds the steps of its rounds
 * @param beside its steps INDEX and CLEAN
 */
export function indexWhileFetching(
  crawl: CrawlSoFar,
  { rounds, beside }: { rounds: readonly Child[]; beside: readonly Child[] },
): CrawlStep | undefined {
  const { plan, state, children } = crawl;
  const fetchJob = rounds.findLast(({ type }) => type === 'FETCH');
  if (plan.index !== true || state !== 'RUNNING' || !fetchJob || !isOpen(fetchJob) || fetchJob.closed) return undefined;
  const last = beside.at(-1);
  if (last && isOpen(last)) return undefined;
  if (last?.type === 'INDEX') return { kind: 'child', type: 'CLEAN', round: freeRound(children, 'CLEAN'), args: {} };
  const updatedAt = endOf(rounds.findLast((child) => child.type === 'UPDATEDB' && child.round > 0 && !isOpen(child)));
  const indexedAt = beside.findLast(({ type }) => type === 'INDEX')?.createdAt?.getTime() ?? 0;
  if (updatedAt <= indexedAt) return undefined;
  const pausedMs = Math.max(...rounds.map(endOf)) - endOf(last);
  if (last && pausedMs < Math.max(MIN_PAUSE_MS, PAUSE_FACTOR * (endOf(last) - indexedAt))) return undefined;
  return { kind: 'child', type: 'INDEX', round: freeRound(children, 'INDEX'), args: OF_RECORDED };
}

/** Ms; 0: there is no such step, or it has not ended. */
const endOf = (child: Child | undefined): number => child?.endedAt?.getTime() ?? 0;
