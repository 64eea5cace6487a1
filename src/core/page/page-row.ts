/**
 * A page as readers of the table get it: the row alone, or with its row of `page_content`.
 *
 * All code that shows a page (`/db`, `/v1/pages`, dumps, the command line) uses this type and the columns of
 * page-columns.sql.ts, so a column has one name in the program.
 */
import type { RobotsLine } from '../robots/robots-file.js';

/** What a read returns: the row alone, with its links and headers, or with content and text too. */
export type PageWidth = 'row' | 'links' | 'content';

/** Identifies a page of one crawl. */
export interface PageKey {
  /** Reversed. */
  host: string;
  key: string;
}

export interface PageRow {
  /** Reversed host. */
  host: string;
  key: string;
  status: number;
  fetchTime: Date;
  prevFetchTime: Date | null;
  /** Seconds. */
  fetchInterval: number;
  retriesSinceFetch: number;
  modifiedTime: Date | null;
  prevModifiedTime: Date | null;
  lastModified: Date | null;
  etag: string | null;
  score: number;
  distance: number;
  sourceKind: string;
  batchId: string | null;
  injectMark: string | null;
  generateMark: string | null;
  fetchMark: string | null;
  parseMark: string | null;
  updateMark: string | null;
  indexMark: string | null;
  protocolCode: number | null;
  protocolArgs: string[] | null;
  /** The line of robots.txt that forbade the last visit. */
  robotsLine: RobotsLine | null;
  httpStatus: number | null;
  parseMajor: number | null;
  parseMinor: number | null;
  parseArgs: string[] | null;
  signature: string | null;
  prevSignature: string | null;
  baseUrl: string | null;
  reprUrl: string | null;
  redirectUrl: string | null;
  contentType: string | null;
  title: string | null;
  metadata: Record<string, unknown> | null;
  /** Why its content is not complete: `length`, `time` …; null if it is. */
  truncated: string | null;
  headers?: Record<string, unknown> | null;
  outlinkKeys?: string[] | null;
  outlinkAnchors?: (string | null)[] | null;
  charset?: string | null;
  /** zstd */
  content?: Buffer | null;
  /** zstd */
  text?: Buffer | null;
}

/** The metadata of a page with what 1.x adds for content that was cut. */
export const publicMetadata = ({
  metadata,
  truncated = null,
}: Pick<PageRow, 'metadata'> & { truncated?: string | null }) =>
  truncated === null
    ? metadata
    : { ...metadata, 'http.content.truncated': 'true', 'http.content.truncated.reason': truncated };
