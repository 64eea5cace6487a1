import { problem, retriable, shown } from '../problem.js';

export const idempotencyKeyInvalid = problem(
  400,
  'IDEMPOTENCY_KEY_INVALID',
  'Idempotency-Key is not valid',
  (given: string) =>
    `Idempotency-Key must be 1 to 255 visible ASCII characters without blanks, sent once (given: ${shown(given)}).`,
);
export const idempotencyKeyReused = problem(
  422,
  'IDEMPOTENCY_KEY_REUSED',
  'Idempotency-Key reused',
  () => 'This Idempotency-Key was used with another request within 24 hours; a new request needs a new key.',
);
export const requestRunning = retriable(
  1,
  problem(
    409,
    'REQUEST_RUNNING',
    'Request still running',
    () => 'The request with this Idempotency-Key is still running and has no response yet.',
  ),
);
