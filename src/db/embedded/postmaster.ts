/**
 * One run of the PostgreSQL server process. It is our direct child in a session of its own, so that Ctrl-C in a terminal
 * reaches us and not it. A watcher has the other end of a pipe to us: when we are killed (kill -9), the pipe
 * closes and the watcher requests a fast shutdown of PostgreSQL, so that no database runs without its server.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { identity } from './binaries.js';
import { clusterName } from './leftovers.js';
import type { ClusterLocation } from './location.js';
import { keepSocket } from './socket.js';

export interface Postmaster {
  /** Resolves when the process has ended, for whatever reason. */
  readonly ended: Promise<void>;
  /** Fast shutdown; immediate after QUIT_AFTER_MS, kill after KILL_AFTER_MS. Resolves when the process has ended. */
  stop(): Promise<void>;
}

/** The server process ended before it was ready; `reason` is its last error. */
export class PostmasterFailure extends Error {
  constructor(readonly reason: string) {
    super(`PostgreSQL did not start: ${reason}`);
    this.name = 'PostmasterFailure';
  }

  /**
   * Whether a retry may help: an earlier server still locks the data directory (lock file, shared memory), or the socket is
   * gone.
   */
  get passing(): boolean {
    return this.reason === SOCKET_LOST || /pre-existing shared memory|lock file .* already exists/.test(this.reason);
  }
}

/** Time after the request to end at which an immediate shutdown is requested, and at which the process is killed. */
const QUIT_AFTER_MS = 20_000;
const KILL_AFTER_MS = 30_000;

const SOCKET_LOST = 'its socket was removed';
/** Connection attempts after which a starting server has had time to make its socket. */
const LOOKS = 300;
/** Classes of SQLSTATE of a server that has started: pg_hba.conf, the role or the database was changed. */
const REFUSES = /^(28|3D)/;
const FATAL = /FATAL|PANIC|ERROR|error|cannot|not found/;
/** Lines that add to the one before them, or report no failure. */
const ADDED = / (DETAIL|HINT|CONTEXT|STATEMENT|LOG): /;
const LOG_LIMIT = 10 * 1024 * 1024;

// The subshell in the subshell is adopted by init, so that PostgreSQL never finds a child that it did not start.
const WATCHED = '( ( read -r _ <&3 || kill -INT $$ ) & ) </dev/null >/dev/null 2>&1; exec "$0" "$@" 3<&-';

/** The files of a run of the server. */
export interface RunFiles {
  readonly socketFolder: string;
  readonly logFile: string;
  /** The FIFO that its processes keep open as long as one of them runs (holder.ts). */
  readonly fifoFd?: number | undefined;
}

/** Starts the server on its socket's folder and waits until it is ready (crash recovery included). */
export async function startPostmaster(
  location: ClusterLocation,
  { socketFolder, logFile, fifoFd }: RunFiles,
  log: (line: string) => void,
): Promise<Postmaster> {
  const full = await stat(logFile).catch(() => undefined);
  if (full && full.size > LOG_LIMIT) await rename(logFile, `${logFile}.1`);
  const output = await open(logFile, 'a', 0o600);
  const begin = (await output.stat()).size;
  const child = spawn(
    '/bin/sh',
    ['-c', WATCHED, location.binaries.postgres, ...serverArguments(location.pgData, socketFolder)],
    {
      ...identity(location.account),
      cwd: '/',
      detached: true,
      env: serverEnvironment(),
      stdio: ['ignore', output.fd, output.fd, 'pipe', ...(fifoFd === undefined ? [] : [fifoFd])],
    },
  );
  const server = supervise(child);
  await output.close();
  await answer(server, socketFolder, () => lastError(logFile, begin), log);
  return server;
}

/** A superuser connection string for one of the cluster's databases. */
export function adminUrl(socketFolder: string, database: string): string {
  return `postgresql://postgres@localhost/${database}?host=${encodeURIComponent(socketFolder)}`;
}

/** Only what the server needs: no DATABASE_URL, no API_KEYS, no PG* variable of the operator's shell. */
export function serverEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '/usr/bin:/bin', LC_ALL: 'C' };
}

function serverArguments(pgData: string, socketFolder: string): string[] {
  const fixed = {
    listen_addresses: '',
    // A list: without quotes a comma in the path would end the first of two folders.
    unix_socket_directories: `"${socketFolder.replaceAll('"', '""')}"`,
    unix_socket_permissions: '0700',
    cluster_name: clusterName(pgData),
    logging_collector: 'off',
  };
  return ['-D', pgData, ...Object.entries(fixed).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function supervise(child: ChildProcess): Postmaster {
  const pipe = child.stdio[3] as NodeJS.WritableStream & { on(event: 'error', listener: () => void): unknown };
  pipe.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => {
      // The watcher ends on this line: it must not signal a pid that may belong to another process now.
      pipe.end('ended\n');
      resolve();
    });
  });
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    const timers = [
      setTimeout(() => child.kill('SIGQUIT'), QUIT_AFTER_MS),
      setTimeout(() => child.kill('SIGKILL'), KILL_AFTER_MS),
    ];
    await ended;
    timers.forEach(clearTimeout);
  };
  return { ended, stop };
}

async function answer(
  server: Postmaster,
  socketFolder: string,
  lastErrorOf: () => Promise<string>,
  log: (line: string) => void,
): Promise<void> {
  let over = false;
  void server.ended.then(() => (over = true));
  for (let tries = 1; ; tries += 1) {
    const refusal = await refusalOf(socketFolder);
    if (refusal === undefined) return;
    if (over) throw new PostmasterFailure(await lastErrorOf());
    const isLost = tries % LOOKS === 0 && !(await keepSocket(socketFolder));
    if (isLost || REFUSES.test(refusal.code ?? '')) {
      await server.stop();
      throw new PostmasterFailure(isLost ? SOCKET_LOST : refusal.message);
    }
    if (tries % LOOKS === 0)
      log(`PostgreSQL is still starting (recovery after a crash can take a while): ${refusal.message}`);
    await sleep(50);
  }
}

/** Why no superuser can connect yet; undefined if one can. */
async function refusalOf(socketFolder: string): Promise<(Error & { code?: string }) | undefined> {
  const client = new pg.Client({ connectionString: adminUrl(socketFolder, 'postgres') });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Why the server ended: the last fatal line that it wrote since byte `begin` of its log, with what it adds to that. */
async function lastError(logFile: string, begin: number): Promise<string> {
  return reasonIn((await readFile(logFile)).subarray(begin).toString('utf8').trim().split('\n'));
}

/** The last fatal line of PostgreSQL's output, with its DETAIL and HINT; of a bad file of settings, the line on its first error. */
export function reasonIn(lines: readonly string[]): string {
  const at = lines.findLastIndex((line) => FATAL.test(line) && !ADDED.test(line));
  const fatal = (lines[at] ?? lines.at(-1)) || 'no reason given';
  const first = fatal.endsWith('contains errors') ? lines.find((line) => line.includes(' LOG:')) : undefined;
  const begin = first === undefined ? at : lines.indexOf(first);
  const more = lines.slice(begin + 1);
  const end = more.findIndex((line) => !/ (DETAIL|HINT): /.test(line));
  return [first ?? fatal, ...more.slice(0, end < 0 ? more.length : end)]
    .map((line) => line.replace(/^.*?\b(FATAL|PANIC|ERROR|LOG|DETAIL|HINT):\s*/, '').replace(/\.$/, ''))
    .join('; ');
}
