/**
 * A worker process: a Nest application without a door. It runs tasks, keeps their leases, frees the tasks of workers
 * that died, and does the housekeeping that the clock asks for.
 */
import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { ownPorts } from '../db/own-ports.js';
import { openDataSource } from '../db/data-source.js';
import { Listener } from '../db/listener.js';
import { isTransient } from '../db/transient.js';
import { DEFAULT_CONF_ID } from '../conf/conf-reading.js';
import { ConfStore } from '../conf/conf.store.js';
import { confEntities } from '../conf/entities.js';
import type { Params } from '../conf/properties.js';
import { guardOf } from '../plugin/guards.js';
import { recountOverdue } from '../webpage/status-counts.js';
import { forgetNeedlessDue } from '../cycle/dedup/needless-due.js';
import { forgetQueues } from '../politeness/queue-lease.sql.js';
import { IdempotencyStore } from '../job/idempotency.store.js';
import { EVENT_CHANNEL } from '../job/job-events.js';
import { JOB_CHANNEL, JobQueue, TASK_CHANNEL } from '../job/job-queue.js';
import { JobStore } from '../job/job.store.js';
import { TaskStore } from '../job/task.store.js';
import { WebhookOutbox } from '../job/webhook-outbox.js';
import { WebhookSender } from '../job/webhook-sender.js';
import { purgeDeliveries } from '../job/webhook.store.js';
import { forgetLost, signOff, signOn } from '../job/worker.store.js';
import { type StepOf, CycleModule, steps } from '../cycle/steps.js';
import { dropOldHistory, ensureHistoryPartitions } from '../webpage/fetch-history.js';
import { Heartbeat } from './heartbeat-client.js';
import type { CrashMarker } from './crash-marker.js';
import { rescuing } from './rescue.js';
import { Runner } from './task-runner.js';
import { Gauges, workerSelf } from './self.js';

export interface WorkerOptions {
  databaseUrl: string;
  workers: number;
  role: string;
  /** Tasks at work at once in this process. */
  slots: number;
  /** Resident memory above which it takes no task besides those at work, bytes. */
  memoryBytes: number;
  /** Connections to the database, at most; two more are for its listener and its heartbeat. */
  connections: number;
  /** TCP port of the API on this machine, 0 without one: no fetch may reach it, nor the database. */
  apiPort: number;
  /** Folder for what index writers write; default none. */
  indexDir?: string | undefined;
  /** CONF_FILE: what it says of housekeeping and webhooks; jobs have it in their snapshots. */
  overlay?: Params;
  /** The crash marker: which page it is parsing. */
  marker?: CrashMarker | undefined;
  log: Logger;
  /** Called right before its row is made: what it throws ends the start, and no row is left. */
  beforeSigningOn?: () => void;
  /** When the first housekeeping comes; default: a minute after the start. */
  firstHousekeepingMs?: number;
}

export interface RunningWorker {
  /** Takes nothing more, hands back what is not done within `graceMs`, closes everything. */
  close(graceMs: number): Promise<void>;
}

/** How often the queue and the states of jobs are looked at when no notification came. */
const POLL_MS = 1_000;
const RESCUE_MS = 2_000;
const HOUSEKEEPING_MS = 3_600_000;
/** Soon after the start, too: what an operator shortens is to have gone when they look, and some workers live for less than an hour. */
const FIRST_HOUSEKEEPING_MS = 60_000;
/** Pauses between the tries to sign off. */
const FIRST_SIGN_OFF_PAUSE_MS = 50;
const LAST_SIGN_OFF_PAUSE_MS = 2_000;
/** No statement of a task is meant to take so long: one that does is in the way of others, and is given up. */
const MAX_STATEMENT_MS = 900_000;

export async function startWorker(options: WorkerOptions): Promise<RunningWorker> {
  const { log, databaseUrl } = options;
  const stores = await openStores(options);
  const { pool, queue, tasks } = stores;
  const { runner, heartbeat, self, signOnSelf } = makeRunner(options, stores);

  await ensureHistoryPartitions(pool);
  const rescue = rescuing(pool, tasks);
  await rescue();
  options.beforeSigningOn?.();
  // Before the first task: workers are counted when a job is split.
  await signOnSelf();
  const sender = makeSender(stores, log);
  const check = () => runner.checkStates().catch((err: unknown) => log.warn({ err }, 'cannot read the states of jobs'));
  const listener = new Listener(databaseUrl, {
    [TASK_CHANNEL]: () => runner.wake(),
    [JOB_CHANNEL]: () => void check(),
    [EVENT_CHANNEL]: () => sender.wake(),
  });
  const clocks = [
    every(POLL_MS, () => {
      runner.wake();
      sender.wake();
      void runner.giveWay().catch((err: unknown) => log.warn({ err }, 'cannot see who waits'));
      return check();
    }),
    every(RESCUE_MS, () => rescue().catch((err: unknown) => log.warn({ err }, 'cannot rescue tasks'))),
    ...housekeeping(options, stores),
  ];
  await listener.open();
  runner.wake();

  return {
    async close(graceMs) {
      clocks.forEach(clearInterval);
      const watching = setInterval(() => void check(), 250);
      const closed = Promise.all([runner.close(graceMs), sender.close()]);
      heartbeat.now();
      await closed;
      clearInterval(watching);
      // The sign of life ends first, then its row goes: others may take their time.
      const gone = heartbeat.close().then(() => signingOff(pool, self.id, log));
      await Promise.allSettled([gone, listener.close(), queue.close(), stores.context.close()]);
      await stores.dataSource.destroy();
    },
  };
}

