import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FlagScan, ScratchArrays, ScratchPool } from '../../../../src/core/search/score/scratch-arrays.js';

it('a scan finds each flag that is set, in order, and none that an earlier use of the memory has left behind', () => {
  const pool = new ScratchPool();
  const flags = fc.array(fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }));
  fc.assert(
    fc.property(flags, (set) => {
      const used = new ScratchArrays(pool);
      used.flags(1_000).fill(1);
      used.release();
      const arrays = new ScratchArrays(pool);
      const of = arrays.flags(set.length);
      of.set(set);
      const scan = new FlagScan(of);
      const found: number[] = [];
      for (let doc = scan.from(0); doc < set.length; doc = scan.from(doc + 1)) found.push(doc);
      arrays.release();
      expect(found).toEqual(set.flatMap((flag, doc) => (flag === 1 ? [doc] : [])));
    }),
  );
});
