import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ItemList } from '../../../src/core/politeness/item-list.js';
import { QueueHeap } from '../../../src/core/politeness/queue-heap.js';

const call = fc.record({ verb: fc.constantFrom('put', 'put', 'remove', 'pop'), value: fc.nat(20), key: fc.nat(10) });

it('the heap returns the earliest value, and of equals the first put, like a sorted list', () => {
  fc.assert(
    fc.property(fc.array(call, { maxLength: 200 }), (calls) => {
      const heap = new QueueHeap<number>();
      let list: { value: number; key: number }[] = [];
      for (const { verb, value, key } of calls) {
        const known = list.find((each) => each.value === value);
        if (verb === 'put') {
          heap.put(value, key);
          if (known?.key !== key) list = [...list.filter((each) => each !== known), { value, key }];
        } else {
          const target = verb === 'pop' ? heap.peek() : value;
          if (target !== undefined) heap.remove(target);
          list = list.filter((each) => each.value !== target);
        }
        const first = list.toSorted((a, b) => a.key - b.key)[0];
        expect([heap.peek(), heap.earliest, heap.size]).toEqual([first?.value, first?.key ?? Infinity, list.length]);
      }
    }),
  );
});

it('ItemList is a first-in, first-out queue, in which an item can be put before the others', () => {
  const changes = fc.constantFrom(
    'push' as const,
    'push' as const,
    'unshift' as const,
    'shift' as const,
    'shift' as const,
  );
  fc.assert(
    fc.property(fc.array(changes, { maxLength: 500 }), (list) => {
      const items = new ItemList<number>();
      const model: number[] = [];
      list.forEach((change, i) => {
        if (change === 'shift') {
          if (items.length > 0) expect(items.shift()).toBe(model.shift());
        } else {
          items[change](i);
          model[change](i);
        }
        expect(items.length).toBe(model.length);
      });
      expect(items.takeAll()).toEqual(model);
      expect(items.length).toBe(0);
    }),
  );
});
