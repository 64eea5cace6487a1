/** Who holds a task: one process of one boot of one machine, so that the tasks of dead processes can be told at once. */
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const bootId = (): string => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim().slice(0, 8);
  } catch {
    return 'boot';
  }
};

/** Start time of a process in clock ticks since boot, so that a reused process id is not taken for the old process. */
function startedAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

const machine = `${hostname()}/${bootId()}`;

export const thisOwner = (): string => `${machine}/${process.pid}/${startedAt(process.pid) ?? '0'}`;

/** Whether an owner was a process of this machine that has ended. An unknown machine's processes count as living. */
export function isDead(owner: string): boolean {
  if (!owner.startsWith(`${machine}/`) || owner === thisOwner()) return false;
  const [pid, started] = owner.slice(machine.length + 1).split('/');
  const now = startedAt(Number(pid));
  return now === undefined ? !process.platform.startsWith('win') && !isAlive(Number(pid)) : now !== started;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
