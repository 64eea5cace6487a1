import type { Child, CrawlStep } from '../../../src/core/job/crawl-plan.js';
import type { StepType } from '../../../src/core/job/job-types.js';

/** Children of a continuous CRAWL in a few words, and its next step in two. */

export type Word = [type: StepType, more?: Partial<Child>];
export const at = (seconds: number): Date => new Date(1_763_600_000_000 + seconds * 1_000);

/**
 * Children in order; each was created, and ended, a second after the one before it. UPDATEDB keeps the batches open by default.
 */
export function children(words: Word[]): Child[] {
  let round = 0;
  return words.map(([type, more = {}], i) => {
    if (type === 'GENERATE') round++;
    return {
      id: `k-c-${type}-${i}`,
      type,
      round,
      state: 'FINISHED',
      msg: 'OK',
      batch: (more.selected ?? 0) > 0 ? `b${round}` : null,
      selected: 0,
      selections: (more.selected ?? 0) > 0 ? 1 : 0,
      visits: null,
      reason: 'done',
      createdAt: at(i),
      endedAt: more.state === 'RUNNING' ? null : at(i + 0.5),
      keepsOpen: type === 'UPDATEDB' && round > 0,
      ...more,
    };
  });
}

export const shown = (step: CrawlStep): string => {
  if (step.kind === 'child') return `${step.type} ${step.round}`;
  return step.kind === 'end' ? `${step.state} ${step.reason}` : step.kind;
};
