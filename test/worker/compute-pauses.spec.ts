import { expect, it } from 'vitest';
import { ComputePauses } from '../../src/worker/compute-pauses.js';

/** Milliseconds that `work` takes. */
async function took(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

function computeFor(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

it('lets what waits in the event loop run, where no FETCH runs in the process', async () => {
  const pauses = new ComputePauses(() => 0);
  let ran = false;
  setImmediate(() => (ran = true));
  await pauses.pause();
  expect(ran).toBe(true);
});

it('pauses for at least twice the time of computing beside a FETCH, again after each pause', async () => {
  const pauses = new ComputePauses(() => 1);
  for (const ms of [4, 8]) {
    computeFor(ms);
    // Timers may fire up to a millisecond early.
    expect(await took(() => pauses.pause())).toBeGreaterThanOrEqual(2 * ms - 1);
  }
});
