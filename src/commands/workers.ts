/**
 * The worker processes of a server. They end with it: when we die their IPC channel closes and they exit; when a worker
 * dies it is started again, after a pause that grows while it keeps dying at once.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LifeLog } from '../conf/log.js';
import type { Params } from '../core/conf/properties.js';
import type { Sql } from '../db/sql.js';
import { removeWorkers } from '../job/worker.store.js';
import { thisServer } from '../worker/owner.js';
import { availableMemory } from '../db/available-memory.js';

/** Workers get 8 s to write their current pages; the rest are killed after this and their tasks are rescued. */
export const WORKER_GRACE_MS = 10_000;

export interface WorkerProcesses {
  /** Resolves when a first worker claims tasks, or has died: a server without workers still responds. */
  readonly ready: Promise<void>;
  /**
   * Asks all workers to release their tasks; kills the rest after `graceMs`. Their rows in table `worker` are deleted
   * then, also those of workers that were killed, or could not reach the database.
   */
  stop(graceMs: number): Promise<void>;
}

export interface ForkOptions {
  readonly databaseUrl: string;
  /** The database, for the rows of workers that have ended. */
  readonly db: Sql;
  readonly workers: number;
  /** Role of the server, which its workers report. Default: all. */
  readonly role?: string;
  /** CONF_FILE as this server has read it: a worker that is restarted later uses the same, whatever is in the file by then. */
  readonly overlay?: Params;
  /** Port of the API on this machine, to which no fetch may connect; the database's port the worker finds out itself. */
  readonly apiPort?: number;
  readonly log: LifeLog;
  /** Destination and level of the workers' log: a command whose output is data ignores it. Default: ours, LOG_LEVEL. */
  readonly logs?: { readonly to: 'ignore' | 'inherit'; readonly level: string };
  /** The program of a worker; the real one by default. */
  readonly program?: string;
}

const FIRST_PAUSE_MS = 500;
/** Half a lease: the tasks of a dead worker should be freed by one of its own machine, which can read its crash marker. */
const MAX_PAUSE_MS = 10_000;
/** A worker that ran this long was healthy; after its next death the pauses begin with the first one again. */
const HEALTHY_MS = 60_000;

/** Forks the workers and keeps their number constant until `stop`. */
export function startWorkers(options: ForkOptions): WorkerProcesses {
  const living = new Set<ChildProcess>();
  const pauses = new Set<NodeJS.Timeout>();
  const ready = Promise.withResolvers<void>();
  /** Those that have ended on request: a signal for all processes of a service may reach them first. */
  const ended: number[] = [];
  let stopping = false;

  const launch = (failures: number): void => {
    const begin = performance.now();
    const relaunch = (reason: string): void => {
      ready.resolve();
      if (stopping) return;
      const again = performance.now() - begin > HEALTHY_MS ? 0 : failures;
      const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** again);
      options.log(`${reason}; another one starts in ${pause} ms`, 'error');
      const timer = setTimeout(() => {
        pauses.delete(timer);
        launch(again + 1);
      }, pause);
      pauses.add(timer);
    };
    let worker: ChildProcess;
    try {
      worker = forkWorker(options);
    } catch (error) {
      return relaunch(`worker: ${(error as Error).message}`);
    }
    worker.on('error', ({ message }) => {
      // A worker that could not be started emits no exit.
      if (worker.pid === undefined) relaunch(`worker: ${message}`);
      else options.log(`worker: ${message}`, 'error');
    });
    if (worker.pid === undefined) return;
    // If it has ended already, its exit reports that.
    if (options.overlay) worker.send({ overlay: options.overlay }, () => undefined);
    living.add(worker);
    worker.on('message', (message) => message === 'ready' && ready.resolve());
    worker.once('exit', (code, signal) => {
      living.delete(worker);
      if (code === 0) ended.push(worker.pid!);
      relaunch(`worker ${worker.pid} ended (${signal ?? `exit code ${code}`})`);
    });
  };
  for (let number = 0; number < options.workers; number += 1) launch(0);

  return {
    ready: ready.promise,
    stop: async (graceMs) => {
      stopping = true;
      pauses.forEach(clearTimeout);
      const last = [...living];
      await Promise.all(last.map((worker) => endWorker(worker, graceMs)));
      const pids = [...ended, ...last.map(({ pid }) => pid!)];
      await removeWorkers(options.db, thisServer(), pids);
    },
  };
}

function forkWorker(options: ForkOptions): ChildProcess {
  const program = options.program ?? fileURLToPath(new URL('../worker/worker.main.js', import.meta.url));
  // Workers do not need the credentials of the API.
  const { API_KEYS: _, RESTAPI_AUTH_USERS: _users, METRICS_TOKEN: _token, ...rest } = process.env;
  return fork(program, {
    env: {
      ...MEMORY,
      ...rest,
      DATABASE_URL: options.databaseUrl,
      WORKERS: String(options.workers),
      ROLE: options.role ?? 'all',
      OVERLAY: options.overlay ? 'sent' : '',
      API_PORT: String(options.apiPort ?? 0),
      ...(options.logs && { LOG_LEVEL: options.logs.level }),
      ...THREADS,
    },
    execArgv: [`--import=${SOURCE_MAPS}`, ...HEAP, `--max-old-space-size=${heapMegabytes(options.workers)}`],
    // A session of its own: Ctrl-C in a terminal reaches us, and we end the workers in order.
    detached: true,
    stdio: ['ignore', options.logs?.to ?? 'inherit', 'inherit', 'ipc'],
  });
}

/**
 * A worker's heap keeps some 60 MB for long, and as much again for the duration of a page. By default V8 marks the long-lived
 * part once a second, a sixth of all CPU; allowed to grow by 90 % before that, half as often. Compiled functions that are not
 * used for some of these cycles are kept, as the next page needs them (docs/adr/0022).
 */
const HEAP = ['--max-semi-space-size=16', '--heap-growing-percent=90', '--no-flush-bytecode'];

/**
 * Stack traces with our sources. The flag `--enable-source-maps` would read the maps of all packages too, and keep them: 11 MB of
 * heap in each worker.
 */
const SOURCE_MAPS =
  "data:text/javascript,import{setSourceMapsSupport as on}from'node:module';on(true,{nodeModules:false})";

/**
 * Buffers of a quarter of a megabyte and more are returned to the system when they are freed: a batch of pages being written
 * to the database is several of them. By default glibc keeps such memory, more and more fragmented (20 MB a worker).
 */
const MEMORY = { MALLOC_MMAP_THRESHOLD_: String(256 * 1024) };

/** Name look-ups and compression share libuv's threads; four are too few for hundreds of hosts. */
const THREADS = { UV_THREADPOOL_SIZE: '16' };

/** Half of the memory is shared by the workers' heaps; the rest is for PostgreSQL, the API and buffers. */
function heapMegabytes(workers: number): number {
  return Math.round(Math.min(448, Math.max(192, availableMemory() / 2 / workers / 1024 / 1024)));
}

async function endWorker(worker: ChildProcess, graceMs: number): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
  const timer = setTimeout(() => worker.kill('SIGKILL'), graceMs);
  if (worker.connected) worker.send('stop', () => undefined);
  else worker.kill('SIGTERM');
  await ended;
  clearTimeout(timer);
}
