import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LimitedClient, ClientLimits } from '../../../src/core/queueing/client-limits.js';
import { Semaphore, longestWaiting } from '../../../src/core/queueing/semaphore.js';

const key = (id: string): LimitedClient => ({ id, kind: 'key' });
const address = (id: string): LimitedClient => ({ id, kind: 'address' });
const admin = (id: string): LimitedClient => ({ id, kind: 'admin key' });

/** A semaphore, and the names of the waiters that were granted a permit, in that order. */
function underTest(limits: number | ClientLimits) {
  const semaphore = new Semaphore(limits);
  const granted: string[] = [];
  const wait = (name: string, asker: LimitedClient) => semaphore.enqueue(asker, () => granted.push(name));
  return { semaphore, granted, wait };
}

/** Lets all pending promise callbacks run. */
const settled = async (): Promise<void> => {
  for (let n = 0; n < 10; n++) await Promise.resolve();
};

describe('Semaphore', () => {
  it('grants as many permits as it has, and no more', () => {
    const semaphore = new Semaphore(2);
    expect([1, 2, 3].map(() => semaphore.tryAcquire())).toEqual([undefined, undefined, { limit: 'all', taken: 2 }]);
    expect(semaphore.size).toBe(2);
  });

  it('grants a released permit to the first waiter', () => {
    const { semaphore, granted, wait } = underTest(1);
    semaphore.take();
    for (const name of ['first', 'second']) wait(name, address('a'));
    semaphore.release();
    expect([granted, semaphore.size]).toEqual([['first'], 1]);
    semaphore.release();
    expect(granted).toEqual(['first', 'second']);
  });

  it('skips a waiter that has left', () => {
    const { semaphore, granted, wait } = underTest(1);
    semaphore.take();
    const leave = wait('first', address('a'));
    wait('second', address('a'));
    leave();
    semaphore.release();
    expect(granted).toEqual(['second']);
  });

  it('serves waiting admin keys before all others, in their order', () => {
    const { semaphore, granted, wait } = underTest(1);
    semaphore.take();
    wait('a', key('a'));
    wait('x', admin('x'));
    wait('b', key('b'));
    wait('y', admin('y'));
    for (let n = 0; n < 4; n++) semaphore.release();
    expect(granted).toEqual(['x', 'y', 'a', 'b']);
  });

  it('limits an admin key, too, when only a maximum is set', () => {
    const semaphore = new Semaphore(1);
    semaphore.take();
    expect(semaphore.tryAcquire(admin('x'))).toEqual({ limit: 'all', taken: 1 });
  });

  it('counts a permit taken regardless of the limits like any other', () => {
    const { semaphore, granted, wait } = underTest(1);
    for (let n = 0; n < 2; n++) semaphore.take();
    wait('first', address('a'));
    semaphore.release();
    expect([granted, semaphore.size]).toEqual([[], 1]);
    semaphore.release();
    expect([granted, semaphore.size]).toEqual([['first'], 1]);
  });

  describe('limits of clients', () => {
    it('refuse a key above its own limit, and report how many permits it has', () => {
      const semaphore = new Semaphore({ max: 9, maxPerKey: 2 });
      expect([1, 2, 3].map(() => semaphore.tryAcquire(key('a')))[2]).toEqual({ limit: 'own', taken: 2 });
      expect(semaphore.tryAcquire(key('b'))).toBeUndefined();
    });

    it('apply maxOfOne to keys, addresses and admin keys', () => {
      for (const asker of [key('a'), address('a'), admin('a')]) {
        const semaphore = new Semaphore({ max: 9, maxOfOne: 1 });
        semaphore.take(asker);
        expect(semaphore.tryAcquire(asker)).toEqual({ limit: 'own', taken: 1 });
      }
    });

    it('let an address without its own limit take all permits', () => {
      const semaphore = new Semaphore({ max: 3, maxPerKey: 1, reserved: 2 });
      for (let n = 0; n < 3; n++) expect(semaphore.tryAcquire(address('a'))).toBeUndefined();
      expect(semaphore.tryAcquire(address('a'))).toEqual({ limit: 'all', taken: 3 });
    });

    it('leave the reserved permits to admin keys', () => {
      const semaphore = new Semaphore({ max: 3, maxPerKey: 3, reserved: 1 });
      for (let n = 0; n < 2; n++) semaphore.take(key('a'));
      expect(semaphore.tryAcquire(key('b'))).toEqual({ limit: 'all', taken: 2 });
      expect(semaphore.tryAcquire(admin('x'))).toBeUndefined();
    });

    it('grant the first permit of each admin key beyond the maximum, but not the second', () => {
      const semaphore = new Semaphore({ max: 1, reserved: 0 });
      semaphore.take(key('a'));
      expect(semaphore.tryAcquire(admin('x'))).toBeUndefined();
      expect(semaphore.tryAcquire(admin('x'))).toEqual({ limit: 'all', taken: 2 });
      expect(semaphore.tryAcquire(admin('y'))).toBeUndefined();
    });

    it('skip a waiter at its own limit, which keeps its position', () => {
      const { semaphore, granted, wait } = underTest({ max: 2, maxOfOne: 1 });
      semaphore.take(key('a'));
      semaphore.take(key('b'));
      wait('a', key('a'));
      wait('c', key('c'));
      semaphore.release(key('b'));
      expect(granted).toEqual(['c']);
      semaphore.release(key('a'));
      expect(granted).toEqual(['c', 'a']);
    });

    it('report the client with the most permits as the fullest', () => {
      const semaphore = new Semaphore(9);
      for (const client of ['a', 'b', 'b', 'c']) semaphore.take(address(client));
      expect(semaphore.fullest).toBe('b');
      for (let n = 0; n < 2; n++) semaphore.release(address('b'));
      expect(semaphore.fullest).toBe('a');
    });
  });

  describe('work that waits for a permit', () => {
    it('starts at once when a permit is free, and releases it when it fails', async () => {
      const semaphore = new Semaphore(1);
      const begun: string[] = [];
      const failing = semaphore.run(() => {
        begun.push('failing');
        return Promise.reject(new Error('no'));
      });
      expect(begun).toEqual(['failing']);
      await expect(failing).rejects.toThrow('no');
      expect(semaphore.size).toBe(0);
    });

    it('is rejected with the reason of the signal, and takes no permit', async () => {
      const semaphore = new Semaphore(1);
      const halt = new AbortController();
      await semaphore.acquire();
      const ended = semaphore.acquire(halt.signal);
      halt.abort(new Error('stopped'));
      await expect(ended).rejects.toThrow('stopped');
      await expect(semaphore.acquire(halt.signal)).rejects.toThrow('stopped');
      semaphore.release();
      expect(semaphore.size).toBe(0);
    });

    it('keeps a permit that it was granted before the signal fired', async () => {
      const semaphore = new Semaphore(1);
      const halt = new AbortController();
      await semaphore.acquire();
      const next = semaphore.acquire(halt.signal);
      semaphore.release();
      halt.abort(new Error('too late'));
      await expect(next).resolves.toBeUndefined();
      expect(semaphore.size).toBe(1);
    });
  });

  describe('random sequences of acquire, release and abort', () => {
    const askers = [key('a'), key('b'), address('c'), admin('x'), admin('y')];
    const limits = fc.oneof(
      fc.integer({ min: 1, max: 4 }),
      fc.record({
        max: fc.integer({ min: 2, max: 5 }),
        maxPerKey: fc.integer({ min: 1, max: 3 }),
        maxPerAddress: fc.integer({ min: 1, max: 3 }),
        reserved: fc.integer({ min: 0, max: 1 }),
      }),
    );
    const steps = fc.array(
      fc.record({
        what: fc.constantFrom('acquire', 'acquire', 'release', 'abort'),
        asker: fc.constantFrom(...askers),
        at: fc.nat(99),
      }),
      { maxLength: 60 },
    );

    interface Asked {
      readonly name: number;
      readonly asker: LimitedClient;
      readonly halt: AbortController;
    }

    /** The documented behaviour with a list of holders and a list of waiters. */
    class Model {
      holding: Asked[] = [];
      waiting: Asked[] = [];

      constructor(private readonly limits: number | ClientLimits) {}

      mayHave({ id: client, kind }: LimitedClient): boolean {
        const all = this.holding.length;
        if (typeof this.limits === 'number') return all < this.limits;
        const { max, maxPerKey = 99, maxPerAddress = 99, reserved = 0 } = this.limits;
        const own = this.holding.filter(({ asker }) => asker.id === client).length;
        if (kind === 'admin key') return own === 0 || all < max;
        if (kind === 'address') return own < maxPerAddress && all < max;
        const keys = this.holding.filter(({ asker }) => asker.kind === 'key').length;
        return own < maxPerKey && all < max && keys < max - reserved;
      }

      acquire(asked: Asked): void {
        (this.mayHave(asked.asker) ? this.holding : this.waiting).push(asked);
      }

      release(asked: Asked): void {
        this.holding = this.holding.filter((one) => one !== asked);
        const isAdmins = ({ asker }: Asked) => asker.kind === 'admin key';
        const inOrder = [...this.waiting.filter(isAdmins), ...this.waiting.filter((one) => !isAdmins(one))];
        const next = inOrder.find(({ asker }) => this.mayHave(asker));
        if (next === undefined) return;
        this.abort(next);
        this.holding.push(next);
      }

      abort(asked: Asked): void {
        this.waiting = this.waiting.filter((one) => one !== asked);
      }
    }

    it('grant permits as a simple model does, never more than the maximum, and lose none', async () => {
      await fc.assert(
        fc.asyncProperty(limits, steps, async (limit, sequence) => {
          const semaphore = new Semaphore(limit);
          const model = new Model(limit);
          const [granted, left] = [new Set<number>(), new Set<number>()];
          const max = typeof limit === 'number' ? limit : limit.max;
          let name = 0;
          for (const { what, asker, at } of sequence) {
            if (what === 'acquire') {
              const asked = { name: (name += 1), asker, halt: new AbortController() };
              semaphore.acquire(asked.halt.signal, asker).then(
                () => granted.add(asked.name),
                () => left.add(asked.name),
              );
              model.acquire(asked);
            } else if (what === 'release' && model.holding.length > 0) {
              const asked = model.holding[at % model.holding.length]!;
              semaphore.release(asked.asker);
              model.release(asked);
              granted.delete(asked.name);
            } else if (what === 'abort' && model.waiting.length > 0) {
              const asked = model.waiting[at % model.waiting.length]!;
              asked.halt.abort();
              model.abort(asked);
              await settled();
              expect(left).toContain(asked.name);
            }
            await settled();
            expect([...granted].sort((a, b) => a - b)).toEqual(
              model.holding.map((asked) => asked.name).sort((a, b) => a - b),
            );
            expect(semaphore.size).toBe(model.holding.length);
            const firstOfAdmins = typeof limit === 'number' ? 0 : 2;
            expect(semaphore.size).toBeLessThanOrEqual(max + firstOfAdmins);
          }
          while (model.holding.length > 0) {
            const [asked] = model.holding;
            semaphore.release(asked!.asker);
            model.release(asked!);
          }
          // No permit is lost: all remaining waiters were granted theirs.
          expect([model.waiting, semaphore.size]).toEqual([[], 0]);
        }),
        { numRuns: 300 },
      );
    });

    it('serve waiters of one kind in the order in which they arrived', () => {
      fc.assert(
        fc.property(fc.integer({ min: 1, max: 4 }), fc.array(fc.constantFrom(...askers)), (max, came) => {
          const { semaphore, granted, wait } = underTest(max);
          for (let n = 0; n < max; n++) semaphore.take();
          came.forEach((asker, n) => wait(`${n}`, asker));
          came.forEach(() => semaphore.release());
          const ofKind = (admins: boolean) =>
            came.flatMap(({ kind }, n) => ((kind === 'admin key') === admins ? `${n}` : []));
          expect(granted).toEqual([...ofKind(true), ...ofKind(false)]);
          expect(semaphore.size).toBe(max);
        }),
      );
    });
  });
});

