/** What the readers and services of NutchServer 1.x refuse. */
import { problem, shown } from '../problem.js';

export const fileNotFound = problem(
  400,
  'FILE_NOT_FOUND',
  'File not found',
  (path: string, stores: string) =>
    `File not found: ${shown(path)} names no ${stores} of a crawl that this server has.`,
);
