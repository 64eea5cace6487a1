import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LimitedClient, ANYONE } from '../../../src/core/queueing/client-limits.js';
import { MemoryBudget } from '../../../src/core/queueing/memory-budget.js';

const key = (id: string): LimitedClient => ({ id, kind: 'key' });
const admin: LimitedClient = { id: 'x', kind: 'admin key' };
const never = new AbortController().signal;

/** Lets all pending promise callbacks run. */
const settled = async (): Promise<void> => {
  for (let n = 0; n < 10; n++) await Promise.resolve();
};

describe('MemoryBudget', () => {
  describe('reserve', () => {
    it('accepts up to the last byte, refuses one more, and reserves nothing on refusal', () => {
      const budget = new MemoryBudget(100);
      expect([budget.reserve(ANYONE, 60), budget.reserve(ANYONE, 41), budget.reserve(ANYONE, 40)]).toEqual([
        true,
        false,
        true,
      ]);
      budget.release(ANYONE, 60);
      expect(budget.used).toBe(40);
    });

    it('limits the bytes of a key, and leaves the reserved bytes to admin keys', () => {
      const budget = new MemoryBudget({ max: 100, maxPerKey: 60, reserved: 20 });
      expect([budget.reserve(key('a'), 61), budget.reserve(key('a'), 60)]).toEqual([false, true]);
      expect([budget.reserve(key('b'), 21), budget.reserve(key('b'), 20)]).toEqual([false, true]);
      expect([budget.reserve(admin, 21), budget.reserve(admin, 20)]).toEqual([false, true]);
    });
  });

  describe('wait and reservation', () => {
    it('grants released bytes to the first waiter: a small request does not overtake a large one', async () => {
      const budget = new MemoryBudget(100);
      budget.reserve(ANYONE, 90);
      const got: number[] = [];
      for (const bytes of [30, 5, 10]) void budget.wait(bytes, never).then((n) => got.push(n));
      await settled();
      expect(got).toEqual([]);
      budget.release(ANYONE, 20);
      await settled();
      expect([got, budget.used]).toEqual([[30], 100]);
      budget.release(ANYONE, 15);
      await settled();
      expect([got, budget.used]).toEqual([[30, 5, 10], 100]);
    });

    it('grants the whole budget to a request that is larger', async () => {
      const budget = new MemoryBudget(100);
      expect(await budget.wait(Infinity, never)).toBe(100);
      expect(budget.reserve(ANYONE, 1)).toBe(false);
    });

    it('grants nothing to an aborted waiter, and continues with the next one', async () => {
      const budget = new MemoryBudget(100);
      const halt = new AbortController();
      budget.reserve(ANYONE, 60);
      const leaving = budget.wait(80, halt.signal);
      const next = budget.wait(40, never);
      halt.abort(new Error('stopped'));
      await expect(leaving).rejects.toThrow('stopped');
      expect([await next, budget.used]).toEqual([40, 100]);
      await expect(budget.wait(1, halt.signal)).rejects.toThrow('stopped');
    });

    it('reserves once per reservation, shrinks it in steps, and releases no more than it has', async () => {
      const budget = new MemoryBudget(100);
      const reservation = budget.reservation(never);
      expect([await reservation.reserve(80), await reservation.reserve(90), budget.used]).toEqual([true, true, 80]);
      reservation.shrink(90);
      reservation.shrink(30);
      expect(budget.used).toBe(30);
      for (let n = 0; n < 2; n++) reservation.shrink(0);
      expect(budget.used).toBe(0);
    });

    it('gives an aborted reservation no bytes, then or later', async () => {
      const budget = new MemoryBudget(100);
      const halt = new AbortController();
      const reservation = budget.reservation(halt.signal);
      budget.reserve(ANYONE, 100);
      const waiting = reservation.reserve(1);
      halt.abort();
      expect(await waiting).toBe(false);
      reservation.shrink(0);
      budget.release(ANYONE, 100);
      expect([await reservation.reserve(1), budget.used]).toEqual([false, 0]);
    });
  });

  describe('hold', () => {
    /** A budget, and holders that record when they are evicted. */
    function underTest(max: number) {
      const budget = new MemoryBudget(max);
      const evicted: string[] = [];
      const hold = (name: string, bytes: number, isLast = false) => {
        const holder = { bytes, isLast, evict: () => void evicted.push(name) };
        budget.hold(holder);
        return holder;
      };
      return { budget, evicted, hold };
    }

    it('evicts the oldest first, only as many as needed', () => {
      const { budget, evicted, hold } = underTest(100);
      for (const name of ['1', '2', '3', '4']) hold(name, 25);
      expect(evicted).toEqual([]);
      hold('5', 30);
      expect([evicted, budget.used]).toEqual([['1', '2'], 80]);
    });

    it('evicts holders marked isLast only when no other is left', () => {
      const { evicted, hold } = underTest(100);
      hold('last', 40, true);
      hold('1', 40);
      hold('2', 40);
      expect(evicted).toEqual(['1']);
      hold('3', 90);
      expect(evicted).toEqual(['1', '2', 'last']);
    });

    it('keeps the newcomer even when it is larger than the budget', () => {
      const { budget, evicted, hold } = underTest(100);
      hold('1', 10);
      hold('large', 1_000);
      expect([evicted, budget.used]).toEqual([['1'], 1_000]);
      hold('2', 10);
      expect([evicted, budget.used]).toEqual([['1', 'large'], 10]);
    });

    it('releases the bytes of a holder once, evicted or not', () => {
      const { budget, hold } = underTest(100);
      const [one, other] = [hold('1', 60), hold('2', 50)];
      for (let n = 0; n < 2; n++) [one, other].forEach((holder) => budget.drop(holder));
      expect(budget.used).toBe(0);
    });
  });

  describe('random sequences of waits, releases and aborts', () => {
    const MAX = 100;
    const steps = fc.array(
      fc.record({
        what: fc.constantFrom('wait', 'wait', 'release', 'abort'),
        bytes: fc.integer({ min: 1, max: 130 }),
        at: fc.nat(99),
      }),
      { maxLength: 60 },
    );

    interface Asked {
      readonly name: number;
      readonly bytes: number;
      readonly halt: AbortController;
    }

    it('grant bytes in the order of the requests, never more than the budget, and lose none', async () => {
      await fc.assert(
        fc.asyncProperty(steps, async (sequence) => {
          const budget = new MemoryBudget(MAX);
          const granted = new Map<number, number>();
          let holding: Asked[] = [];
          let waiting: Asked[] = [];
          const used = () => holding.reduce((sum, { bytes }) => sum + Math.min(bytes, MAX), 0);
          /** In the model: grants to the first waiters while they fit. */
          const letIn = () => {
            for (let [next] = waiting; next && used() + Math.min(next.bytes, MAX) <= MAX; [next] = waiting) {
              waiting = waiting.slice(1);
              holding.push(next);
            }
          };
          let name = 0;
          for (const { what, bytes, at } of sequence) {
            if (what === 'wait') {
              const asked = { name: (name += 1), bytes, halt: new AbortController() };
              budget.wait(bytes, asked.halt.signal).then(
                (n) => granted.set(asked.name, n),
                () => undefined,
              );
              waiting.push(asked);
            } else if (what === 'release' && holding.length > 0) {
              const asked = holding[at % holding.length]!;
              budget.release(ANYONE, granted.get(asked.name)!);
              granted.delete(asked.name);
              holding = holding.filter((one) => one !== asked);
            } else if (what === 'abort' && waiting.length > 0) {
              const asked = waiting[at % waiting.length]!;
              asked.halt.abort();
              waiting = waiting.filter((one) => one !== asked);
            }
            letIn();
            await settled();
            const expected = holding.map((asked) => [asked.name, Math.min(asked.bytes, MAX)]);
            expect([...granted].sort(([a], [b]) => a - b)).toEqual(expected.sort(([a], [b]) => a! - b!));
            expect(budget.used).toBe(used());
            expect(budget.used).toBeLessThanOrEqual(MAX);
          }
          for (; holding.length > 0; letIn()) budget.release(ANYONE, Math.min(holding.pop()!.bytes, MAX));
          expect([waiting, budget.used]).toEqual([[], 0]);
        }),
        { numRuns: 300 },
      );
    });

    it('evict only until the rest fits, oldest first and isLast holders at the end', () => {
      const newcomers = fc.array(fc.record({ bytes: fc.integer({ min: 1, max: 150 }), isLast: fc.boolean() }));
      fc.assert(
        fc.property(newcomers, (came) => {
          const budget = new MemoryBudget(MAX);
          const kept: { bytes: number; isLast: boolean; evict: () => void }[] = [];
          const evicted: typeof kept = [];
          for (const one of came) {
            evicted.length = 0;
            const holder = { ...one, evict: () => void evicted.push(...kept.splice(kept.indexOf(holder), 1)) };
            const before = [...kept];
            kept.push(holder);
            budget.hold(holder);
            // One by one, oldest first, isLast holders at the end, until the rest fits.
            const inOrder = [...before.filter(({ isLast }) => !isLast), ...before.filter(({ isLast }) => isLast)];
            let sum = [...before, holder].reduce((bytes, each) => bytes + each.bytes, 0);
            const expected = inOrder.filter(({ bytes }) => sum > MAX && ((sum -= bytes), true));
            expect(evicted).toEqual(expected);
            expect(budget.used).toBe(sum);
          }
        }),
      );
    });
  });
});
