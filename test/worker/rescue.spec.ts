import { expect, it } from 'vitest';
import { LEASE_SECONDS } from '../../src/job/task.store.js';
import { LeaseTrust } from '../../src/worker/rescue.js';

/** Leases that ran out while the database was away are those of workers that could not renew them. */

const LEASE_MS = LEASE_SECONDS * 1_000;
/** Looks: the instant at which each ended, ms, whether it was answered, and whether leases that ran out count then. */
type Look = [at: number, answered: boolean, trusts: boolean];

it.each<[string, Look[]]>([
  ['from the first look on', [[0, true, true]]],
  [
    'not while the database does not answer, nor for the time of a lease from its first answer on',
    [
      [0, true, true],
      [60_000, false, false],
      [61_000, true, false],
      [61_000 + LEASE_MS - 1, true, false],
      [61_000 + LEASE_MS, true, true],
    ],
  ],
  [
    'not for the time of a lease anew when it was unreachable again',
    [
      [0, false, false],
      [1_000, true, false],
      [1_000 + LEASE_MS, false, false],
      [2_000 + LEASE_MS, true, false],
      [2_000 + 2 * LEASE_MS, true, true],
    ],
  ],
])('leases that ran out count %s', (_when, looks) => {
  const trust = new LeaseTrust();
  expect(looks.map(([at, answered]) => [at, answered, trust.trusts(answered, at)])).toEqual(looks);
});
