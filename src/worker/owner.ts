/**
 * The owner of a task: one process of one boot of one machine, so that the tasks of dead processes are recognized at once.
 * Containers may share a host name and number their processes alike; their process id namespaces distinguish them.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** No file handle is left: that says nothing about the process in question. */
const NO_HANDLES = new Set<unknown>(['EMFILE', 'ENFILE']);

/** The result of `read`, or '0' where the system does not provide it (no /proc). */
function readOr(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (NO_HANDLES.has((error as NodeJS.ErrnoException).code)) throw error;
    return '0';
  }
}

const bootId = readOr(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8));
const namespace = readOr(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''));
const machine = `${hostname()}/${bootId}/${namespace}`;

/**
 * State and start time of a process, in clock ticks since boot, so that a reused process id is not taken for the old process;
 * null if /proc does not show it: there is none, the process has ended, or it belongs to another user and is hidden
 * (`hidepid`).
 */
function statOf(pid: number): { state: string; started: string } | null {
  const stat = readOr(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.length < 20 ? null : { state: fields[0]!, started: fields[19]! };
}

const idOf = (pid: number): string => `${pid}/${statOf(pid)?.started ?? '0'}`;

/** Machine, the server that started this process, and the process itself: id and start time of each. */
export const thisOwner = (): string => `${machine}/${idOf(process.ppid)}/${idOf(process.pid)}`;

/** This process as a server: the server part of the workers that it has started. */
export const thisServer = (): string => `${machine}/${idOf(process.pid)}`;

/** The server part of an owner: the same for all workers that one server has started. */
export const serverOf = (owner: string): string => owner.split('/').slice(0, -2).join('/');

/** Whether an owner was a process of this machine that has ended. Processes of an unknown machine count as alive. */
export const isDead = (owner: string): boolean => hasEnded(owner, -2);

/** Whether the server that had started an owner has ended too: then both were ended from outside, not by a task. */
export const isDeadWithServer = (owner: string): boolean => isDead(owner) && hasEnded(owner, -4);

/** Whether the process whose id and start time are at this index (from the end) has ended. */
function hasEnded(owner: string, at: number): boolean {
  if (!owner.startsWith(`${machine}/`)) return false;
  const [pid, started] = owner.split('/').slice(at);
  const stat = statOf(Number(pid));
  // A zombie has ended: if no parent collects it (a container whose first process is ours) it stays listed.
  return stat ? stat.started !== started || stat.state === 'Z' || stat.state === 'X' : !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
