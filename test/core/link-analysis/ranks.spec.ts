import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hits } from '../../../src/core/link-analysis/hits.js';
import { linkRank } from '../../../src/core/link-analysis/link-rank.js';
import { pageRank } from '../../../src/core/link-analysis/page-rank.js';
import { withoutReciprocal } from '../../../src/core/link-analysis/without-reciprocal.js';
import { type Edge, edgesOf, graphOf, resultOf } from './graphs.js';

/** Each formula implemented again with matrices, as in the textbooks. */

type Matrix = number[][];
const numbers = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const matrixOf = (n: number, edges: readonly Edge[]): Matrix => {
  const matrix = numbers(n).map(() => numbers(n).map(() => 0));
  for (const [from, to] of edges) matrix[from]![to] = 1;
  return matrix;
};
const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0);
/** What node `i` gets of the scores of those that link to it, each divided by its links. */
const shares = (matrix: Matrix, scores: readonly number[], i: number): number =>
  sum(scores.map((score, j) => (matrix[j]![i] === 0 ? 0 : score / sum(matrix[j]!))));

function naivePageRank(matrix: Matrix, damping: number, iterations: number): number[] {
  const n = matrix.length;
  let scores = numbers(n).map(() => 1 / n);
  for (let iteration = 0; iteration < iterations; iteration++) {
    const lost = sum(scores.filter((_, j) => sum(matrix[j]!) === 0));
    const before = scores;
    scores = numbers(n).map((i) => damping * (shares(matrix, before, i) + lost / n) + (1 - damping) / n);
  }
  return scores;
}

function naiveLinkRank(matrix: Matrix, damping: number, iterations: number): number[] {
  const linked = numbers(matrix.length).filter((i) => sum(matrix[i]!) + sum(matrix.map((row) => row[i]!)) > 0).length;
  let scores = matrix.map(() => 1);
  for (let iteration = 0; iteration < iterations; iteration++) {
    const before = scores;
    scores = before.map((_, i) => 1 - damping + damping * (1 / linked + shares(matrix, before, i)));
  }
  return scores;
}

function naiveHits(matrix: Matrix, iterations: number): { hubs: number[]; authorities: number[] } {
  const scaled = (scores: number[]): number[] => (sum(scores) > 0 ? scores.map((one) => one / sum(scores)) : scores);
  let hubs = matrix.map(() => 1 / matrix.length);
  let authorities = hubs;
  for (let iteration = 0; iteration < iterations; iteration++) {
    authorities = scaled(matrix.map((_, i) => sum(hubs.map((hub, j) => hub * matrix[j]![i]!))));
    hubs = scaled(matrix.map((row) => sum(row.map((link, j) => link * authorities[j]!))));
  }
  return { hubs, authorities };
}

const anyGraph = fc
  .integer({ min: 1, max: 25 })
  .chain((n) =>
    fc.tuple(
      fc.constant(n),
      fc.array(fc.tuple(fc.nat(n - 1), fc.nat(n - 1)), { maxLength: 80 }),
      fc.double({ min: 0.1, max: 0.95, noNaN: true }),
    ),
  );
const close = (found: Float64Array, wanted: readonly number[]): void =>
  [...found].forEach((one, i) => expect(one).toBeCloseTo(wanted[i]!, 9));

describe('ranks of random graphs', () => {
  const until = { iterations: 30, tolerance: -1 };
  it('PageRank equals the textbook formula and sums to 1', () =>
    fc.assert(
      fc.property(anyGraph, ([n, edges, damping]) => {
        const scores = resultOf(pageRank(graphOf(n, edges), { damping, ...until }));
        close(scores, naivePageRank(matrixOf(n, edges), damping, 30));
        expect(sum([...scores])).toBeCloseTo(1, 9);
      }),
    ));
  it('LinkRank equals its formula', () =>
    fc.assert(
      fc.property(anyGraph, ([n, edges, damping]) => {
        const scores = resultOf(linkRank(graphOf(n, edges), { damping, initialScore: 1, iterations: 12 }));
        const wanted = naiveLinkRank(matrixOf(n, edges), damping, 12);
        // Without any link there is no node, and the scores have no meaning.
        if (edges.length > 0) close(scores, wanted);
      }),
    ));
  it('HITS equals the textbook formula', () =>
    fc.assert(
      fc.property(anyGraph, ([n, edges]) => {
        const found = resultOf(hits(graphOf(n, edges), until));
        const wanted = naiveHits(matrixOf(n, edges), 30);
        close(found.hubs, wanted.hubs);
        close(found.authorities, wanted.authorities);
      }),
    ));
  it('withoutReciprocal removes reciprocal links and self-links', () =>
    fc.assert(
      fc.property(anyGraph, ([n, edges]) => {
        const matrix = matrixOf(n, edges);
        const wanted = numbers(n).flatMap((from) =>
          numbers(n)
            .filter((to) => matrix[from]![to] === 1 && matrix[to]![from] === 0)
            .map((to): Edge => [from, to]),
        );
        expect(edgesOf(resultOf(withoutReciprocal(graphOf(n, edges))))).toEqual(wanted);
      }),
    ));
});

describe('the computation of ranks', () => {
  const ring = numbers(10).map((i): Edge => [i, (i + 1) % 10]);
  /** Rounds that a computation has begun. */
  const roundsOf = (work: Generator<{ iteration: number }, unknown>): number =>
    new Set([...work].map(({ iteration }) => iteration)).size;
  it('ends when an iteration changes no more than the tolerance', () =>
    expect(roundsOf(pageRank(graphOf(10, ring), { damping: 0.85, iterations: 50, tolerance: 1e-9 }))).toBe(1));
  it('ends after the maximum number of iterations', () => {
    const chain = graphOf(10, ring.slice(0, 9));
    expect(roundsOf(pageRank(chain, { damping: 0.85, iterations: 3, tolerance: 1e-9 }))).toBe(3);
  });
  it('has no scores for a crawl without pages', () => {
    const scores = resultOf(pageRank(graphOf(0, []), { damping: 0.85, iterations: 3, tolerance: 1e-9 }));
    expect(scores).toHaveLength(0);
  });
  it('converges for LinkRank: 50 iterations give the scores of 100', () => {
    const run = (iterations: number): number[] => [
      ...resultOf(linkRank(graphOf(10, ring.slice(0, 9)), { damping: 0.85, initialScore: 1, iterations })),
    ];
    run(50).forEach((score, i) => expect(score).toBeCloseTo(run(100)[i]!, 3));
  });
});
