/**
 * Which process has locked a data directory, and whether it is alive. In its own pid namespace a process is identified by
 * pid, start time and boot of the machine: after a kill -9 the pid may belong to another process, the triple does not.
 * Another container sees none of that, and takes our pid for one of its own; so the holder also keeps a FIFO of the directory
 * open. PostgreSQL inherits it: it has no reader once the last process of holder and database has ended, however they ended.
 */
import { execFile } from 'node:child_process';
import { closeSync, constants, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bootId, isRunning, pidNamespace, processStat } from '../process-identity.js';

/** A FIFO that its maker keeps open for reading. */
export interface HolderFifo {
  /** Its name in the data directory; "-" if none can be made. */
  readonly name: string;
  /** For children that keep it open after our end. */
  readonly fd: number | undefined;
  /** Synchronous, so that an exit handler may call it. */
  end(): void;
}

export type HolderState = 'alive' | 'dead' | 'unknown';

const NO_FIFO: HolderFifo = { name: '-', fd: undefined, end: () => undefined };
const FIFO = /^server\.fifo\.[0-9a-f]+$/;

/** Creates the FIFO of the holder `token`. There is none on file systems without FIFOs, and on systems without pid namespaces. */
export async function makeHolderFifo(dataDir: string, token: string): Promise<HolderFifo> {
  if (pidNamespace() === null) return NO_FIFO;
  const name = `server.fifo.${token}`;
  const path = join(dataDir, name);
  let fd: number;
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', path]);
    // Without O_NONBLOCK this would wait for a writer.
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch {
    removeFifo(dataDir, name);
    return NO_FIFO;
  }
  const end = (): void => {
    closeSync(fd);
    removeFifo(dataDir, name);
  };
  return { name, fd, end };
}

/** `pid start boot namespace fifo`; "-" for values that the system does not have. */
export function holderLine(pid: number, fifo = '-'): string {
  return `${processLine(pid)} ${namespaceHere()} ${fifo}\n`;
}

/** Whether the process that wrote this line into a lock of `dataDir` is still running, or the PostgreSQL that it started. */
export function holderState(line: string, dataDir: string): HolderState {
  const [pid, start, boot, namespace, fifo = '-'] = line.trim().split(' ');
  // Older lines have no namespace: then only pids are known.
  if (namespace === undefined || namespace === namespaceHere()) {
    const runs = isRunning(Number(pid)) && processLine(Number(pid)) === `${pid} ${start} ${boot}`;
    // A copy or snapshot of the directory of a running server: that one has another FIFO open.
    return runs && openFifo(dataDir, fifo) !== 'ENXIO' ? 'alive' : 'dead';
  }
  const state = stateByFifo(dataDir, fifo);
  // The boot of another machine, or of a container whose own is hidden: the FIFO of a live holder has a reader all the same.
  return state === 'alive' || boot === bootHere() ? state : 'dead';
}

/** Removes the FIFO that the line of a dead holder names. */
export function removeFifoOf(line: string, dataDir: string): void {
  const fifo = line.trim().split(' ')[4] ?? '-';
  if (FIFO.test(fifo)) removeFifo(dataDir, fifo);
}

/** "-" if there are none. */
const namespaceHere = (): string => pidNamespace() ?? '-';
const bootHere = (): string => bootId() ?? '-';

function stateByFifo(dataDir: string, fifo: string): HolderState {
  const failure = openFifo(dataDir, fifo);
  if (failure === undefined) return 'alive';
  return ['ENXIO', 'ENOENT'].includes(failure) ? 'dead' : 'unknown';
}

/** Opens a FIFO for writing, which fails with ENXIO if it has no reader. Returns the code of the failure, "" if there is no name. */
function openFifo(dataDir: string, fifo: string): string | undefined {
  if (!FIFO.test(fifo)) return '';
  try {
    closeSync(openSync(join(dataDir, fifo), constants.O_WRONLY | constants.O_NONBLOCK));
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  }
}

function processLine(pid: number): string {
  const stat = processStat(pid);
  // A zombie has no start: it only waits for its parent to collect it.
  return `${pid} ${stat === null || stat.hasEnded ? '-' : stat.started} ${bootHere()}`;
}

function removeFifo(dataDir: string, name: string): void {
  try {
    unlinkSync(join(dataDir, name));
  } catch {
    // Gone already.
  }
}
