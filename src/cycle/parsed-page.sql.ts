/**
 * The results of PARSE for a page: its columns in the row. They are written by PARSE (parse/parse.sql.ts), and by FETCH with
 * its own if it parses at the same time (fetch/fetch.sql.ts).
 */
import { PARSE_METADATA } from '../core/page/obey-directives.js';
import { parseStatusText } from '../core/page/parse-status.js';
import { type Fragment, fragment } from '../db/sql.js';
import { statusOf } from '../webpage/page-status.sql.js';

/** A page that was fetched and not parsed since. */
export const isLeftUnparsed = fragment`(w.status = ${statusOf('fetched')} and w.parse_major is null)`;

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

/**
 * The own metadata of page `w`: without those of its last parse, and without `others`. They replace those of a parse with the
 * same name. Metadata of a damaged row that are no object are dropped.
 */
export const metadataWithout = (others: readonly string[]) =>
  fragment`case when jsonb_typeof(w.metadata) = 'object' then w.metadata else '{}'::jsonb end
           - ${[...PARSE_METADATA, ...others]}::text[] - coalesce(w.parse_metadata, '{}')`;

/**
 * The names of the metadata that a parse sets, for the next one, as JSON: null for none, and without those that each parse
 * removes.
 */
export function parseMetadataNames({ metadata }: ParsedColumns): string[] | null {
  const names = Object.keys(metadata).filter((name) => !PARSE_METADATA.includes(name));
  return names.length === 0 ? null : names;
}

/**
 * The column `parse_metadata` from these names: those of its own (`metadataWithout`) are kept by the page, with its own
 * values.
 */
export const parseMetadataColumn = (ownMetadata: Fragment) =>
  fragment`nullif(array(select name from jsonb_array_elements_text(page.names) as name where not (${ownMetadata}) ? name), '{}')`;
