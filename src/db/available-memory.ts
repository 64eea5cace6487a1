import { totalmem } from 'node:os';

/** Bytes of memory that the program may use: those of its container, if it has a limit, else those of the machine. */
export function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
