/** Problems of requests that lack a right, or come too fast. */
import { problem, shown } from '../problem.js';

export const notAuthenticated = problem(
  401,
  'NOT_AUTHENTICATED',
  'Not authenticated',
  (given: 'nothing' | 'unknown' = 'nothing') =>
    `${given === 'nothing' ? 'Send an API key' : 'The Authorization header names no key or user of this server; send one'}: "Authorization: Bearer <key>", or HTTP Basic with the name of the key and the key.`,
);
export const scopeMissing = problem(
  403,
  'SCOPE_MISSING',
  'Not allowed for this key',
  (needed: string, has: string) => `This call needs the scope "${needed}"; the key has "${has}".`,
);
export const hostNotAllowed = problem(
  403,
  'HOST_NOT_ALLOWED',
  'Host header not allowed',
  (host: string) => `The Host header ${shown(host)} is not a name of this server; add it to ALLOWED_HOSTS.`,
);
export const foreignOrigin = problem(
  403,
  'FOREIGN_ORIGIN',
  'Request from another site',
  () => "A page of another site sent this request; browsers may change state only from this server's own pages.",
);
export const tooManyRequests = problem(
  429,
  'TOO_MANY_REQUESTS',
  'Too many requests',
  (rate: number) => `At most ${rate} requests a second are answered for one client.`,
);
