/**
 * The next step of a CRAWL as a function of what its children have done so far. It has no other state, so the result is the
 * same after any kill: the rows of the children are all it needs, and each is unique for its round and type.
 */
import { nextContinuousStep } from './continuous-rounds.js';
import { leavesBatchesOpen } from './crawl-ends.js';
import type { Child, CrawlPlan, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import { withFollowUps } from './follow-ups.js';
import { nextStrictStep } from './strict-rounds.js';

/** The next step. `wait`: a child is running, and its end calls this again. */
export const nextStep = (crawl: CrawlSoFar): CrawlStep =>
  crawl.plan.continuous ? withFollowUps(crawl, nextContinuousStep) : nextStrictStep(crawl);

/** What decides, of a child of an ended crawl, which batches the crawl has left open. */
type Past = Pick<Child, 'type' | 'state' | 'batch' | 'selected' | 'keepsOpen' | 'reason'>;

const filledBatches = (children: readonly Past[]): string[] =>
  children.flatMap(({ batch, selected }) => (batch !== null && selected > 0 ? batch : []));

/** The batches that an ended crawl, or a run before it, has left open. */
export function batchesLeftBy(
  { leftBatches = [] }: Pick<CrawlPlan, 'leftBatches'>,
  children: readonly Past[],
): string[] {
  const closing = children.findLastIndex(
    (child) => child.type === 'UPDATEDB' && child.state === 'FINISHED' && !child.keepsOpen && !leavesBatchesOpen(child),
  );
  const batches = filledBatches(children.slice(closing + 1));
  return batches.length === 0 && closing < 0 ? leftBatches : batches;
}
