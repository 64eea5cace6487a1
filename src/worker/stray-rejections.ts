/**
 * Promises that were rejected and that nobody waits for, as when a plugin forgets one: whose they are. Each attempt at a task runs in a
 * context of its own, and Node tells of a rejection in the context that it came from.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { reasonOf } from '../plugin/error-text.js';

/** What was to be done is not done, and nobody can say what it was: the task fails. */
export class StrayRejection extends Error {
  constructor(cause: unknown) {
    super(`unhandled rejection: ${reasonOf(cause)}`, { cause });
  }
}

type Listener = (reason: unknown) => void;

const attempt = new AsyncLocalStorage<Listener>();

/** Runs `work`, and calls the listener for each promise that it leaves rejected, however much later. */
export const catchingStrays = <T>(listener: Listener, work: () => T): T => attempt.run(listener, work);

/** Does what is no part of the work that has led to it. */
export const outside = <T>(work: () => T): T => attempt.exit(work);

/** To be called when Node emits an unhandled rejection. @returns false when it came from no such work. */
export function reportStray(reason: unknown): boolean {
  const listener = attempt.getStore();
  listener?.(reason);
  return listener !== undefined;
}
