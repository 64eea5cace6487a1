import { expect, it } from 'vitest';
import { TASK_LEASE_S } from '../../src/job/task.store.js';
import { LeaseTrust } from '../../src/worker/rescue.js';

/** Leases that expired while the database was unavailable belong to workers that could not renew them. */

const LEASE_MS = TASK_LEASE_S * 1_000;
/** Checks: time of the end in ms, whether it had a response, and whether expired leases count then. */
type Look = [at: number, answered: boolean, trusts: boolean];

it.each<[string, Look[]]>([
  ['from the first check', [[0, true, true]]],
  [
    'not while the database is unavailable, nor for the time of a lease after its first response',
    [
      [0, true, true],
      [60_000, false, false],
      [61_000, true, false],
      [61_000 + LEASE_MS - 1, true, false],
      [61_000 + LEASE_MS, true, true],
    ],
  ],
  [
    'not for the time of a lease again after another outage',
    [
      [0, false, false],
      [1_000, true, false],
      [1_000 + LEASE_MS, false, false],
      [2_000 + LEASE_MS, true, false],
      [2_000 + 2 * LEASE_MS, true, true],
    ],
  ],
])('expired leases count %s', (_when, looks) => {
  const trust = new LeaseTrust();
  expect(looks.map(([at, answered]) => [at, answered, trust.noteAnswer(answered, at)])).toEqual(looks);
});
