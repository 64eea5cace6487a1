/**
 * A server for the duration of one command: database, API on a free port of loopback, and workers, all children of this
 * process and silent. Without a data directory of its own everything is in a temporary one and deleted at the end.
 */
import { chmod, lstat, mkdtemp, readlink, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { startApi } from '../api/server.js';
import { makeLog } from '../conf/log.js';
import { openDatabase } from './database.js';
import { StartError } from '../core/start-error.js';
import { startPlugins } from '../plugin/external.js';
import { WORKER_GRACE_MS, startWorkers } from './workers.js';

export interface LocalServerOptions {
  /** Kept; default: a temporary folder. */
  readonly dataDir?: string | undefined;
  /** Default: the number of cores, at most 4. */
  readonly workers?: number | undefined;
  /** Port of the API; default: a free one. */
  readonly port?: number | undefined;
}

export interface LocalServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Ends workers, API and database, in this order, and removes a temporary folder. Safe to call twice. */
  stop(): Promise<void>;
}

/** @throws StartError if the data directory is in use, the database does not start, … */
export async function startLocalServer(options: LocalServerOptions = {}): Promise<LocalServer> {
  const closing: (() => Promise<void>)[] = [];
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= closeAll(closing));
  try {
    // The workers inherit the variable, and all processes must know the same plugins.
    await startPlugins(process.env['PLUGIN_DIR'], (line) => void process.stderr.write(`orbweaver: ${line}\n`));
    const dataDir = options.dataDir ? resolve(options.dataDir) : await temporaryFolder(closing);
    const database = await openDatabase({ databaseUrl: undefined, dataDir }, () => undefined, lost, !!options.dataDir);
    closing.push(database.close);
    const env = {
      host: '127.0.0.1',
      port: options.port ?? 0,
      apiKeys: [],
      confFile: undefined,
      requestRate: 10_000,
      pluginDir: process.env['PLUGIN_DIR'],
    };
    const log = makeLog('api', { level: 'silent' });
    const api = await startApi({ dataSource: database.dataSource, env, log });
    closing.push(() => api.close());
    const workers = startWorkers({
      databaseUrl: database.url,
      db: database.dataSource.pool,
      workers: options.workers ?? Math.min(4, availableParallelism()),
      apiPort: Number(new URL(api.url).port),
      logs: { to: 'ignore', level: 'silent' },
      log: () => undefined,
    });
    closing.push(() => workers.stop(WORKER_GRACE_MS));
    return { url: api.url, stop };
  } catch (error) {
    await stop();
    throw portProblem(options.port, error) ?? error;
  }
}

function portProblem(port: number | undefined, error: unknown): StartError | undefined {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall !== 'listen') return undefined;
  const where = `port ${port} of 127.0.0.1`;
  if (code === 'EADDRINUSE') return new StartError('port', `${where} is in use: stop that program or take another`);
  if (code === 'EACCES') return new StartError('port', `${where} is not allowed for this user: take one above 1023`);
  return undefined;
}

/** The last opened first; if one does not close, the others are closed all the same. */
async function closeAll(closing: (() => Promise<void>)[]): Promise<void> {
  for (const close of closing.splice(0).reverse()) await close().catch(() => undefined);
}

function lost(error: Error): never {
  process.stderr.write(`orbweaver: the database is lost: ${error.message}\n`);
  return process.exit(new StartError('database', '').exitCode);
}

/** Readable by the user of PostgreSQL when we are root; PostgreSQL itself closes the folders inside. */
async function temporaryFolder(closing: (() => Promise<void>)[]): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'orbweaver-'));
  closing.push(async () => {
    const link = await lstat(join(path, 'postgres')).catch(() => undefined);
    // If the folder is closed to that user the data are elsewhere, in a folder of their own.
    if (link?.isSymbolicLink())
      await rm(dirname(await readlink(join(path, 'postgres'))), { recursive: true, force: true });
    await rm(path, { recursive: true, force: true, maxRetries: 3 });
  });
  await chmod(path, 0o755);
  return path;
}
