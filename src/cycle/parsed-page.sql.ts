/**
 * The results of PARSE for a page: its columns in the row. They are written by PARSE (parse/parse.sql.ts), and by FETCH with its own
 * if it parses at the same time (fetch/fetch.sql.ts).
 */
import { parseStatusText } from '../core/page/parse-status.js';
import { fragment } from '../db/sql.js';

/** A page that was fetched and not parsed since. */
export const isLeftUnparsed = fragment`(w.status = 2 and w.parse_major is null)`;

/** The columns that PARSE adds to a page. */
export interface ParsedColumns {
  title: string | null;
  signature: string | null;
  parseMajor: number;
  parseMinor: number;
  parseArgs: string[];
  parsed: boolean;
  /** The URL that represents a page whose meta refresh leads on; null for any other. */
  reprUrl: string | null;
  metadata: Record<string, string>;
  text: Buffer | null;
  textLength: number;
  charset: string | null;
  outlinkKeys: string[];
  outlinkAnchors: string[];
  /** The score that scoring filters gave for the content. */
  contentScore?: number;
}

/** How PARSE ended, as readers of `/db` see it. */
export const parsedText = ({ parseMajor, parseMinor, parseArgs }: ParsedColumns): string =>
  parseStatusText({ major: parseMajor, minor: parseMinor, args: parseArgs });
