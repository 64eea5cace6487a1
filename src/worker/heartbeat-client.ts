/**
 * Renews the leases of this process's tasks, and updates its row of table `worker`. The heartbeats come from a thread with a
 * connection of its own, so that a page that takes long to parse does not cost the lease; when the main thread has been
 * silent for two minutes (six leases) the thread ends the process: the page being parsed would keep it busy forever, and the
 * worker that claims its tasks next knows the page from the crash marker.
 */
import { Worker } from 'node:worker_threads';
import type { WorkerStatistics, WorkerSelf } from '../job/worker.store.js';

/** One attempt at a task: the lease belongs to its token. */
export interface Lease {
  task: string;
  token: number;
}

/** What a heartbeat writes about this process, besides its leases. */
export interface WorkerReport {
  self: WorkerSelf;
  /** Called before each heartbeat; null as long as the process has no row. */
  statistics: () => WorkerStatistics | null;
}

const ALIVE_MS = 5_000;
/** How long the running heartbeat is awaited at the end. */
const LAST_BEAT_MS = 2_000;

export class Heartbeat {
  private readonly thread: Worker;
  private readonly alive: NodeJS.Timeout;

  /**
   * @param onLost called with an attempt whose lease has gone to another
   * @param report without it no row is written: only leases are renewed
   */
  constructor(
    databaseUrl: string,
    onLost: (lease: Lease) => void,
    onError: (error: Error) => void,
    private readonly report?: WorkerReport,
  ) {
    const workerData = { databaseUrl, self: report?.self ?? null };
    this.thread = new Worker(new URL('./lease-heartbeat.thread.js', import.meta.url), { workerData });
    this.thread.on('message', ({ lost }: { lost: Lease }) => onLost(lost));
    this.thread.on('error', onError);
    this.thread.unref();
    this.alive = setInterval(() => this.post(false), ALIVE_MS);
    this.alive.unref();
  }

  add({ task, token }: Lease): void {
    this.thread.postMessage({ add: { task, token } });
  }

  remove({ task, token }: Lease): void {
    this.thread.postMessage({ remove: { task, token } });
  }

  /** Sends a heartbeat now: something about this process has changed. */
  now(): void {
    this.post(true);
  }

  /** After this no heartbeat begins; a slow one may still be running in PostgreSQL. */
  async close(): Promise<void> {
    clearInterval(this.alive);
    const ended = new Promise<void>((resolve) => this.thread.once('exit', () => resolve()));
    this.thread.postMessage({ end: true });
    const late = setTimeout(() => void this.thread.terminate(), LAST_BEAT_MS);
    await ended;
    clearTimeout(late);
  }

  private post(now: boolean): void {
    this.thread.postMessage({ alive: this.report?.statistics() ?? null, now });
  }
}