type Stores = Awaited<ReturnType<typeof openStores>>;

/** The connections to the database, what goes through them, and the steps. */
async function openStores({ databaseUrl, connections, apiPort, overlay = {}, log }: WorkerOptions) {
  const dataSource = await openDataSource(databaseUrl, {
    max: connections,
    entities: confEntities,
    name: 'orbweaver worker',
    patience: 'work',
    statementTimeoutMs: MAX_STATEMENT_MS,
  });
  const { pool } = dataSource;
  const own = await ownPorts(pool, apiPort);
  const queue = await JobQueue.open(pool, {
    maintain: true,
    onError: (err) => log.warn({ err }, 'queue housekeeping failed'),
  });
  const jobs = new JobStore(pool, queue);
  const tasks = new TaskStore(pool, queue, jobs);
  const context = await NestFactory.createApplicationContext(CycleModule, { logger: false });
  const confs = new ConfStore(dataSource, { overlay });
  return { dataSource, pool, ownPorts: own, queue, jobs, tasks, context, confs };
}

/** Who runs tasks, and the heartbeat that keeps their leases: of the process too, once it has signed on. */
function makeRunner(options: WorkerOptions, { context, pool, queue, jobs, tasks, confs, ownPorts: own }: Stores) {
  const { log, workers, slots, memoryBytes, marker, indexDir } = options;
  const stepOf: StepOf = (type) => context.get(steps[type].job);
  const self = workerSelf(options.role, slots);
  const gauges = new Gauges(() => runner.pages);
  let signedOn = false;
  const figures = () => gauges.read(runner.leaving);
  const heartbeat = new Heartbeat(
    options.databaseUrl,
    (lease) => runner.loseLease(lease),
    (err) => {
      // Without beats every task would be lost: the process ends, is started again, and its tasks are free at once.
      throw err;
    },
    { self, figures: () => (signedOn ? figures() : null) },
  );
  const means = { pool, queue, jobs, tasks, stepOf, heartbeat, log, confs };
  const limits = { workers, slots, memoryBytes };
  const runner: Runner = new Runner({ ...means, ...limits, owner: self.id, ownPorts: own, marker, indexDir });
  const signOnSelf = async () => {
    await signOn(pool, self, figures());
    signedOn = true;
  };
  return { runner, heartbeat, self, signOnSelf };
}

/** Delivers events to webhooks, by the configuration `default` as it is then. */
function makeSender({ pool, confs, ownPorts: own }: Stores, log: Logger): WebhookSender {
  return new WebhookSender({
    outbox: new WebhookOutbox(pool),
    log,
    rules: async () => {
      const { conf } = (await confs.find(DEFAULT_CONF_ID))!;
      return {
        guard: guardOf(conf, own),
        verifyTls: conf['http.tls.certificates.check'],
        maxAttempts: conf['webhook.attempts.max'],
      };
    },
  });
}

/** The clocks of housekeeping; what is due while the last one is still under way is skipped. */
function housekeeping({ log, firstHousekeepingMs }: WorkerOptions, { pool, jobs, confs }: Stores): NodeJS.Timeout[] {
  let keeping: Promise<void> | undefined;
  const house = () =>
    (keeping ??= keepHouse(pool, jobs, confs)
      .catch((err: unknown) => log.warn({ err }, 'housekeeping failed'))
      .finally(() => (keeping = undefined)));
  return [every(HOUSEKEEPING_MS, house), setTimeout(() => void house(), firstHousekeepingMs ?? FIRST_HOUSEKEEPING_MS)];
}

/** Tried again while the database is busy or away. Should all tries fail, or take too long, the server does it (commands/workers.ts). */
async function signingOff(pool: Pool, id: string, log: Logger): Promise<void> {
  for (let pause = FIRST_SIGN_OFF_PAUSE_MS; ; pause *= 2) {
    try {
      return await signOff(pool, id);
    } catch (err) {
      if (!isTransient(err) || pause > LAST_SIGN_OFF_PAUSE_MS) return log.warn({ err }, 'cannot sign off');
      await sleep(pause);
    }
  }
}

/** What the clock asks for: partitions to come, history that has been kept long enough (configuration `default`). */
async function keepHouse(pool: Pool, jobs: JobStore, confs: ConfStore): Promise<void> {
  await ensureHistoryPartitions(pool);
  const found = await confs.find(DEFAULT_CONF_ID);
  if (!found) return;
  const { conf } = found;
  await new IdempotencyStore(pool).purge();
  await purgeDeliveries(pool, conf['job.event.days']);
  await jobs.purge({ jobDays: conf['job.history.days'], eventDays: conf['job.event.days'] });
  await dropOldHistory(pool, conf['fetch.history.months']);
  await forgetQueues(pool);
  await forgetLost(pool);
  await recountOverdue(pool);
  // Last: the first time after years without DEDUP there may be much.
  await forgetNeedlessDue(pool);
}

/** Runs `work` each `ms`; a run that is due while the one before is still under way (the database is away) is skipped. */
function every(ms: number, work: () => Promise<unknown>): NodeJS.Timeout {
  let atIt = false;
  return setInterval(() => {
    if (atIt) return;
    atIt = true;
    void work().finally(() => (atIt = false));
  }, ms);
}
