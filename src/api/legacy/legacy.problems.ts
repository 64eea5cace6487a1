/** Problems of the readers and services of NutchServer 1.x. */
import { problem, shown } from '../problem.js';

export const fileNotFound = problem(
  400,
  'FILE_NOT_FOUND',
  'File not found',
  (path: string, stores: string) => `File not found: ${shown(path)} does not name ${stores} of a crawl of this server.`,
);
