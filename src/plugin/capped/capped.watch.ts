/**
 * A thread beside the working one. It kills the process when that exceeds its memory cap, or when its parent has exited:
 * an endless loop in the working thread could notice neither.
 */
import { workerData } from 'node:worker_threads';

/** Milliseconds between two checks; memory grows by at most some tens of megabytes in between. */
const CHECK_MS = 50;

const { megabytes, parent } = workerData as { megabytes: number; parent: number };

setInterval(() => {
  if (process.memoryUsage.rss() > megabytes * 1_048_576 || process.ppid !== parent)
    process.kill(process.pid, 'SIGKILL');
}, CHECK_MS);
