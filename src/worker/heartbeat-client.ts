/**
 * Keeps the leases of this process's tasks, and its row among the workers. The beats come from a thread with a connection of
 * its own, so that a page that takes long to parse does not cost the lease; when the main thread has been silent for two
 * minutes (six leases) the thread ends the process: what it was reading would keep it busy for ever, and the
 * page is known to whoever takes up its tasks.
 */
import { Worker } from 'node:worker_threads';
import type { WorkerFigures, WorkerSelf } from '../job/worker.store.js';

/** One attempt at a task: its lease is that of the token. */
export interface Lease {
  task: string;
  token: number;
}

/** What the heartbeat writes about this process, besides its leases. */
export interface Signs {
  self: WorkerSelf;
  /** Asked for before each beat; null as long as the process has no row. */
  figures: () => WorkerFigures | null;
}

const ALIVE_MS = 5_000;
/** How long the beat under way is waited for at the end. */
const LAST_BEAT_MS = 2_000;

export class Heartbeat {
  private readonly thread: Worker;
  private readonly alive: NodeJS.Timeout;

  /**
   * @param onLost called with an attempt whose lease another one has
   * @param signs without them no row is written: only leases are kept
   */
  constructor(
    databaseUrl: string,
    onLost: (lease: Lease) => void,
    onError: (error: Error) => void,
    private readonly signs?: Signs,
  ) {
    const workerData = { databaseUrl, self: signs?.self ?? null };
    this.thread = new Worker(new URL('./heartbeat.thread.js', import.meta.url), { workerData });
    this.thread.on('message', ({ lost }: { lost: Lease }) => onLost(lost));
    this.thread.on('error', onError);
    this.thread.unref();
    this.alive = setInterval(() => this.post(false), ALIVE_MS);
    this.alive.unref();
  }

  keep({ task, token }: Lease): void {
    this.thread.postMessage({ keep: { task, token } });
  }

  forget({ task, token }: Lease): void {
    this.thread.postMessage({ forget: { task, token } });
  }

  /** Beats now: something about this process has changed. */
  now(): void {
    this.post(true);
  }

  /** When it is closed no beat comes any more; one that PostgreSQL takes long for may be under way there. */
  async close(): Promise<void> {
    clearInterval(this.alive);
    const ended = new Promise<void>((resolve) => this.thread.once('exit', () => resolve()));
    this.thread.postMessage({ end: true });
    const late = setTimeout(() => void this.thread.terminate(), LAST_BEAT_MS);
    await ended;
    clearTimeout(late);
  }

  private post(now: boolean): void {
    this.thread.postMessage({ alive: this.signs?.figures() ?? null, now });
  }
}
