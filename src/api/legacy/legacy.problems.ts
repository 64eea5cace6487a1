/** Calls of NutchServer 1.x that this server does not serve, and what serves instead. */
import { problem } from '../problem.js';

export const notOfferedYet = problem(
  501,
  'NOT_OFFERED_YET',
  'Not offered yet',
  (call: string, instead: string) => `${call} is not offered yet. ${instead}`,
);
