/**
 * Assigns promises that were rejected and are not awaited, as when a plugin forgets one, to an attempt. Each attempt at a
 * task runs in a context of its own, and Node emits a rejection in the context in which it happened.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { reasonOf } from '../plugin/error-text.js';

/** Some work was not done, and it is unknown which: the task fails. */
export class StrayRejection extends Error {
  constructor(cause: unknown) {
    super(`unhandled rejection: ${reasonOf(cause)}`, { cause });
  }
}

type Listener = (reason: unknown) => void;

const attempt = new AsyncLocalStorage<Listener>();

/** Runs `work`, and calls the listener for each promise that it leaves rejected, however much later. */
export const catchingStrays = <T>(listener: Listener, work: () => T): T => attempt.run(listener, work);

/** Runs work outside the context of the attempt that has started it. */
export const outside = <T>(work: () => T): T => attempt.exit(work);

/** Call this when Node emits an unhandled rejection. @returns false if it came from no attempt. */
export function reportStray(reason: unknown): boolean {
  const listener = attempt.getStore();
  listener?.(reason);
  return listener !== undefined;
}
