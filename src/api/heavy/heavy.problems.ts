/** What can go wrong with a request whose work is done in a process of its own. */
import { problem } from '../problem.js';

export const heavyBusy = problem(
  429,
  'TOO_MANY_HEAVY_REQUESTS',
  'Too many heavy requests at once',
  (requests: number, whose = '') =>
    `${requests} requests${whose} that take much computing are under way already; come back after the Retry-After seconds.`,
);
export const heavyTooLong = problem(
  503,
  'REQUEST_TOO_LONG',
  'Request took too long',
  (seconds: number) => `The request was not done after ${seconds} s of work and was given up; ask for less at a time.`,
);
export const heavyEnded = problem(
  503,
  'REQUEST_GIVEN_UP',
  'Request was given up',
  (why: string) => `The process that worked on the request ${why}. Nothing else is affected; ask for less at a time.`,
);

/** Seconds after which a client that was refused, or whose request was given up, may come back. */
export const RETRY_AFTER_SECONDS = 5;
