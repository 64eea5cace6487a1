import { expect } from 'vitest';
import type { QueueLeases } from '../../src/politeness/queue-leases.js';

/** The delay of each queue, ms. */
export const DELAY = 5_000;
export const now = (): number => performance.now();
/** The queues that a task gets, with the milliseconds that each must still wait. It wants the others. */
export async function waits(task: QueueLeases, ...queueIds: string[]): Promise<Record<string, number>> {
  const got = await task.lease(queueIds);
  await task.wantQueues(
    queueIds.filter((id) => !got.has(id)),
    now(),
  );
  return Object.fromEntries([...got].map(([id, { waitMs }]) => [id, waitMs]));
}
/** Expects what is left of a delay that began at `from` or after it. */
export function expectRest(left: number, rest: number, from: number): void {
  expect(left).toBeLessThanOrEqual(rest);
  expect(left).toBeGreaterThanOrEqual(rest - (now() - from) - 2);
}
/** A moment at which leases are renewed. */
export const later = (): number => now() + 60_000;
