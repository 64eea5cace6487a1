/**
 * Before each spec file: properties are tried with the same random cases in every run, so that a test fails by a change, not by
 * chance (`RANDOM_SEED` selects others); the limits of its tests and hooks follow the load of the machine, and before each test
 * those of `expect.poll`, since the load may be another by then. Behind a file that has its process with others: spies,
 * variables and fault points are undone, and it left nothing there that they would find.
 */
import fc from 'fast-check';
import { afterAll, beforeEach, expect, inject, vi } from 'vitest';
import { measurePatience } from './patience.js';

fc.configureGlobal({ seed: Number(process.env['RANDOM_SEED'] ?? 1) });

const polling = () => ({ expect: { poll: { timeout: measurePatience() } } });
const limit = Math.max(2 * measurePatience(), inject('boundMs'));
vi.setConfig({ testTimeout: limit, hookTimeout: limit, ...polling() });
beforeEach(() => vi.setConfig(polling()));

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether one process serves several spec files (`isolate: false`). */
    sharedProcess: boolean;
  }
}

if (inject('sharedProcess')) {
  const { propertyNames } = await import('../../src/core/conf/properties.js');
  const { armFaultPoints } = await import('../../src/db/fault-point.js');
  const state = () => ({ properties: [...propertyNames], env: { ...process.env } });
  const before = state();
  afterAll(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
    armFaultPoints(undefined);
    expect(state(), 'what changes the process needs one of its own: OWN_PROCESS in vitest.config.ts').toEqual(before);
  });
}
