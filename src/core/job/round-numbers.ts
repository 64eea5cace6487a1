/** The numbers of the rounds of a continuous crawl. A round is one GENERATE; no round has two steps of a type. */
import type { Child } from './crawl-plan.js';
import type { StepType } from './job-types.js';

export const lastRound = (children: readonly Child[]): number => Math.max(0, ...children.map(({ round }) => round));

/** How many rounds had pages: a crawl that waits for its FETCH may run many a GENERATE that finds nothing due. */
export const roundsWithPages = (children: readonly Child[]): number =>
  children.reduce((sum, { type, selections }) => (type === 'GENERATE' ? sum + selections : sum), 0);

/** The round of the last GENERATE, or the next one if that round already has such a step. */
export function freeRound(children: readonly Child[], type: StepType): number {
  const had = children.findLast((child) => child.type === type)?.round ?? 0;
  return Math.max(lastRound(children.filter((child) => child.type === 'GENERATE')), had + 1);
}
