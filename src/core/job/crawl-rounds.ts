/**
 * The next step of a CRAWL as a function of what its children have done so far. It has no other state, so the result is the
 * same after any kill: the rows of the children are all it needs, and each is unique for its round and type.
 */
import { nextContinuousStep } from './continuous-rounds.js';
import type { Child, CrawlPlan, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import { withFollowUps } from './follow-ups.js';
import { nextStrictStep } from './strict-rounds.js';

/** The next step. `wait`: a child is running, and its end calls this again. */
export const nextStep = (crawl: CrawlSoFar): CrawlStep =>
  crawl.plan.continuous ? withFollowUps(crawl, nextContinuousStep) : nextStrictStep(crawl);

/** The batches that an ended crawl has left open; null for none. */
export function batchLeftBy(
  { leftBatch = null }: Pick<CrawlPlan, 'leftBatch'>,
  children: readonly Pick<Child, 'type' | 'state' | 'batch' | 'selected' | 'keepsOpen'>[],
): string | string[] | null {
  const closing = children.findLastIndex(
    ({ type, state, keepsOpen }) => type === 'UPDATEDB' && state === 'FINISHED' && !keepsOpen,
  );
  const made = children
    .slice(closing + 1)
    .flatMap(({ batch, selected }) => (batch !== null && selected > 0 ? batch : []));
  if (made.length === 0) return closing < 0 ? leftBatch : null;
  return made.length === 1 ? made[0]! : made;
}
