import { expect, it } from 'vitest';
import { luceneRanking } from '../../../../src/core/search/similarity/lucene-ranking.js';
import { bm25fRanking } from '../../../../src/core/search/score/ranking.js';
import { ScratchArrays } from '../../../../src/core/search/score/scratch-arrays.js';
import { MadeIndex } from './made-index.js';

/** A search of many pages pauses, so that other requests are processed: also within a phrase, a prefix or a word. */

const pages = 3_000;
const content = 'the night ferry sails by light lighthouse lighter';
const made = new MadeIndex([Array.from({ length: pages }, () => ({ content }))]);

/** The result of a computation, and the number of its pauses. */
function counted<T>(steps: Generator<void, T>): { value: T; pauses: number } {
  let pauses = 0;
  for (let step = steps.next(); ; step = steps.next(), pauses++) if (step.done) return { value: step.value, pauses };
}

/** The pauses of a search that finds all pages. */
function pausesOf(name: 'bm25f' | 'bm25' | 'classic', query: string): number {
  const plan = made.plan(query);
  const ranking =
    name === 'bm25f'
      ? bm25fRanking(plan, made.index)
      : counted(luceneRanking(name, plan, made.segments, made.index)).value;
  const { value, pauses } = counted(ranking.search(made.segments[0]!, new ScratchArrays()));
  expect(value.matches.reduce((sum, flag) => sum + flag, 0)).toBe(pages);
  return pauses;
}

it.each(['bm25f', 'bm25', 'classic'] as const)('by %s pauses within a phrase of many pages', (name) => {
  expect(pausesOf(name, '"night ferry"')).toBeGreaterThanOrEqual(pages / 1_000);
});

it.each(['bm25f', 'bm25', 'classic'] as const)('by %s pauses within a prefix of many pages', (name) => {
  expect(pausesOf(name, 'light*')).toBeGreaterThanOrEqual((3 * pages) / 2_048);
});

it.each(['bm25', 'classic'] as const)('by %s pauses within a word of many pages', (name) => {
  expect(pausesOf(name, 'ferry')).toBeGreaterThan(pages / 2_048);
});
