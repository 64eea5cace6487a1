/** Problems of seed lists. */
import { problem, shown } from '../problem.js';

export const seedListEmpty = problem(400, 'SEED_LIST_EMPTY', 'Seed list missing', () => 'Seed list cannot be empty!');
export const seedListUnknown = problem(
  404,
  'SEED_LIST_UNKNOWN',
  'Unknown seed list',
  (name: string) => `There is no seed list ${shown(name)}; GET /seed lists all seed lists.`,
);
