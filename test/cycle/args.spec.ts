import { describe, expect, it } from 'vitest';
import { argsByType } from '../../src/api/job/args-by-type.js';
import { checkArgs, knownArgs } from '../../src/cycle/args.js';

/** Clients of NutchServer send null for what they do not set. */

const all = Object.entries(argsByType).flatMap(([type, args]) =>
  [...knownArgs(args)].map((name) => [type, name, args] as const),
);

describe('an argument that is null', () => {
  it.each(all)('counts as not given: %s %s', async (_, name, type) => {
    const { args, errors, unknown } = await checkArgs(type, { [name]: null });
    expect([errors, unknown]).toEqual([[], []]);
    expect((args as Record<string, unknown>)[name]).toBeUndefined();
  });

  it('is named when the job does not know it', async () => {
    expect((await checkArgs(argsByType.GENERATE, { topM: null })).unknown).toEqual(['topM']);
  });
});
