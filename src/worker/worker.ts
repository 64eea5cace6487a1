/**
 * A worker process: a Nest application without a server. It runs tasks, renews their leases, frees the tasks of workers
 * that died, and does the periodic housekeeping.
 */
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { ownPorts } from '../db/listen-addresses.js';
import { openDataSource } from '../db/data-source.js';
import { Listener } from '../db/listener.js';
import { isTransient } from '../db/transient.js';
import { DEFAULT_CONF_ID } from '../conf/conf-reading.js';
import { ConfStore } from '../conf/conf.store.js';
import { confEntities } from '../conf/entities.js';
import type { Params } from '../core/conf/properties.js';
import { guardOf } from '../plugin/egress-guards.js';
import { EVENT_CHANNEL } from '../job/job-event.store.js';
import { JOB_CHANNEL, JobQueue, TASK_CHANNEL } from '../job/job-queue.js';
import { JobStore } from '../job/job.store.js';
import { TaskStore } from '../job/task.store.js';
import { WebhookOutbox } from '../job/webhook-outbox.store.js';
import { WebhookSender } from '../job/webhook-sender.js';
import { removeWorker, registerWorker } from '../job/worker.store.js';
import { type StepOf, CycleModule, steps } from '../cycle/steps.js';
import { ensureHistoryPartitions } from '../webpage/fetch-history.store.js';
import { Heartbeat } from './heartbeat-client.js';
import type { CrashMarker } from './crash-marker.js';
import { every, housekeeping } from './housekeeping.js';
import { makeRescue } from './rescue.js';
import { TaskRunner } from './task-runner.js';
import { Gauges, workerSelf } from './self.js';

/** Interval at which the states of jobs are read while the worker closes: stopped jobs end sooner. */
const CLOSING_CHECK_MS = 250;

export interface WorkerOptions {
  databaseUrl: string;
  workers: number;
  role: string;
  /** Maximum number of running tasks in this process. */
  slots: number;
  /** Resident memory above which it claims no task while another runs, bytes. */
  memoryBytes: number;
  /** Maximum number of connections to the database; two more are for its listener and its heartbeat. */
  connections: number;
  /** TCP port of the API on this machine, 0 without one: no fetch may connect to it, nor to the database. */
  apiPort: number;
  /** Folder in which index writers write; default none. */
  indexDir?: string | undefined;
  /** CONF_FILE: its properties for housekeeping and webhooks; jobs have it in their snapshots. */
  overlay?: Params;
  /** The crash marker: names the page being parsed. */
  marker?: CrashMarker | undefined;
  log: Logger;
  /** Called right before its row is inserted: if it throws, the start ends, and no row is left. */
  beforeRegistering?: () => void;
  /** Time until the first housekeeping; default: a minute after the start. */
  firstHousekeepingMs?: number;
}

export interface RunningWorker {
  /** Claims no more tasks, releases what is not done within `graceMs`, closes everything. */
  close(graceMs: number): Promise<void>;
}

/** How often the queue and the states of jobs are read without a notification. */
const POLL_MS = 1_000;
const RESCUE_MS = 2_000;
/** Pauses between the attempts to delete the worker's row. */
const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 2_000;
/** No statement of a task should take that long: it would block others, and is cancelled. */
const MAX_STATEMENT_MS = 900_000;

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { log, databaseUrl } = options;
  const stores = await openStores(options);
  const { pool, queue, tasks } = stores;
  const { runner, heartbeat, self, registerSelf } = makeRunner(options, stores);

  await ensureHistoryPartitions(pool);
  const rescue = makeRescue(pool, tasks);
  await rescue();
  options.beforeRegistering?.();
  // Before the first task: workers are counted when a job is split.
  await registerSelf();
  const sender = makeSender(stores, log);
  const check = () => runner.checkStates().catch((err: unknown) => log.warn({ err }, 'cannot read the states of jobs'));
  const listener = new Listener(databaseUrl, {
    [TASK_CHANNEL]: () => runner.wake(),
    [JOB_CHANNEL]: () => void check(),
    [EVENT_CHANNEL]: () => sender.wake(),
  });
  const timers = [
    every(POLL_MS, () => {
      runner.wake();
      sender.wake();
      void runner.yieldSlot().catch((err: unknown) => log.warn({ err }, 'cannot read which crawls wait'));
      return check();
    }),
    every(RESCUE_MS, () => rescue().catch((err: unknown) => log.warn({ err }, 'cannot rescue tasks'))),
    ...housekeeping(stores, log, options.firstHousekeepingMs),
  ];
  await listener.open();
  runner.wake();

  return {
    async close(graceMs) {
      timers.forEach(clearInterval);
      const watching = setInterval(() => void check(), CLOSING_CHECK_MS);
      const closed = Promise.all([runner.close(graceMs), sender.close()]);
      heartbeat.now();
      await closed;
      clearInterval(watching);
      // First the heartbeat ends, then the row is deleted: the rest may take longer.
      const gone = heartbeat.close().then(() => removeOwnRow(pool, self.id, log));
      await Promise.allSettled([gone, listener.close(), queue.close(), stores.context.close()]);
      await stores.dataSource.destroy();
    },
  };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

