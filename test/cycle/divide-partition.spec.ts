import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Partition, WORTH_DIVIDING, assignThreads, divide } from '../../src/core/frontier/divide-partition.js';

const holds = ({ part, parts }: Partition, hash: number): boolean => hash % parts === part;
const pagesOf = (part: Partition, waits: { hash: number; n: number }[]): number =>
  waits.reduce((sum, { hash, n }) => sum + (holds(part, hash) ? n : 0), 0);

describe('divide of a partition', () => {
  it('splits hosts and threads in two', () => {
    const waits = [4, 6, 8, 10].map((hash) => ({ hash, n: 100 }));
    expect(divide({ part: 0, parts: 2, threads: 9 }, waits, 0)).toEqual([
      { part: 0, parts: 4, threads: 5 },
      { part: 2, parts: 4, threads: 4 },
    ]);
  });

  it('uses the threads of completed partitions', () => {
    const waits = [0, 1].map((hash) => ({ hash, n: 100 }));
    expect(divide({ part: 0, parts: 1, threads: 2 }, waits, 6)!.map(({ threads }) => threads)).toEqual([4, 4]);
  });

  it('gives the half with more pages more threads, up to what its hosts can use', () => {
    const large = Array.from({ length: 9 }, (_, i) => ({ hash: 2 * i, n: 30 }));
    const threads = (waits: { hash: number; n: number }[]) =>
      divide({ part: 0, parts: 1, threads: 8 }, waits, 0)!.map((part) => part.threads);
    expect(threads([...large, { hash: 1, n: 90 }])).toEqual([7, 1]);
    expect(threads([...large, { hash: 1, n: 100_000 }])).toEqual([7, 1]);
  });

  it.each<[string, number[], number, number]>([
    ['one host', [7], 1_000, 8],
    ['few pages', [0, 1], WORTH_DIVIDING - 1, 8],
    ['one thread', [0, 1], 1_000, 1],
    ['hosts with similar hashes', [0, 2 ** 20], 1_000, 8],
  ])('does not split %s', (_what, hashes, n, threads) => {
    const waits = hashes.map((hash) => ({ hash, n }));
    expect(divide({ part: 0, parts: 1, threads }, waits, 0)).toBeUndefined();
  });

  it('splits further when one half is empty, until two large hosts with similar hashes are apart', () => {
    const waits = [3, 3 + 64].map((hash) => ({ hash, n: 500 }));
    const set = divide({ part: 0, parts: 1, threads: 20 }, waits, 0)!;
    expect(set.slice(0, 2).map((part) => pagesOf(part, waits))).toEqual([500, 500]);
    expect(set.slice(2).every((part) => pagesOf(part, waits) === 0 && part.threads === 1)).toBe(true);
  });

  it('keeps each host in exactly one partition and the sum of threads, however often it is repeated', () => {
    const hosts = fc.array(fc.record({ hash: fc.nat(2 ** 31 - 1), n: fc.integer({ min: 1, max: 400 }) }), {
      maxLength: 60,
    });
    const plan = fc.record({ parts: fc.integer({ min: 1, max: 9 }), threads: fc.integer({ min: 9, max: 80 }) });
    fc.assert(
      fc.property(hosts, plan, fc.array(fc.nat(30), { maxLength: 30 }), (waits, { parts, threads }, picks) => {
        const tasks: Partition[] = Array.from({ length: parts }, (_, part) => ({
          part,
          parts,
          threads: Math.floor(threads / parts) + (part < threads % parts ? 1 : 0),
        }));
        for (const pick of picks) {
          const i = pick % tasks.length;
          const own = tasks[i]!;
          const set = divide(
            own,
            waits.filter(({ hash }) => holds(own, hash)),
            0,
          );
          if (set) tasks.splice(i, 1, ...set);
        }
        for (const { hash } of waits) expect(tasks.filter((task) => holds(task, hash))).toHaveLength(1);
        // Also hosts that were unknown when it was divided.
        for (let hash = 0; hash < 100; hash++) expect(tasks.filter((task) => holds(task, hash))).toHaveLength(1);
        expect(tasks.reduce((sum, task) => sum + task.threads, 0)).toBe(threads);
        expect(new Set(tasks.map(({ part }) => part)).size).toBe(tasks.length);
        expect(tasks.every((task) => task.threads >= 1)).toBe(true);
      }),
    );
  });
});

describe('the assignment of threads to partitions', () => {
  const of = (pages: number, sustainable: number) => ({ pages, sustainable });
  it.each([
    ['gives equal partitions equal shares', 8, [of(100, 50), of(100, 50)], [4, 4]],
    ['divides by pages', 16, [of(160, 50), of(120, 50), of(120, 50)], [6, 5, 5]],
    ['gives each at least one', 3, [of(1_000, 50), of(1, 1), of(0, 0)], [1, 1, 1]],
    ['gives none beyond what the hosts can use', 10, [of(1_000, 2), of(100, 50)], [2, 8]],
    ['divides by pages what exceeds the capacity of all hosts', 6, [of(10, 1), of(30, 1)], [2, 4]],
  ])('%s', (_what, threads, classes, assigned) => {
    expect(assignThreads(threads, classes)).toEqual(assigned);
  });
});
