/** Problems of requests that run in a process beside the API. */
import { problem, retriable } from '../problem.js';

/** Seconds after which a client whose request was refused or cancelled may retry. */
const RETRY_AFTER_S = 5;

export const heavyBusy = retriable(
  RETRY_AFTER_S,
  problem(
    429,
    'TOO_MANY_HEAVY_REQUESTS',
    'Too many heavy requests at once',
    (requests: number, whose = '') =>
      `${requests} requests${whose} that need much computation are running or waiting already.`,
  ),
);
export const heavyTooLong = retriable(
  RETRY_AFTER_S,
  problem(
    503,
    'REQUEST_TOO_LONG',
    'Request took too long',
    (seconds: number) => `The request was not finished after ${seconds} s and was cancelled; ask for less at a time.`,
  ),
  ', or ',
);
export const heavyEnded = retriable(
  RETRY_AFTER_S,
  problem(
    503,
    'REQUEST_GIVEN_UP',
    'Request was abandoned',
    (why: string) => `The process that ran the request ${why}. Nothing else is affected; ask for less at a time.`,
  ),
  ', or ',
);
