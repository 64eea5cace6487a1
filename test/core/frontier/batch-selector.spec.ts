import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BatchSelector, type SelectionLimits, type Assigned } from '../../../src/core/frontier/batch-selector.js';
import { partitionHash } from '../../../src/core/url/partition.js';
import { groupOf } from '../../support/conformance.js';
import { eachCase } from '../../support/each-case.js';

/** The reducer of GENERATE (docs/semantics/generate.md; feature rows C14 to C23). */

interface Case {
  n: number;
  topN?: number | null;
  reducers?: number;
  per_partition?: number | 'unlimited';
  rows?: Record<string, number>;
  max_count?: number;
  maxNumSegments?: number;
  segments?: number[];
}
const cases = (id: string) => groupOf<Case>(id).cases;

const limits = (over: Partial<SelectionLimits> = {}): SelectionLimits => ({
  topN: Infinity,
  maxCount: Infinity,
  partitions: 1,
  segments: 1,
  seed: 0,
  ...over,
});
/** Offers `count` pages of each host, one host after another; returns the number taken by host and by segment. */
function offer(selector: BatchSelector, hosts: Record<string, number>) {
  const taken: Record<string, number> = {};
  const segments: number[] = [];
  for (const [host, count] of Object.entries(hosts)) {
    taken[host] = 0;
    for (let i = 0; i < count; i++) {
      const choice = selector.take(host, host);
      if ('left' in choice) continue;
      taken[host]++;
      segments[choice.segment] = (segments[choice.segment] ?? 0) + 1;
    }
  }
  return { taken, segments };
}
/** Names of hosts that fall into one partition. */
const hostsOfPartition = (partition: number, partitions: number, count: number): string[] => {
  const names: string[] = [];
  for (let i = 0; names.length < count; i++)
    if (partitionHash(`h${i}.test`) % partitions === partition) names.push(`h${i}.test`);
  return names;
};

describe('limits of a batch (topN, generate.max.count)', () => {
  it('takes 10 + 100 + 100 = 210 pages with topN 2500, 5 reducers and 100 pages per host (C18, C19)', () => {
    const [abc, klm, xyz] = hostsOfPartition(3, 5, 3) as [string, string, string];
    const selector = new BatchSelector(limits({ topN: 2_500, maxCount: 100, partitions: 5 }));
    expect(offer(selector, { [abc]: 10, [klm]: 100, [xyz]: 1_000 }).taken).toEqual({
      [abc]: 10,
      [klm]: 100,
      [xyz]: 100,
    });
    expect(selector.size).toBe(210);
  });

  /** Below one page a partition Nutch selects nothing, and a crawl would end with pages due. */
  const ownLimits: Record<number, number> = { 14: 2 };

  eachCase(cases('generate.limits.2x').filter((each) => 'per_partition' in each))(
    'Nutch: topN $topN over $reducers reducers allows $per_partition pages per partition',
    ({ n, topN, reducers = 5, ...each }) => {
      const per_partition = ownLimits[n] ?? each.per_partition;
      const selector = new BatchSelector(limits({ topN: topN ?? Infinity, partitions: reducers }));
      const [host] = hostsOfPartition(0, reducers, 1) as [string];
      const offered = each.per_partition === 'unlimited' ? 10_000 : 1_000;
      expect(offer(selector, { [host]: offered }).taken[host]).toBe(
        each.per_partition === 'unlimited' ? 10_000 : per_partition,
      );
    },
  );

  it('divides topN among reducers: 10 over 5 takes 2 pages of one host (C14, C22)', () => {
    const selector = new BatchSelector(limits({ topN: 10, partitions: 5 }));
    expect(offer(selector, { 'a.test': 100 }).taken).toEqual({ 'a.test': 2 });
    expect(selector.isComplete).toBe(false);
  });

  it.each([1, 2, 3, 4])(
    'takes topN %i in full when it is below the number of partitions, from one host or from many',
    (topN) => {
      const one = new BatchSelector(limits({ topN, partitions: 5 }));
      expect(offer(one, { 'a.test': 100 }).taken).toEqual({ 'a.test': topN });
      const many = new BatchSelector(limits({ topN, partitions: 5 }));
      offer(many, Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`h${i}.test`, 3])));
      expect([one.size, many.size, one.isComplete, many.isComplete]).toEqual([topN, topN, true, true]);
    },
  );

  it('is full when no partition can take more (C15)', () => {
    const selector = new BatchSelector(limits({ topN: 7 }));
    offer(selector, { 'a.test': 6 });
    expect(selector.isComplete).toBe(false);
    expect(offer(selector, { 'a.test': 5 }).taken).toEqual({ 'a.test': 1 });
    expect(selector.isComplete).toBe(true);
  });

  it('continues with other hosts when one has reached its maximum (C16, C21)', () => {
    const selector = new BatchSelector(limits({ topN: 4, maxCount: 2 }));
    expect(offer(selector, { 'abc.test': 5, 'xyz.test': 5 }).taken).toEqual({ 'abc.test': 2, 'xyz.test': 2 });
  });

  it('counts the pages of a group over all partitions', () => {
    const selector = new BatchSelector(limits({ maxCount: 2, partitions: 5 }));
    const taken = ['a.test', 'b.test', 'c.test', 'd.test'].map((host) => selector.take(host, 'one address'));
    expect(taken.filter((choice) => 'hash' in choice)).toHaveLength(2);
    expect(taken.at(-1)).toEqual({ left: 'max-count' });
  });

  it('takes from a full group again after one of its pages was released', () => {
    const selector = new BatchSelector(limits({ maxCount: 1, topN: 10 }));
    const first = selector.take('a.test', 'a.test') as Assigned;
    expect(selector.take('a.test', 'a.test')).toEqual({ left: 'max-count' });
    selector.giveBack('a.test', first);
    expect([selector.size, selector.take('a.test', 'a.test')]).toEqual([0, first]);
  });

  it('includes the seed in the partition hash', () => {
    const hash = (seed: number) => new BatchSelector(limits({ seed })).take('a.test', 'a.test');
    expect(hash(0)).toEqual({ segment: 0, hash: partitionHash('a.test') });
    expect(hash(77)).toEqual({ segment: 0, hash: partitionHash('a.test', 77) });
  });
});

