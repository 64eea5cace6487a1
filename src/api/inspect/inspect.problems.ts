/** What can go wrong with a question to the inspector. */
import { problem } from '../problem.js';

export const inspectBusy = problem(
  429,
  'INSPECT_BUSY',
  'Too many inspections at once',
  (inspections: number, whose = '') =>
    `${inspections} inspections of this kind${whose} are under way already; come back after the Retry-After seconds.`,
);
export const inspectTooLong = problem(
  503,
  'INSPECT_TOO_LONG',
  'Inspection took too long',
  (what: string, seconds: number) => `${what} was not done after ${seconds} s; ask about less.`,
);
