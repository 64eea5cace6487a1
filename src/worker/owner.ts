/**
 * The owner of a task: one process of one boot of one machine, so that the tasks of dead processes are recognized at once.
 * Containers may share a host name and number their processes alike; their process id namespaces distinguish them.
 */
import { hostname } from 'node:os';
import { bootId, isRunning, pidNamespace, processStat } from '../db/process-identity.js';

const boot = bootId()?.slice(0, 8) ?? '0';
const namespace = pidNamespace()?.replace(/\D/g, '') ?? '0';
const machine = `${hostname()}/${boot}/${namespace}`;

const idOf = (pid: number): string => `${pid}/${processStat(pid)?.started ?? '0'}`;

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
  const stat = processStat(Number(pid));
  return stat ? stat.started !== started || stat.hasEnded : !isRunning(Number(pid));
}
