/** What distinguishes a process from all others that had its id: start time, boot of the machine, process id namespace. */
import { readFileSync, readlinkSync } from 'node:fs';

/** No file handle is left: that says nothing about the process in question. */
const NO_HANDLES = new Set<unknown>(['EMFILE', 'ENFILE']);

/** The result of `read`; null where the system does not provide it (no /proc). */
function readOrNull(read: () => string): string | null {
  try {
    return read();
  } catch (error) {
    if (NO_HANDLES.has((error as NodeJS.ErrnoException).code)) throw error;
    return null;
  }
}

export const bootId = (): string | null =>
  readOrNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());

export const pidNamespace = (): string | null => readOrNull(() => readlinkSync('/proc/self/ns/pid'));

/**
 * Start time of a process, in clock ticks since boot (proc(5)), so that a reused process id is not taken for the old process.
 * A zombie has ended: if no parent collects it (a container whose first process is ours) it stays listed. Null if /proc does
 * not show the process: there is none, it has ended, or it belongs to another user and is hidden (`hidepid`).
 */
export function processStat(pid: number): { started: string; hasEnded: boolean } | null {
  const stat = readOrNull(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The command name in field 2 may contain blanks and parentheses: count from the last parenthesis.
  const [state = '', ...fields] = stat?.slice(stat.lastIndexOf(')') + 2).split(' ') ?? [];
  const started = fields[18];
  return started === undefined ? null : { started, hasEnded: state === 'Z' || state === 'X' };
}

/** Whether the system knows a process with this id, of any user. */
export function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}
