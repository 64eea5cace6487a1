/**
 * The included PostgreSQL, for users who have not set DATABASE_URL. It is a real server on real files: lock the data
 * directory, find a folder that the server's user can reach, end processes of an earlier server, create the cluster if
 * there is none, start it, and restart it when it ends. It listens on a unix socket in a private folder and nowhere else; the
 * connection string is in DATA_DIR/postgres.url.
 */
import { mkdir, readFile, realpath, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { forgetClientEnvironment } from './client-environment.js';
import { createCluster, removeDrafts, writeSettings } from './cluster.js';
import { isHeld } from './dead-sockets.js';
import { endLeftovers } from './leftovers.js';
import { type DataDirLock, lockDataDir } from './lock.js';
import { findLocation, type ClusterLocation } from './location.js';
import { adminUrl, type RunFiles, type Postmaster, PostmasterFailure, startPostmaster } from './postmaster.js';
import { serverSettings } from './settings.js';
import { keepSocket, makeSocketFolder, newSocketFolder, socketIn } from './socket.js';
import { StartError } from '../../core/start-error.js';
import { availableMemory } from '../available-memory.js';

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Called with one line per noteworthy event, with a level if something is wrong; silent by default. */
  readonly log?: (line: string, level?: 'error') => void;
  /** false: no fsync, for throw-away clusters of tests. */
  readonly durable?: boolean;
  /** Maximum number of connections; default 100. */
  readonly connections?: number;
  /** Called when the server died and could not be started again. */
  readonly onLost?: (error: Error) => void;
}

export interface EmbeddedServer {
  /** Connection string of database `orbweaver` as its owner, who is no superuser. */
  readonly url: string;
  /** Connection string of database `postgres` as superuser. */
  readonly adminUrl: string;
  /** The PostgreSQL data directory, symbolic links resolved. */
  readonly pgData: string;
  /** What prevents its start for as long as somebody has to act, in a sentence without an end; undefined if nothing does. */
  startError(): string | undefined;
  /** Shuts the server down and releases the data directory; safe to call twice. */
  stop(): Promise<void>;
}

const DATABASE = 'orbweaver';
/** How long a server that cannot start for a passing reason is started again, and the pause before each attempt. */
const MAX_START_MS = 60_000;
const START_RETRY_MS = 200;
/** Restarts in a row of a server that ended, and the pauses before them, which double. */
const RESTARTS = 5;
const FIRST_RESTART_PAUSE_MS = 250;
const MAX_RESTART_PAUSE_MS = 8_000;
const WAL_SEGMENT_MIB = 16;

/**
 * Starts the embedded server of a data directory and waits until its database can be used.
 * @throws StartError `dataDirInUse` (a running server uses it), `dataDir` (another version, unreachable, unwritable) or
 * `database` (PostgreSQL itself refuses).
 */
export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedServer> {
  forgetClientEnvironment();
  const log = options.log ?? (() => undefined);
  const dataDir = await writableFolder(resolve(options.dataDir));
  const lock = await lockDataDir(dataDir).catch((error: unknown) => {
    throw outOfDisk(error, dataDir) ?? error;
  });
  let socketFolder: string | undefined;
  let first: Postmaster | undefined;
  try {
    const location = await findLocation(dataDir, log);
    await removeDrafts(location);
    if (!(await stat(location.pgData).catch(() => undefined))) await createCluster(location, options.durable ?? true);
    const { durable = true, connections } = options;
    await writeSettings(location, serverSettings({ memoryBytes: availableMemory(), durable, connections }));
    await removeOldSocket(dataDir);
    socketFolder = await newSocketFolder(location, dataDir);
    const folder = socketFolder;
    const files = { socketFolder: folder, logFile: join(dataDir, 'postgres.log'), fifoFd: lock.fifoFd };
    const start = (): Promise<Postmaster> => startAfterLeftovers(location, files, log);
    first = await start();
    const url = `postgresql://${DATABASE}@localhost/${DATABASE}?host=${encodeURIComponent(folder)}`;
    await createDatabase(adminUrl(folder, 'postgres'));
    await publish(dataDir, url);
    const supervised = supervise(first, start, {
      log,
      lost: options.onLost ?? (() => undefined),
      pgData: location.pgData,
      isFull: () => isFull(location.pgData),
      isReachable: () => keepSocket(folder),
      socket: socketIn(folder),
      closed: async () => {
        await rm(join(dataDir, 'postgres.url'), { force: true });
        await release(lock, folder);
      },
    });
    return { url, adminUrl: adminUrl(folder, 'postgres'), pgData: location.pgData, ...supervised };
  } catch (error) {
    await first?.stop();
    await release(lock, socketFolder);
    throw outOfDisk(error, dataDir) ?? error;
  }
}

