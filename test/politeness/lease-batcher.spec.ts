import { expect, it } from 'vitest';
import { LeaseBatcher } from '../../src/politeness/lease-batcher.js';

/** Ids added within a short time are leased by one statement. */

it('makes one call for all ids of a batch, each of them once, and another call for later ids', async () => {
  const calls: string[][] = [];
  const batcher = new LeaseBatcher(async (ids) => void calls.push(ids));
  await Promise.all(['a', 'b', 'a', 'c'].map((id) => batcher.add(id)));
  await batcher.add('a');
  expect(calls).toEqual([['a', 'b', 'c'], ['a']]);
});

it('rejects for all ids of a batch when the call fails, and continues with the next', async () => {
  let away = true;
  const batcher = new LeaseBatcher(() => (away ? Promise.reject(new Error('away')) : Promise.resolve()));
  const both = await Promise.allSettled(['a', 'b'].map((id) => batcher.add(id)));
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  away = false;
  await expect(batcher.add('a')).resolves.toBeUndefined();
});
