/** Child processes with a bounded memory: their heap is bounded by V8, the whole process by a thread in it (watch.ts). */
import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Milliseconds that the start of a process, and the loading of its code, may take on a busy machine. */
export const START_MS = 60_000;
/** The fraction of its memory that the heap may use; the rest is for code, buffers and stacks. */
const HEAP_FRACTION = 0.6;
/** Signals by which V8, the watching thread and the kernel end a process that takes too much memory. */
const MEMORY_SIGNALS: readonly unknown[] = ['SIGKILL', 'SIGABRT', 'SIGTRAP', 'SIGILL'];
/** 128 and the number of SIGABRT. */
const ABORTED = 134;

/**
 * Starts a program that watches its memory. It is killed when this process ends.
 * @param flags of Node, besides those of the heap
 */
export function forkWithMemory(
  program: URL,
  megabytes: number,
  { flags = [], ...options }: Omit<ForkOptions, 'execArgv'> & { flags?: readonly string[] },
): ChildProcess {
  const heap = [`--max-old-space-size=${Math.round(megabytes * HEAP_FRACTION)}`, '--max-semi-space-size=8'];
  const execArgv = [...heap, ...flags, '--no-warnings'];
  const child = fork(fileURLToPath(program), [String(megabytes), String(process.pid)], { ...options, execArgv });
  const kill = (): void => void child.kill('SIGKILL');
  const forget = (): void => void process.off('exit', kill);
  process.on('exit', kill);
  child.once('exit', forget);
  // It could not be started, so it does not exit.
  child.once('error', forget);
  return child;
}

/** Whether a process has ended because it took too much memory, as far as one can know. */
export const endedByMemory = (code: number | null, signal: NodeJS.Signals | null): boolean =>
  MEMORY_SIGNALS.includes(signal) || code === ABORTED;
