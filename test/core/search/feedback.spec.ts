import { describe, expect, it } from 'vitest';
import { expand, feedbackVerdict } from '../../../src/core/search/feedback.js';

const hit = (terms: Record<string, number>) => ({ terms: new Map(Object.entries(terms)) });
const weightsOf = (terms: ReturnType<typeof expand>) =>
  Object.fromEntries(terms.map(({ term, weight }) => [term, weight]));

describe('whether a query is expanded', () => {
  const gate = { mode: 'auto', isPlain: true, terms: 5, coverages: [0.4, 0.1] } as const;

  it.each([
    ['plain words, five or more', {}, true],
    ['four words', { terms: 4 }, false],
    ['four words with mode on', { terms: 4, mode: 'on' }, true],
    ['mode off', { mode: 'off' }, false],
    ['operators, phrases or fields', { isPlain: false }, false],
    ['operators with mode on', { isPlain: false, mode: 'on' }, false],
    ['half of the title of one of the first five hits', { coverages: [0, 0, 0, 0, 0.5] }, false],
    ['the title of the sixth', { coverages: [0, 0, 0, 0, 0, 1] }, true],
    ['no hits', { coverages: [] }, true],
  ] as const)('%s (%j): %s', (_, change, expands) => {
    const verdict = feedbackVerdict({ ...gate, ...change });
    expect(verdict.expands).toBe(expands);
    expect(verdict.reason).not.toBe('');
  });
});

describe('query expansion', () => {
  const df = (term: string) => ({ ferry: 50, tide: 20, the: 500, once: 1, gauge: 5 })[term] ?? 0;
  const statistics = { documents: 1_000, df };

  it('adds the most informative terms of the first hits by Bo1, each with a hundredth of the weight on average', () => {
    const hits = [
      hit({ ferry: 3, tide: 2, the: 9, once: 4, gauge: 1 }),
      hit({ ferry: 1, tide: 1, the: 1, once: 1 }),
      hit({ ferry: 1, tide: 1, the: 1, once: 1, gauge: 1 }),
    ];
    const bo1 = (tf: number, p: number) => tf * Math.log2((1 + p) / p) + Math.log2(1 + p);
    const [ferry, tide] = [bo1(5, 0.05), bo1(4, 0.02)] as const;
    const total = ferry + tide;
    const weights = weightsOf(
      expand(
        new Map([
          ['ferry', 1],
          ['boat', 1],
        ]),
        hits,
        statistics,
      ),
    );
    expect(weights).toEqual({
      ferry: expect.closeTo(0.98 + (0.04 * ferry) / total, 10),
      boat: 0.98,
      tide: expect.closeTo((0.04 * tide) / total, 10),
    });
    expect(Object.values(weights).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(2, 10);
  });

  it('does not change the query when no term is informative', () => {
    expect(expand(new Map([['ferry', 2]]), [hit({ the: 5, once: 3 })], statistics)).toEqual([
      { term: 'ferry', weight: 2 },
    ]);
    expect(expand(new Map([['ferry', 2]]), [], statistics)).toEqual([{ term: 'ferry', weight: 2 }]);
    expect(expand(new Map(), [hit({ tide: 5 })], statistics)).toEqual([]);
  });

  it('adds at most ten terms of the first five hits, equal ones in alphabetical order', () => {
    const words = Array.from({ length: 100 }, (_, at) => `word${String(at).padStart(2, '0')}`);
    const hits = Array.from({ length: 7 }, (_, at) =>
      hit(at < 5 ? Object.fromEntries(words.map((word) => [word, 1])) : { late: 99 }),
    );
    const every = { documents: 1_000, df: () => 10 };
    const weights = expand(new Map([['ferry', 1]]), hits, every);
    expect(weights.map(({ term }) => term)).toEqual(['ferry', ...words.slice(0, 10)]);
    expect(weights[0]!.weight).toBeCloseTo(0.9, 10);
  });
});
