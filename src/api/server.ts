/**
 * The API process: a Nest application in front of the database. It never calls workers; a job that it writes is the
 * message. A request passes security headers, then access control, then its route (guard, body, handler).
 */
import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import type { INestApplication } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { Logger } from 'pino';
import { readConfFile } from '../conf/conf-file.js';
import { ConfStore } from '../conf/conf.store.js';
import { DEFAULT_REQUEST_RATE, DEFAULT_SEARCH_CACHE, DEFAULT_WAITING_JOBS_PER_KEY } from '../conf/env-defaults.js';
import type { Env } from '../conf/env.js';
import type { Params } from '../core/conf/properties.js';
import { makeLog } from '../conf/log.js';
import { SeedListStore } from '../conf/seed-list.store.js';
import type { PooledDataSource } from '../db/pooled-data-source.js';
import { JobQueue } from '../job/job-queue.js';
import { JobStore } from '../job/job.store.js';
import { Searcher } from '../search/searcher.js';
import { accessControl } from './access/access.js';
import { limitConnections } from './access/client-identity.js';
import type { ConnectionLimits } from './access/connections.js';
import { securityHeaders } from './access/security-headers.js';
import { AnswerStreams } from './answer/answer-streams.js';
import type { StreamLimits } from './answer/stream-semaphore.js';
import { ApiModule, type ApiProviders } from './api.module.js';
import { checkConf } from './config/check-conf.js';
import { dashboardPaths } from './dashboard/dashboard-files.js';
import { Database } from './database.js';
import { Metrics } from './metrics/metrics.js';
import { watchRequests, watchServer } from './metrics/server-metrics.js';
import { ClaimWait } from './job/claim-wait.js';
import { WaitingLimits } from './job/waiting-jobs.js';
import type { HeavyStart } from './heavy/heavy-process.js';
import { type HeavyLimits, HeavyProcesses } from './heavy/heavy-processes.js';
import { HeavyWork } from './heavy/heavy-work.js';
import { HttpAdapter } from './http-adapter.js';
import { ApiDescription } from './openapi/api-description.js';
import { serveDocs } from './openapi/serve-docs.js';
import { assignRequestId } from './request/request-id.js';
import { logRequests, nestLog } from './request/request-log.js';
import { ServerControl } from './server-control.js';

export interface ApiOptions {
  /** Opened and migrated; the caller closes it. */
  dataSource: PooledDataSource;
  /** What prevents the start of the database for as long as somebody has to act, if that is known. */
  startError?: () => string | undefined;
  env: ApiEnv;
  /** Stops the process; by default by a SIGTERM to itself, which it handles like one from outside. */
  stop?: () => void;
  /** How long `POST /job/create` waits for a worker to claim the job. */
  claimWaitMs?: number;
  /** Default: warnings and errors, as JSON on stdout. */
  log?: Logger;
}

export interface ApiEnv extends Pick<Env, 'host' | 'port' | 'apiKeys' | 'confFile'> {
  /** Further names in Host headers of a server without keys; `*` for any. */
  readonly allowedHosts?: readonly string[];
  /** Requests a second of one client; bursts of twice as many are allowed. */
  readonly requestRate?: number;
  readonly waitingJobsPerKey?: number;
  /** MiB. */
  readonly searchCache?: number;
  readonly connections?: ConnectionLimits;
  /** Limits of simultaneous large answers. */
  readonly streams?: StreamLimits;
  /** Time after which a client that does not read its answer is disconnected, ms. */
  readonly maxSilenceMs?: number;
  readonly pluginDir?: string | undefined;
  readonly heavyLimits?: HeavyLimits;
  /** Plain changes of configurations a second of one client that the API makes itself. */
  readonly lightChanges?: number;
  /** Whether a process for heavy requests is started before one is needed. */
  readonly keepWarm?: boolean;
}

/** Options from which the providers of the API are created. */
export type ProviderOptions = Pick<ApiOptions, 'dataSource' | 'startError' | 'stop' | 'claimWaitMs'> & {
  readonly env: Pick<ApiEnv, 'streams' | 'waitingJobsPerKey' | 'searchCache'>;
  /** Content of CONF_FILE. */
  readonly overlay: Params;
  /** Whether another process has checked it. */
  readonly isChecked?: boolean;
};

export interface RunningApi {
  /** `http://127.0.0.1:8081` */
  url: string;
  /** Accepts no new requests, waits at most 5 s for running ones, and closes. The data source stays open. */
  close(): Promise<void>;
}

