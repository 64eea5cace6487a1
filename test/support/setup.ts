/**
 * Before each spec file: the limits of its tests and hooks, and of `expect.poll`, follow the load of the machine. Behind one that
 * has its process with others: spies, variables and fault points are undone, and it left nothing there that they would find.
 */
import { afterAll, expect, inject, vi } from 'vitest';
import { measurePatience } from './patience.js';

const ms = measurePatience();
const limits = { testTimeout: 2 * ms, hookTimeout: 2 * ms, expect: { poll: { timeout: ms } } };
vi.setConfig(limits);

declare module 'vitest' {
  interface ProvidedContext {
    /** Whether one process serves several spec files (`isolate: false`). */
    sharedProcess: boolean;
  }
}

if (inject('sharedProcess')) {
  const { propertyNames } = await import('../../src/conf/properties.js');
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
