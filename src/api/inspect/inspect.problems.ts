/** What can go wrong with a question to the inspector. */
import { problem } from '../problem.js';

export const inspectTooLong = problem(
  503,
  'INSPECT_TOO_LONG',
  'Inspection took too long',
  (what: string, seconds: number) => `${what} was not done after ${seconds} s; ask about less.`,
);