/** The known client of 1.x fails when it finds a job IDLE: a machine that is busy for seconds must not end its crawl. */
const DEFAULT_CLAIM_WAIT_MS = 5_000;
const GRACE_MS = 5_000;

/** Starts the API. Rejects with the error of `listen` when the port is taken, and with a clear Error for a bad CONF_FILE. */
export async function startApi(options: ApiOptions): Promise<RunningApi> {
  const { env } = options;
  const log = options.log ?? makeLog('api', { level: 'warn' });
  const overlay = env.confFile ? readConfFile(env.confFile) : {};
  const processes: HeavyProcesses = new HeavyProcesses(
    () => heavyStart(options, { overlay, port: providers.server.port, logLevel: log.level }),
    env.heavyLimits,
  );
  const { providers, queue } = await createProviders(
    { ...options, overlay },
    new HeavyWork(processes, env.lightChanges),
  );
  try {
    await providers.metrics.begin();
    const app = await makeApp(providers, env, log);
    await app.listen(env.port, env.host);
    const api = running(app, providers, queue);
    if (env.keepWarm) processes.keepWarm();
    return api;
  } catch (error) {
    await queue.close();
    throw error;
  }
}

/** Creates the providers that the resources share; the caller closes the queue. */
export async function createProviders(
  { dataSource, startError, env, overlay, isChecked, stop, claimWaitMs }: ProviderOptions,
  heavy: HeavyWork,
): Promise<{ providers: ApiProviders; queue: JobQueue }> {
  const database = new Database(dataSource, startError);
  const queue = await JobQueue.open(database.pool, { maintain: false, onError: () => undefined });
  const providers: ApiProviders = {
    database,
    confs: new ConfStore(dataSource, { overlay, check: checkConf, isChecked }),
    seeds: new SeedListStore(dataSource),
    jobs: new JobStore(database.pool, queue),
    searcher: new Searcher(database.pool, 1_048_576 * (env.searchCache ?? DEFAULT_SEARCH_CACHE)),
    server: new ServerControl(stop ?? (() => process.kill(process.pid, 'SIGTERM'))),
    metrics: new Metrics(database),
    streams: new AnswerStreams(env.streams),
    description: new ApiDescription(),
    claimWait: new ClaimWait(claimWaitMs ?? DEFAULT_CLAIM_WAIT_MS),
    limits: new WaitingLimits(env.waitingJobsPerKey ?? DEFAULT_WAITING_JOBS_PER_KEY),
    heavy,
  };
  return { providers, queue };
}

function heavyStart(
  { dataSource, env }: ApiOptions,
  more: Pick<HeavyStart, 'overlay' | 'port' | 'logLevel'>,
): HeavyStart {
  const { pluginDir, waitingJobsPerKey = DEFAULT_WAITING_JOBS_PER_KEY } = env;
  return { databaseUrl: dataSource.url, pluginDir, waitingJobsPerKey, ...more };
}

/** The application without the middleware before its routes. */
export function bareApp(providers: ApiProviders, log: Logger, adapter = new HttpAdapter()): Promise<INestApplication> {
  return NestFactory.create(ApiModule.with(providers), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: nestLog(log),
  });
}

/** The application, complete but not listening. */
export async function makeApp(providers: ApiProviders, env: ApiEnv, log: Logger): Promise<INestApplication> {
  const adapter = new HttpAdapter(env.connections, env.maxSilenceMs);
  const app = await bareApp(providers, log, adapter);
  const rate = env.requestRate ?? DEFAULT_REQUEST_RATE;
  const { host, apiKeys: keys, allowedHosts = [] } = env;
  const { registry } = providers.metrics;
  const control = accessControl({ host, keys, allowedHosts, dashboardPaths: dashboardPaths(), rate, burst: 2 * rate });
  app.use(assignRequestId, logRequests(log), securityHeaders, watchRequests(registry), control, limitConnections);
  const { connections, answers } = adapter;
  watchServer(registry, {
    connections,
    answers,
    streams: providers.streams.semaphore,
    pool: providers.database.pool,
    heavy: providers.heavy.processes,
  });
  serveDocs(app, providers.description.document);
  return app;
}

function running(app: INestApplication, providers: ApiProviders, queue: JobQueue): RunningApi {
  const server = app.getHttpServer() as import('node:http').Server;
  const { address, port, family } = server.address() as AddressInfo;
  providers.server.port = port;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`,
    async close() {
      const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      server.closeIdleConnections();
      await app.close();
      clearTimeout(cut);
      providers.heavy.processes?.close();
      await queue.close();
    },
  };
}
