/**
 * Keeps the leases of this process's tasks. The beats come from a thread with a connection of its own, so that a page
 * that takes long to parse does not cost the lease; when the main thread has been silent for two minutes the thread
 * stops beating, and the tasks go to another worker.
 */
import { Worker } from 'node:worker_threads';

export interface LostTask {
  lost: string;
}

export class Heartbeat {
  private readonly thread: Worker;
  private readonly alive: NodeJS.Timeout;

  /** @param onLost told of a task whose lease another worker has */
  constructor(databaseUrl: string, onLost: (task: string) => void, onError: (error: Error) => void) {
    this.thread = new Worker(new URL('./heartbeat.thread.js', import.meta.url), { workerData: { databaseUrl } });
    this.thread.on('message', (message: LostTask) => onLost(message.lost));
    this.thread.on('error', onError);
    this.thread.unref();
    this.alive = setInterval(() => this.thread.postMessage({ alive: true }), 5_000);
    this.alive.unref();
  }

  keep(task: string, token: number): void {
    this.thread.postMessage({ keep: task, token });
  }

  forget(task: string): void {
    this.thread.postMessage({ forget: task });
  }

  async close(): Promise<void> {
    clearInterval(this.alive);
    await this.thread.terminate();
  }
}
