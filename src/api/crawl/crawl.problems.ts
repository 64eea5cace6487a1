import { problem } from '../problem.js';

export const seedsRefused = problem(
  400,
  'SEEDS_REFUSED',
  'All seeds refused',
  (reasons: string) => `None of the seeds can be crawled: ${reasons}.`,
);
export const seedsMissing = problem(
  400,
  'SEEDS_MISSING',
  'Seeds missing',
  (why: string) => `${why}; send seeds as an array of URLs, or name a stored list as seedName.`,
);