describe('segments (maxNumSegments)', () => {
  /** Nutch starts a new segment each time topN is reached; here topN is the total over all segments. */
  const decidedOtherwise: Record<number, number[]> = { 5: [1, 1] };
  const ofHosts = cases('generate.limits.1x').filter((each) => !Array.isArray(each.rows) && each.segments);

  eachCase(ofHosts)('Nutch case $n: $rows in $maxNumSegments segments', (each) => {
    const { rows = {}, max_count = -1, maxNumSegments = 1, topN } = each;
    const maxCount = max_count > 0 ? max_count : Infinity;
    const selector = new BatchSelector(limits({ topN: topN ?? Infinity, maxCount, segments: maxNumSegments }));
    expect(offer(selector, rows).segments).toEqual(decidedOtherwise[each.n] ?? each.segments);
  });

  it('divide topN when a maximum per host applies as well', () => {
    const selector = new BatchSelector(limits({ topN: 6, maxCount: 4, segments: 3 }));
    expect(offer(selector, { 'a.test': 1, 'b.test': 1, 'c.test': 4 }).segments).toEqual([2, 2, 2]);
  });

  it('exceed their part of topN for a group that is at its maximum in all others', () => {
    const selector = new BatchSelector(limits({ topN: 4, maxCount: 1, segments: 2 }));
    expect(offer(selector, { 'b.test': 1, 'c.test': 1, 'a.test': 3 }).segments).toEqual([3, 1]);
  });

  it('divide topN equally, with the remainder last, when no other limit applies', () => {
    const selector = new BatchSelector(limits({ topN: 10, segments: 3 }));
    expect(offer(selector, { 'a.test': 30 }).segments).toEqual([4, 4, 2]);
  });
});

describe('any sequence of offered pages', () => {
  const hosts = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.nat(30)), { maxLength: 20 });
  const given = fc.record({
    topN: fc.nat(50),
    maxCount: fc.integer({ min: 1, max: 10 }),
    partitions: fc.integer({ min: 1, max: 4 }),
    segments: fc.integer({ min: 1, max: 3 }),
  });

  it('releasing a page restores the state before it was taken', () => {
    fc.assert(
      fc.property(hosts, given, (offered, over) => {
        const selector = new BatchSelector(limits(over));
        const plain = new BatchSelector(limits(over));
        for (const host of offered.flatMap(([name, n]) => Array<string>(n).fill(name))) {
          const choice = selector.take(host, host);
          if (!('left' in choice)) selector.giveBack(host, choice);
          expect(selector.take(host, host)).toEqual(plain.take(host, host));
        }
        expect(selector.size).toBe(plain.size);
      }),
    );
  });

  it('exceeds no limit and gives equal keys equal hashes', () => {
    fc.assert(
      fc.property(hosts, given, (offered, over) => {
        const selector = new BatchSelector(limits(over));
        const perGroup = new Map<string, number>();
        const perPartition = new Map<number, number>();
        for (const host of offered.flatMap(([name, n]) => Array<string>(n).fill(name))) {
          const choice = selector.take(host, host);
          if ('left' in choice) continue;
          expect(choice.hash).toBe(partitionHash(host));
          const group = `${host} ${choice.segment}`;
          perGroup.set(group, (perGroup.get(group) ?? 0) + 1);
          const partition = choice.hash % over.partitions;
          perPartition.set(partition, (perPartition.get(partition) ?? 0) + 1);
        }
        for (const n of perGroup.values()) expect(n).toBeLessThanOrEqual(over.maxCount);
        const share = Math.floor(over.topN / over.partitions) || over.topN;
        for (const n of perPartition.values()) expect(n).toBeLessThanOrEqual(share);
        expect(selector.size).toBeLessThanOrEqual(over.topN);
        expect(selector.size).toBe([...perPartition.values()].reduce((sum, n) => sum + n, 0));
      }),
    );
  });
});
