/** What this process reports about itself: its identity and its load. */
import { hostname } from 'node:os';
import { performance } from 'node:perf_hooks';
import { programVersion } from '../conf/version.js';
import type { WorkerStatistics, WorkerSelf } from '../job/worker.store.js';
import { serverOf, thisOwner } from './owner.js';

/** @param role that of the server it belongs to */
export function workerSelf(role: string, slots: number): WorkerSelf {
  const id = thisOwner();
  const machine = hostname().slice(0, 255);
  return { id, server: serverOf(id), machine, pid: process.pid, role, version: programVersion(), slots };
}

/** Measures since the last call of `read`. */
export class Gauges {
  private at = performance.now();
  private busy = performance.eventLoopUtilization();
  private pages = 0;

  /** @param pagesSoFar number of pages written by this process, only growing */
  constructor(private readonly pagesSoFar: () => number) {}

  read(leaving: boolean): WorkerStatistics {
    const now = performance.now();
    const pages = this.pagesSoFar();
    const busy = performance.eventLoopUtilization();
    const pagesPerSecond = (pages - this.pages) / Math.max(0.001, (now - this.at) / 1_000);
    const load = performance.eventLoopUtilization(busy, this.busy).utilization;
    [this.at, this.pages, this.busy] = [now, pages, busy];
    return { leaving, pagesPerSecond, load, memoryBytes: process.memoryUsage.rss() };
  }
}
