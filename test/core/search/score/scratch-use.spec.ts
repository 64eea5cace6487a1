import { expect, it } from 'vitest';
import { bm25fRanking } from '../../../../src/core/search/score/ranking.js';
import { ScratchArrays, ScratchPool } from '../../../../src/core/search/score/scratch-arrays.js';
import { MadeIndex } from './made-index.js';

/** Arrays by document: a query may have many brackets, and each needs some. */

const made = new MadeIndex([
  Array.from({ length: 1_000 }, (_, n) => ({ content: `the ferry sails ${n}`, lang: 'en' })),
]);

class CountedPool extends ScratchPool {
  private used = 0;
  most = 0;

  override take(bytes: number): ArrayBuffer {
    const buffer = super.take(bytes);
    this.used += buffer.byteLength;
    this.most = Math.max(this.most, this.used);
    return buffer;
  }

  override give(buffer: ArrayBuffer): void {
    this.used -= buffer.byteLength;
    super.give(buffer);
  }
}

/** The most bytes that a query needs at once, and the documents that it finds. */
function useOf(query: string): { bytes: number; found: number } {
  const pool = new CountedPool();
  const arrays = new ScratchArrays(pool);
  const steps = bm25fRanking(made.plan(query), made.index).search(made.segments[0]!, arrays);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  const found = step.value.matches.reduce((sum, flag) => sum + flag, 0);
  arrays.release();
  return { bytes: pool.most, found };
}

it.each([
  ['alternatives', (brackets: number) => Array(brackets).fill('(+lang:en +ferry)').join(' OR ')],
  ['requirements', (brackets: number) => Array(brackets).fill('+(lang:en OR ferry)').join(' ')],
  ['exclusions', (brackets: number) => `ferry ${Array(brackets).fill('-(+lang:en +train)').join(' ')}`],
])('a query of many brackets (%s) needs as much as one of few', (_, queryOf) => {
  const [few, many] = [useOf(queryOf(2)), useOf(queryOf(12))];
  expect(many).toEqual(few);
  expect(many.found).toBe(1_000);
});
