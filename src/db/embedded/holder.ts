import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, readFileSync, readlinkSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/**
 * Who holds a data directory, and whether that holder lives. In its own pid namespace a process is known by pid, start time
 * and boot of the machine: after a kill -9 the pid may belong to another process, the triple does not. Another container sees none
 * of that, and takes our pid for one of its own; so the holder also keeps a FIFO of the directory open. PostgreSQL inherits
 * it: nobody has it open for reading when the last process of holder and database is gone, however they went.
 */

/** A FIFO that its maker keeps open for reading. */
export interface SignOfLife {
  /** Its name in the data directory; "-" where none can be made. */
  readonly name: string;
  /** For children that the sign is to outlive us with. */
  readonly fd: number | undefined;
  /** Synchronous, so that an exit handler may call it. */
  end(): void;
}

export type Life = 'alive' | 'dead' | 'unknown';

const NO_SIGN: SignOfLife = { name: '-', fd: undefined, end: () => undefined };
const FIFO = /^server\.fifo\.[0-9a-f]+$/;

/** Makes the sign of life of a holder that is called `token`. File systems whose FIFOs cannot be made or opened, and systems without pid namespaces, have none. */
export async function makeSign(dataDir: string, token: string): Promise<SignOfLife> {
  if (pidNamespace() === '-') return NO_SIGN;
  const name = `server.fifo.${token}`;
  const path = join(dataDir, name);
  let fd: number;
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', path]);
    // Without O_NONBLOCK this would wait for a writer.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    removeSign(dataDir, name);
    return NO_SIGN;
  }
  const end = (): void => {
    closeSync(fd);
    removeSign(dataDir, name);
  };
  return { name, fd, end };
}

/** `pid start boot namespace fifo`; "-" stands for what the system does not have. */
export function holderLine(pid: number, sign = '-'): string {
  return `${processLine(pid)} ${pidNamespace()} ${sign}\n`;
}

/** Does the process that wrote this line into a lock of `dataDir` still run, or the PostgreSQL that it started? */
export function lifeOf(line: string, dataDir: string): Life {
  const [pid, start, boot, namespace, sign = '-'] = line.trim().split(' ');
  // Older lines name no namespace: pids are all that is known.
  if (namespace === undefined || namespace === pidNamespace()) {
    return isRunning(Number(pid)) && processLine(Number(pid)) === `${pid} ${start} ${boot}` ? 'alive' : 'dead';
  }
  const life = lifeBySign(dataDir, sign);
  // The boot of another machine, or of a container whose own is hidden: the FIFO of one that lives has a reader all the same.
  return life === 'alive' || boot === bootId() ? life : 'dead';
}

/** Removes the FIFO that the line of a dead holder names. */
export function removeSignOf(line: string, dataDir: string): void {
  const sign = line.trim().split(' ')[4] ?? '-';
  if (FIFO.test(sign)) removeSign(dataDir, sign);
}

/** In which pid namespace we are; "-" where there are none. */
function pidNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '-';
  }
}

/** A FIFO that nobody has open for reading cannot be opened for writing (ENXIO). */
function lifeBySign(dataDir: string, sign: string): Life {
  if (!FIFO.test(sign)) return 'unknown';
  try {
    closeSync(openSync(join(dataDir, sign), constants.O_WRONLY | constants.O_NONBLOCK));
    return 'alive';
  } catch (error) {
    return ['ENXIO', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '') ? 'dead' : 'unknown';
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
  return true;
}

const processLine = (pid: number): string => `${pid} ${processStart(pid) ?? '-'} ${bootId()}`;

/** Start time of a process in clock ticks since boot: field 22 of /proc/pid/stat (proc(5)); undefined without /proc. */
function processStart(pid: number): string | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command name in field 2 may hold blanks and brackets: count from the last bracket.
    const fields = status.slice(status.lastIndexOf(')') + 2).split(' ');
    // A zombie is dead: it only waits for its parent to look.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '-';
  }
}

function removeSign(dataDir: string, name: string): void {
  try {
    unlinkSync(join(dataDir, name));
  } catch {
    // Gone already.
  }
}
