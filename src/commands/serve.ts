/** Starts the processes of a role: database and migrations first, then the API, then the workers. */
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startApi } from '../api/server.js';
import { ConfRefused } from '../conf/conf-texts.js';
import { confFileNotices, readConfFile } from '../conf/conf-file.js';
import { refuseUnheededAuth } from '../conf/credentials.js';
import type { Env } from '../conf/env.js';
import { type LifeLog, makeLog } from '../conf/log.js';
import type { Params } from '../core/conf/properties.js';
import { StartError } from '../core/start-error.js';
import { startPlugins } from '../plugin/external.js';
import { tooFewConnections, tooFewFiles } from './connections.js';
import { type OpenedDatabase, openDatabase } from './database.js';
import { Shutdown } from './shutdown.js';
import { WORKER_GRACE_MS, startWorkers } from './workers.js';

const PORT_TRIES = 15;

/**
 * `orbweaver serve` and `orbweaver worker`: runs until a signal comes.
 * @throws StartError if something needed is missing or in use; everything opened so far is closed again.
 */
export async function serve(env: Env, log: LifeLog): Promise<void> {
  const shutdown = new Shutdown(log);
  shutdown.onSignals();
  // First of all: a CONF_FILE may set properties that plugins declare.
  await startPlugins(env.pluginDir, (line) => log(line, 'warn'));
  const overlay = readOverlay(env, log);
  if (env.role !== 'worker') await checkPort(env);
  try {
    const database = await openDatabase(env, log, (error) => abandon(error, log));
    shutdown.add('database', database.close);
    const complaint = await tooFewConnections(database.dataSource.pool, env);
    for (const line of [complaint, tooFewFiles(env)]) if (line !== undefined) log(line, 'warn');
    const url = env.role === 'worker' ? undefined : await openApi(env, database, shutdown);
    if (env.role !== 'api') {
      const workers = startWorkers({
        databaseUrl: database.url,
        db: database.dataSource.pool,
        workers: env.workers,
        role: env.role,
        // With PORT=0 the system has chosen one.
        apiPort: (url && Number(new URL(url).port)) || env.port,
        overlay,
        log,
      });
      shutdown.add('workers', () => workers.stop(WORKER_GRACE_MS));
      // So that the first job is claimed at once: some clients do not expect one to wait.
      await workers.ready;
    }
    log(url ? `ready: ${url}/docs` : `ready: ${env.workers} workers`);
  } catch (error) {
    await shutdown.close();
    throw error;
  }
}

async function openApi(env: Env, database: OpenedDatabase, shutdown: Shutdown): Promise<string> {
  try {
    const api = await startApi({
      dataSource: database.dataSource,
      startError: () => database.startError(),
      env: { ...env, keepWarm: true },
      log: makeLog('api', { level: env.logLevel, format: env.logFormat }),
    });
    shutdown.add('API', () => api.close());
    return api.url.replace(/\/$/, '');
  } catch (error) {
    // Values that the table of properties cannot check: expressions, and values of plugins.
    if (error instanceof ConfRefused)
      throw new StartError('environment', `CONF_FILE ${env.confFile}: ${error.message}`);
    throw portProblem(env, error) ?? error;
  }
}

/**
 * A port in use is found before a database is started for nothing. One of a server that was just killed is free a moment later,
 * so binding is retried for a while.
 */
async function checkPort(env: Env): Promise<void> {
  for (let tries = PORT_TRIES; ; tries -= 1) {
    const error = await bindOnce(env);
    if (!error) return;
    if (tries <= 1 || error.code !== 'EADDRINUSE') throw portProblem(env, error) ?? error;
    await sleep(100);
  }
}

function bindOnce(env: Env): Promise<NodeJS.ErrnoException | undefined> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', resolve);
    probe.listen(env.port, env.host, () => probe.close(() => resolve(undefined)));
  });
}

function portProblem(env: Env, error: unknown): StartError | undefined {
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  const where = `port ${env.port} of ${env.host}`;
  if (code === 'EADDRINUSE') return new StartError('port', `${where} is in use: stop that program or set PORT`);
  if (code === 'EACCES') return new StartError('port', `${where} is not allowed for this user: set PORT above 1023`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new StartError('port', `HOST=${env.host} is no address of this machine`);
  }
  // Names while the resolver does not answer, link-local addresses without a zone, IPv6 where the system has none.
  if (['getaddrinfo', 'listen', 'bind'].includes(syscall ?? ''))
    return new StartError('port', `HOST=${env.host} cannot be used: ${message}`);
  return undefined;
}

/** The content of CONF_FILE. A bad one is found before anything is started. */
function readOverlay(env: Env, log: LifeLog): Params {
  if (!env.confFile) return {};
  try {
    const params = readConfFile(env.confFile);
    if (env.role !== 'worker') refuseUnheededAuth(params, env.apiKeys);
    for (const notice of confFileNotices(env.confFile, params)) log(notice, 'warn');
    return params;
  } catch (error) {
    throw new StartError('environment', (error as Error).message);
  }
}

/** Without its database the server can only report that. */
function abandon(error: Error, log: LifeLog): never {
  log(`the database is lost: ${error.message}`, 'error');
  return process.exit(error instanceof StartError ? error.exitCode : new StartError('database', '').exitCode);
}
