/** Problems of inspections. */
import { problem } from '../problem.js';

export const inspectTooLong = problem(
  503,
  'INSPECT_TOO_LONG',
  'Inspection took too long',
  (inspection: string, seconds: number) => `${inspection} was not finished after ${seconds} s; ask about less.`,
);
