/**
 * A thread beside the one that works. It ends the whole process when that takes more memory than it may, or when its
 * parent is gone: a loop that never ends would notice neither.
 */
import { workerData } from 'node:worker_threads';

/** Milliseconds between two looks; memory cannot grow by much more than some tens of megabytes meanwhile. */
const LOOK_MS = 50;

const { megabytes, parent } = workerData as { megabytes: number; parent: number };

setInterval(() => {
  if (process.memoryUsage.rss() > megabytes * 1_048_576 || process.ppid !== parent)
    process.kill(process.pid, 'SIGKILL');
}, LOOK_MS);
