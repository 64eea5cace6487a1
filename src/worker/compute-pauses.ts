/** The pauses of one task (compute-pause.ts). */
import { performance } from 'node:perf_hooks';
import { setImmediate as nextIteration, setTimeout as sleep } from 'node:timers/promises';
import { isRepeated, pauseBesideFetch } from '../core/queueing/compute-pause.js';

export class ComputePauses {
  private readonly began = performance.now();
  private pausedAt = this.began;

  /** @param besideFetch number of tasks that compute beside a FETCH of this process; 0: no FETCH runs in it */
  constructor(private readonly besideFetch: () => number) {}

  /** Lets other tasks of the process run. */
  async pause(): Promise<void> {
    const tasks = this.besideFetch();
    if (tasks === 0) await nextIteration();
    else {
      const ms = pauseBesideFetch(performance.now() - this.pausedAt, tasks);
      if (ms === 0) return;
      await this.pauseFor(ms);
    }
    this.pausedAt = performance.now();
  }

  private async pauseFor(ms: number): Promise<void> {
    for (let repeats = 0; ; repeats++) {
      const before = performance.eventLoopUtilization();
      await sleep(ms);
      const { utilization } = performance.eventLoopUtilization(before);
      if (!isRepeated({ repeats, age: performance.now() - this.began, utilization })) return;
    }
  }
}
