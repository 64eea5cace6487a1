/**
 * Processes of an earlier server. After kill -9 the postmaster of this data directory may still run, or it has ended
 * and backends outlive it; a new postmaster refuses to start beside either. They are recognized by their command lines alone
 * (the data directory, or the cluster's name in the process title), which any user may read, in containers too.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdir, readFile, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { StartError } from '../../core/start-error.js';
import { isRunning } from '../process-identity.js';

export interface ClusterProcess {
  readonly pid: number;
  readonly postmaster: boolean;
}

/** When each signal is sent, in milliseconds from the beginning. */
const SCHEDULE = { immediate: 20_000, kill: 40_000, giveUp: 60_000 } as const;

/** The name that every process of the cluster has in its title; made from the path of the data directory. */
export function clusterName(pgData: string): string {
  return `orbweaver-${createHash('sha256').update(pgData).digest('hex').slice(0, 12)}`;
}

/**
 * Ends all processes of this data directory, gently first: a postmaster gets SIGINT (fast shutdown), after 20 s SIGQUIT
 * and after 40 s SIGKILL; backends without a postmaster get SIGQUIT at once.
 * The caller has the lock of the data directory, so no live server loses its database here.
 * @throws StartError when something still runs after 60 s.
 */
export async function endLeftovers(pgData: string, log: (line: string) => void): Promise<void> {
  const begin = performance.now();
  const sent = new Map<number, NodeJS.Signals>();
  for (;;) {
    const left = await clusterProcesses(pgData);
    if (left.length === 0) break;
    const waited = performance.now() - begin;
    if (waited > SCHEDULE.giveUp) {
      const pids = left.map((process) => process.pid).join(', ');
      throw new StartError('dataDirInUse', `processes of an earlier PostgreSQL on ${pgData} do not end: pid ${pids}`);
    }
    if (sent.size === 0) log(`ending ${left.length} processes that an earlier server left on ${pgData}`);
    signalLeftovers(left, waited, sent);
    await sleep(50);
  }
  await dropForeignPid(pgData, log);
}

/** The live processes of the cluster on this data directory. */
export async function clusterProcesses(pgData: string): Promise<ClusterProcess[]> {
  const title = `postgres: ${clusterName(pgData)}: `;
  const processes: ClusterProcess[] = [];
  for (const { pid, words } of await commandLines()) {
    const directory = words.indexOf('-D');
    const postmaster = basename(words[0] ?? '') === 'postgres' && directory > 0 && words[directory + 1] === pgData;
    if (postmaster || words.join(' ').startsWith(title)) processes.push({ pid, postmaster });
  }
  return processes;
}

function signalLeftovers(left: ClusterProcess[], waited: number, sent: Map<number, NodeJS.Signals>): void {
  const headless = !left.some((process) => process.postmaster);
  for (const { pid, postmaster } of left) {
    // Backends are ended by their postmaster while there is one.
    if (!postmaster && !headless && waited < SCHEDULE.kill) continue;
    const polite = postmaster && waited < SCHEDULE.immediate;
    const signal = waited >= SCHEDULE.kill ? 'SIGKILL' : polite ? 'SIGINT' : 'SIGQUIT';
    if (sent.get(pid) === signal) continue;
    sent.set(pid, signal);
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself meanwhile, or we must not end it: the deadline decides.
    }
  }
}

/**
 * postmaster.pid of a killed server may name a pid that now belongs to some other program (in a container, very likely to
 * ourselves); PostgreSQL would take that for a running server. No process of the cluster is running, so the file is stale.
 */
async function dropForeignPid(pgData: string, log: (line: string) => void): Promise<void> {
  const file = join(pgData, 'postmaster.pid');
  const pid = Number((await readFile(file, 'utf8').catch(() => '')).split('\n')[0]);
  if (!isRunning(pid)) return; // PostgreSQL sees by itself that this one is gone
  log(`removing a stale postmaster.pid (pid ${pid} is not this database)`);
  await unlink(file).catch(() => undefined);
}

async function commandLines(): Promise<{ pid: number; words: string[] }[]> {
  if (process.platform !== 'linux') return commandLinesByPs();
  const lines: { pid: number; words: string[] }[] = [];
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const line = await readFile(join('/proc', name, 'cmdline'), 'utf8').catch(() => '');
    // A process title that PostgreSQL has overwritten ends in padding.
    const words = line.replace(/[\0 ]+$/, '').split('\0');
    lines.push({ pid: Number(name), words });
  }
  return lines;
}

async function commandLinesByPs(): Promise<{ pid: number; words: string[] }[]> {
  const { stdout } = await promisify(execFile)('ps', ['-axww', '-o', 'pid=,command=']);
  return stdout.split('\n').flatMap((line) => {
    const [, pid, command] = /^\s*(\d+)\s+(.*)$/.exec(line) ?? [];
    return pid && command ? [{ pid: Number(pid), words: command.split(' ') }] : [];
  });
}