describe('the holder to evict (longestWaiting)', () => {
  /** Holders by a virtual clock: each has waited since a time; Infinity: it does not wait. */
  const holders = [
    { name: 'middle', waitingSince: 2_000 },
    { name: 'busy', waitingSince: Infinity },
    { name: 'slowest', waitingSince: 1_000 },
    { name: 'quick', waitingSince: 11_500 },
  ];
  const evicted = (now: number, n: number, minMs = 10_000) =>
    longestWaiting(holders, { now, minMs, n }).map(({ name }) => name);

  it('is the one that has waited longest, once it has waited minMs', () => {
    expect(evicted(10_999, 1)).toEqual([]);
    expect(evicted(11_000, 1)).toEqual(['slowest']);
    expect(evicted(60_000, 1)).toEqual(['slowest']);
  });

  it('is never one that does not wait; up to n are returned, the slowest first', () => {
    expect(evicted(60_000, 9)).toEqual(['slowest', 'middle', 'quick']);
    expect(evicted(60_000, 2)).toEqual(['slowest', 'middle']);
    expect(evicted(60_000, 9, 0)).not.toContain('busy');
  });

  it('is the first of two that have waited equally long', () => {
    const equal = [
      { name: 'first', waitingSince: 5 },
      { name: 'second', waitingSince: 5 },
    ];
    expect(longestWaiting(equal, { now: 9, minMs: 0, n: 1 })).toEqual([equal[0]]);
  });
});