/** The connections to the database, the stores that use them, and the steps. */
async function openStores({ databaseUrl, connections, apiPort, overlay = {}, log }: WorkerOptions) {
  const dataSource = await openDataSource(databaseUrl, {
    max: connections,
    entities: confEntities,
    name: 'orbweaver worker',
    patience: 'work',
    statementTimeoutMs: MAX_STATEMENT_MS,
  });
  const { pool } = dataSource;
  const ports = await ownPorts(pool, apiPort);
  const queue = await JobQueue.open(pool, {
    maintain: true,
    onError: (err) => log.warn({ err }, 'queue housekeeping failed'),
  });
  const jobs = new JobStore(pool, queue);
  const tasks = new TaskStore(pool, queue, jobs);
  const context = await NestFactory.createApplicationContext(CycleModule, { logger: false });
  const confs = new ConfStore(dataSource, { overlay });
  return { dataSource, pool, ownPorts: ports, queue, jobs, tasks, context, confs };
}

/** Creates the runner, and the heartbeat that renews its leases and, once the worker has a row, updates that row. */
function makeRunner(options: WorkerOptions, { context, pool, queue, jobs, tasks, confs, ownPorts: ports }: Stores) {
  const { log, workers, slots, memoryBytes, marker, indexDir } = options;
  const stepOf: StepOf = (type) => context.get(steps[type].job);
  const self = workerSelf(options.role, slots);
  const gauges = new Gauges(() => runner.pages);
  let isRegistered = false;
  const statistics = () => gauges.read(runner.leaving);
  const heartbeat = new Heartbeat(
    options.databaseUrl,
    (lease) => runner.loseLease(lease),
    (err) => {
      // Without heartbeats every task would be lost: the process ends, is restarted, and its tasks are free at once.
      throw err;
    },
    { self, statistics: () => (isRegistered ? statistics() : null) },
  );
  const means = { pool, queue, jobs, tasks, stepOf, heartbeat, log, confs };
  const limits = { workers, slots, memoryBytes };
  const runner: TaskRunner = new TaskRunner({ ...means, ...limits, owner: self.id, ownPorts: ports, marker, indexDir });
  const registerSelf = async () => {
    await registerWorker(pool, self, statistics());
    isRegistered = true;
  };
  return { runner, heartbeat, self, registerSelf };
}

/** Delivers events to webhooks, by the configuration `default` at that time. */
function makeSender({ pool, confs, ownPorts: ports }: Stores, log: Logger): WebhookSender {
  return new WebhookSender({
    outbox: new WebhookOutbox(pool),
    log,
    rules: async () => {
      const { conf } = (await confs.find(DEFAULT_CONF_ID))!;
      return {
        guard: guardOf(conf, ports),
        verifyTls: conf['http.tls.certificates.check'],
        maxAttempts: conf['webhook.attempts.max'],
      };
    },
  });
}

/**
 * Retried while the database is busy or unavailable. Should all attempts fail, or take too long, the server does it
 * (commands/workers.ts).
 */
async function removeOwnRow(pool: Pool, id: string, log: Logger): Promise<void> {
  for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
    try {
      return await removeWorker(pool, id);
    } catch (err) {
      if (!isTransient(err) || pause > MAX_PAUSE_MS) return log.warn({ err }, 'cannot delete the row of this worker');
      await sleep(pause);
    }
  }
}
