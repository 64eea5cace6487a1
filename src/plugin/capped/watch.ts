import { Worker } from 'node:worker_threads';

/**
 * Begins the thread that ends this process when it takes more memory than it may, or its parent is gone.
 * @param megabytes of the whole process
 * @param parent its id as the parent sent it, as it may be gone before we ask
 */
export function watch(megabytes: number, parent: number): void {
  const thread = new Worker(new URL('./capped.watch.js', import.meta.url), {
    workerData: { megabytes, parent },
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
    execArgv: [],
  });
  thread.unref();
}
