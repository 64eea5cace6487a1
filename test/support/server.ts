import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { inherited } from './environment.js';
import { temporaryFolder } from './folders.js';

/** The built program as a real process: started, waited for, stopped, killed. */

export interface ServerOptions {
  /** An existing folder; a temporary one, removed by `stop`, when missing. */
  readonly dataDir?: string;
  /** Given: no embedded PostgreSQL. */
  readonly databaseUrl?: string;
  /** Further variables; PORT is 0 (a free one) unless given. */
  readonly env?: Record<string, string>;
  readonly args?: readonly string[];
  /** Starts it where it sees neither processes nor shared memory of others; for root. */
  readonly inContainer?: boolean;
  /** How many files the program may have open (`ulimit -n`). */
  readonly openFiles?: number;
}

/** How a program that ended has ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Server {
  /** Base URL without a slash at the end. */
  readonly url: string;
  readonly pid: number;
  readonly dataDir: string;
  readonly output: () => string;
  readonly ended: Promise<Ended>;
  /** SIGTERM, and waits for the end; removes the temporary data directory. */
  stop(): Promise<Ended>;
  /**
   * SIGKILL, and waits for the end: `main` alone, its process `group`, or `tree`: main, workers and the postmaster, so
   * that database backends are left orphaned.
   */
  kill9(what?: 'main' | 'group' | 'tree'): Promise<Ended>;
}

const PROGRAM = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

/** What stands before a command to give it pids and shared memory of its own, as a container has. */
export const CONTAINER = ['unshare', '-p', '-f', '--mount-proc', '-i'] as const;

/** Starts the program and waits for its ready line. Rejects with its output when it ends before that. */
export async function startServer(options: ServerOptions = {}): Promise<Server> {
  const temporary = options.dataDir ? undefined : await temporaryFolder();
  const dataDir = options.dataDir ?? temporary?.path ?? '';
  const { child, ended, output } = launch({ ...options, dataDir });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const ready = /ready: (\S+)\/docs/.exec(output())?.[1];
      if (ready) resolve(ready);
    });
    void ended.then((end) => reject(new Error(`the server ended (${end.code ?? end.signal}):\n${output()}`)));
  });
  const pid = child.pid ?? 0;
  return {
    url,
    pid,
    dataDir,
    output,
    ended,
    stop: async () => {
      // The program stands behind `unshare`, which leaves the signal to it.
      if (options.inContainer && child.exitCode === null && child.signalCode === null) process.kill(-pid, 'SIGTERM');
      else child.kill('SIGTERM');
      const end = await ended;
      await temporary?.remove();
      return end;
    },
    kill9: async (what = 'main') => {
      for (const victim of await victims(pid, what)) process.kill(victim, 'SIGKILL');
      return ended;
    },
  };
}

/** Runs the program until it ends by itself: for commands and for starts that must fail. */
export async function runProgram(options: ServerOptions & { dataDir: string }): Promise<Ended> {
  return launch(options).ended;
}

function launch(options: ServerOptions & { dataDir: string }) {
  if (!existsSync(PROGRAM)) throw new Error('the program is not built: npm run build');
  const [command = '', ...args] = [
    ...(options.inContainer ? CONTAINER : []),
    ...(options.openFiles === undefined ? [] : ['prlimit', `--nofile=${options.openFiles}:${options.openFiles}`]),
    process.execPath,
    PROGRAM,
    ...(options.args ?? []),
  ];
  const child = spawn(command, args, {
    env: environment(options),
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const text = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()));
  const ended = whenEnded(child, () => text);
  return { child, ended, output: () => text.stdout + text.stderr };
}

/** `exit`, not `close`: an orphan that survives its parent may hold the pipes open. */
function whenEnded(child: ChildProcess, text: () => { stdout: string; stderr: string }): Promise<Ended> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => setTimeout(() => resolve({ code, signal, ...text() }), 50));
  });
}

function environment(options: ServerOptions & { dataDir: string }): NodeJS.ProcessEnv {
  return {
    ...inherited(),
    PORT: '0',
    WORKERS: '1',
    LOG_LEVEL: 'warn',
    DATA_DIR: options.dataDir,
    ...(options.databaseUrl && { DATABASE_URL: options.databaseUrl }),
    ...options.env,
  };
}

async function victims(pid: number, what: 'main' | 'group' | 'tree'): Promise<number[]> {
  if (what === 'group') return [-pid];
  return what === 'main' ? [pid] : [pid, ...(await childrenOf(pid))];
}

/** Direct children by /proc (Linux); elsewhere none are found and only the main process dies. */
async function childrenOf(pid: number): Promise<number[]> {
  const children: number[] = [];
  for (const name of await readdir('/proc').catch(() => [])) {
    if (!/^\d+$/.test(name)) continue;
    const status = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const parent = status.slice(status.lastIndexOf(')') + 2).split(' ')[1];
    if (Number(parent) === pid) children.push(Number(name));
  }
  return children;
}