/** Ends leftover processes and starts; retried for a minute while an earlier server still locks the directory. */
async function startAfterLeftovers(
  location: ClusterLocation,
  files: RunFiles,
  log: (line: string) => void,
): Promise<Postmaster> {
  const begin = performance.now();
  for (;;) {
    await endLeftovers(location.pgData, log);
    await refuseGone(location.pgData);
    // The folder itself may have been lost.
    await makeSocketFolder(files.socketFolder, location.account);
    try {
      return await startPostmaster(location, files, log);
    } catch (error) {
      if (!(error instanceof PostmasterFailure)) throw error;
      if (!error.passing || performance.now() - begin > MAX_START_MS) {
        throw new StartError('database', `${error.message} (see ${files.logFile})`);
      }
      await sleep(START_RETRY_MS);
    }
  }
}

/** A restart without its files would make only a socket folder there, and name one of PostgreSQL's files as the reason. */
async function refuseGone(pgData: string): Promise<void> {
  if (await exists(join(pgData, 'PG_VERSION'))) return;
  throw new StartError(
    'dataDir',
    `the database in ${pgData} is gone: mount its disk or restore a backup, and start again; a start without it makes an empty database`,
  );
}

interface Upkeep {
  readonly log: (line: string, level?: 'error') => void;
  readonly lost: (error: Error) => void;
  readonly closed: () => Promise<void>;
  readonly pgData: string;
  /** Whether the disk of the data is full. */
  readonly isFull: () => Promise<boolean>;
  /** Whether its socket is where it was made. */
  readonly isReachable: () => Promise<boolean>;
  readonly socket: string;
}

/** How often the socket is checked, ms. */
const LOOK_MS = 1_000;

/** Ends a server whose socket is gone: no client can reach it any more. Returns a function that ends the checks. */
function endUnreachable(server: Postmaster, upkeep: Upkeep): () => void {
  const timer = setInterval(() => {
    void upkeep.isReachable().then((isReachable) => {
      if (isReachable || over) return;
      end();
      upkeep.log(
        `the socket of PostgreSQL, ${upkeep.socket}, was removed (by a cleaner of old files?): PostgreSQL is started again`,
        'error',
      );
      void server.stop();
    });
  }, LOOK_MS);
  let over = false;
  const end = (): void => {
    over = true;
    clearInterval(timer);
  };
  return end;
}

/** Restarts the server when it ends or loses its socket: RESTARTS times in a row, more while its disk is full. */
function supervise(
  first: Postmaster,
  start: () => Promise<Postmaster>,
  upkeep: Upkeep,
): Pick<EmbeddedServer, 'startError' | 'stop'> {
  let stopping = false;
  let startError: string | undefined;
  let endLooking: () => void = () => undefined;
  let current: Promise<Postmaster> = Promise.resolve(first);
  const again = async (failures: number, attempts = 0): Promise<Postmaster> => {
    await sleep(Math.min(MAX_RESTART_PAUSE_MS, FIRST_RESTART_PAUSE_MS * 2 ** attempts));
    try {
      return await start();
    } catch (error) {
      if (error instanceof StartError && error.failure === 'dataDir') throw error;
      const full = await upkeep.isFull();
      if (stopping || (failures + 1 >= RESTARTS && !full)) throw error;
      // A full disk is no failure of the server: it starts when space was freed, however long that takes.
      startError = full
        ? `PostgreSQL does not start while the disk of ${upkeep.pgData} is full: free at least ${WAL_SEGMENT_MIB} MiB there`
        : undefined;
      if (startError !== undefined) upkeep.log(startError, 'error');
      return again(full ? failures : failures + 1, attempts + 1);
    }
  };
  const watch = async (server: Postmaster): Promise<void> => {
    endLooking = endUnreachable(server, upkeep);
    await server.ended;
    endLooking();
    if (stopping) return;
    upkeep.log('PostgreSQL ended unexpectedly; starting it again', 'error');
    current = again(0);
    await current.then(
      (next) => {
        startError = undefined;
        upkeep.log('PostgreSQL runs again');
        return watch(next);
      },
      (error: Error) => stopping || upkeep.lost(error),
    );
  };
  void watch(first);
  let done: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    stopping = true;
    endLooking();
    await current.then(
      (server) => server.stop(),
      () => undefined,
    );
    await upkeep.closed();
  };
  return { startError: () => startError, stop: () => (done ??= stop()) };
}

