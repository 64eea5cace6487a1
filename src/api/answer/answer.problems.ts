import { problem } from '../problem.js';

export const tooManyExports = problem(
  503,
  'TOO_MANY_EXPORTS',
  'Too many large answers at once',
  (max: number) =>
    `${max} large answers are being read already; come back after the Retry-After seconds, or ask for less at a time.`,
);
