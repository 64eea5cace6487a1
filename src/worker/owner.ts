/**
 * Who holds a task: one process of one boot of one machine, so that the tasks of dead processes can be told at once.
 * Containers may share a host name and number their processes alike; their process id namespaces tell them apart.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/** No file handle is left: that says nothing of whom it was asked about. */
const ASK_LATER = new Set<unknown>(['EMFILE', 'ENFILE']);

/** What `read` answers, or '0' where the system does not tell (no /proc). */
function told(read: () => string): string {
  try {
    return read();
  } catch (error) {
    if (ASK_LATER.has((error as NodeJS.ErrnoException).code)) throw error;
    return '0';
  }
}

const bootId = told(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8));
const namespace = told(() => readlinkSync('/proc/self/ns/pid').replace(/\D/g, ''));
const machine = `${hostname()}/${bootId}/${namespace}`;

/**
 * Start time of a process in clock ticks since boot, so that a reused process id is not taken for the old process; null
 * when it has ended. A zombie has: where nobody collects it (a container whose first process is ours) it stays listed.
 */
function startedAt(pid: number): string | null {
  const stat = told(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.length < 20 || fields[0] === 'Z' || fields[0] === 'X' ? null : fields[19]!;
}

/** Whether this machine tells of its processes in /proc. */
const hasProc = startedAt(process.pid) !== null;

const idOf = (pid: number): string => `${pid}/${startedAt(pid) ?? '0'}`;

/** Machine, the server that started this process, and the process itself: id and start time of each. */
export const thisOwner = (): string => `${machine}/${idOf(process.ppid)}/${idOf(process.pid)}`;

/** The server part of an owner: the same for all workers that one server has started. */
export const serverOf = (owner: string): string => owner.split('/').slice(0, -2).join('/');

/** Whether an owner was a process of this machine that has ended. An unknown machine's processes count as living. */
export const isDead = (owner: string): boolean => hasEnded(owner, -2);

/** Whether the server that had started an owner has ended, too: then somebody ended both, and no task did. */
export const isDeadWithServer = (owner: string): boolean => isDead(owner) && hasEnded(owner, -4);

/** Whether the process whose id and start time stand at this place (from the end) has ended. */
function hasEnded(owner: string, place: number): boolean {
  if (!owner.startsWith(`${machine}/`)) return false;
  const [pid, started] = owner.split('/').slice(place);
  return hasProc ? startedAt(Number(pid)) !== started : !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