/** The application's role owns its database and is no superuser: SQL of the application has no access to files or programs. */
async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // Between two statements nobody else listens; the next one fails.
  client.on('error', () => undefined);
  await client.connect();
  try {
    const role = await client.query('select 1 from pg_roles where rolname = $1', [DATABASE]);
    if (role.rowCount === 0) await client.query(`create role ${DATABASE} login in role pg_monitor, pg_checkpoint`);
    const database = await client.query('select 1 from pg_database where datname = $1', [DATABASE]);
    if (database.rowCount === 0) await client.query(`create database ${DATABASE} owner ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/**
 * Removes the socket folder of a server that was killed; its name is in the connection string that it left. In a copy of the data
 * of a running server it is that server's, and stays.
 */
async function removeOldSocket(dataDir: string): Promise<void> {
  const url = await readFile(join(dataDir, 'postgres.url'), 'utf8').catch(() => '');
  const folder = decodeURIComponent(/[?&]host=([^&\s]+)/.exec(url)?.[1] ?? '');
  if (!/^orbweaver-\w{6}$/.test(basename(folder)) || (await isHeld(folder))) return;
  await rm(folder, { recursive: true, force: true });
}

async function publish(dataDir: string, url: string): Promise<void> {
  const target = join(dataDir, 'postgres.url');
  await writeFile(`${target}.new`, `${url}\n`, { mode: 0o600 });
  await rename(`${target}.new`, target);
}

/** Creates the folder and tries to write there. Returns its real path: one folder has one lock and one cluster name. */
async function writableFolder(dataDir: string): Promise<string> {
  try {
    await makeFolders(dataDir);
    const probe = join(dataDir, `.writable.${process.pid}`);
    await writeFile(probe, '');
    await rm(probe, { force: true });
    return await realpath(dataDir);
  } catch (error) {
    throw unwritable(error, dataDir);
  }
}

/** Creates a folder and those above it. `mkdir` with `recursive` does not return below /proc, where each attempt is ENOENT. */
async function makeFolders(path: string): Promise<void> {
  const missing: string[] = [];
  for (let at = path; !(await exists(at)); at = dirname(at)) missing.unshift(at);
  for (const folder of missing)
    await mkdir(folder).catch((error: NodeJS.ErrnoException) => {
      // Another start may have created it.
      if (error.code !== 'EEXIST') throw error;
    });
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

function unwritable(error: unknown, dataDir: string): StartError {
  const { code } = error as NodeJS.ErrnoException;
  return new StartError('dataDir', `cannot write to the data directory ${dataDir} (${code})`);
}

/** Reports a disk that is full or read-only in one line, at any step of the start. */
function outOfDisk(error: unknown, dataDir: string): StartError | undefined {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return ['ENOSPC', 'EDQUOT', 'EROFS'].includes(code) ? unwritable(error, dataDir) : undefined;
}

async function release(lock: DataDirLock, socketFolder: string | undefined): Promise<void> {
  if (socketFolder) await rm(socketFolder, { recursive: true, force: true });
  lock.release();
}

/**
 * PostgreSQL does not start without space for a segment of its WAL. Its message about that may not fit on the disk either.
 */
async function isFull(folder: string): Promise<boolean> {
  // A folder that is gone is reported by the next attempt.
  const disk = await statfs(folder).catch(() => undefined);
  return disk !== undefined && disk.bavail * disk.bsize < WAL_SEGMENT_MIB * 1024 * 1024;
}
