import { Worker } from 'node:worker_threads';

/**
 * Starts the thread that kills this process when it exceeds its memory cap, or its parent has exited.
 * @param megabytes cap for the whole process
 * @param parent process id, sent by the parent, as it may exit before we read `process.ppid`
 */
export function watch(megabytes: number, parent: number): void {
  const thread = new Worker(new URL('./capped.watch.js', import.meta.url), {
    workerData: { megabytes, parent },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    execArgv: [],
  });
  thread.unref();
}
