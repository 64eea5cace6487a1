import { afterAll, describe, expect, it } from 'vitest';
import { FINDINGS, findings } from '../../scripts/fuzz/corpus.mjs';
import { LARGEST, generator, mutated } from '../../scripts/fuzz/mutate.mjs';
import { endTargets, isDeclared, targets } from '../../scripts/fuzz/targets.mjs';

/**
 * Inputs that once did harm, or would where a bound is forgotten, run again by the targets of `npm run fuzz` (on the
 * build). Each must end, and throw nothing but what its target declares; one that does not end fails by the time limit.
 */

afterAll(endTargets);

const seeds = Object.entries(findings()).flatMap(([target, all]) =>
  all.map(({ why, base64, times = 1 }) => ({
    target,
    why,
    bytes: Buffer.alloc(Buffer.from(base64, 'base64').length * times, base64, 'base64'),
  })),
);

describe('a seed of the fuzzer', () => {
  it('stands in a file that is named after a target', () => {
    expect(Object.keys(targets)).toEqual(expect.arrayContaining(Object.keys(findings())));
    expect(FINDINGS).toMatch(/test.fuzz.seeds$/);
  });

  it.each(seeds)('$target: $why', async ({ target, bytes }) => {
    const one = targets[target]!;
    const error: unknown = await Promise.resolve(bytes)
      .then(one.run)
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    if (error !== null && !isDeclared(one, error)) throw error;
  });
});

describe('mutation', () => {
  const some = Buffer.from('<p>some <b>page</b></p>');
  const run = (seed: number) => {
    const next = generator(seed);
    return Array.from({ length: 50 }, () => mutated(some, some, next).toString('base64'));
  };

  it('does the same for the same seed, and something else for another', () => {
    expect(run(7)).toEqual(run(7));
    expect(run(7)).not.toEqual(run(8));
  });

  it('keeps inputs within their bound', () => {
    const next = generator(1);
    const large = Buffer.alloc(LARGEST, 'x');
    for (let i = 0; i < 200; i++) expect(mutated(large, large, next).length).toBeLessThanOrEqual(LARGEST);
  });
});
