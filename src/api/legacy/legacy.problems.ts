/** Problems of the readers and services of NutchServer 1.x. */
import { problem, shown } from '../problem.js';

export const fileNotFound = problem(
  400,
  'FILE_NOT_FOUND',
  'File not found',
  (path: string, reason: string) => `File not found: ${shown(path)}: ${reason}.`,
);

/** The path is of no store that this reader reads. */
export const noStore = (path: string, stores: readonly string[]) =>
  fileNotFound(path, `a path is <crawl>/<store>, with a store of ${stores.join(', ')}`);

export const noCrawl = (path: string, crawl: string) =>
  fileNotFound(path, `there is no crawl ${shown(crawl)} on this server`);

/** @param parts the names of the parts of a segment */
export const noSegmentOrDump = (path: string, store: string, parts: readonly string[]) =>
  fileNotFound(
    path,
    store === 'dump'
      ? 'a path of a dump is <crawl>/dump/<name>, with a name that POST /services/commoncrawldump returned'
      : `a path of a segment is <crawl>/${store}/<segment>/<part>, with a segment of this crawl and a part of ${parts.join(', ')}`,
  );
