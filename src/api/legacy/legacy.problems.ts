/** Problems of the readers and services of NutchServer 1.x. */
import { DUMP_PARTS } from '../../webpage/segment-parts.sql.js';
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

/** The name of the crawl is not repeated: of a URL it would be the user and password, which only whole URLs are masked for. */
export const noCrawl = (path: string) =>
  fileNotFound(path, 'this server has no crawl of that name; a path is <crawl>/<store>');

const SEGMENT_TEXT = `a path of a segment is <crawl>/segments/<segment> or <crawl>/segments/<segment>/<part>, with a segment of this crawl and a part of ${DUMP_PARTS.join(', ')}`;
const DUMP_TEXT = 'a path of a dump is <crawl>/dump/<name>, as POST /services/commoncrawldump returns it';

export const noSegmentOrDump = (path: string, store: string) =>
  fileNotFound(path, store === 'dump' ? DUMP_TEXT : SEGMENT_TEXT);
