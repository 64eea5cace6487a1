/**
 * What PARSE makes of a page, and its columns in the row: written by PARSE, and by FETCH for what its parser had in hand too
 * long. Where FETCH parses in the same breath it writes them with its own (fetch/fetch.sql.ts).
 */
import { DIRECTIVE_METADATA } from '../core/page/obey-directives.js';
import { parseStatusText } from '../core/page/parse-status.js';
import { REPRESENTATIVE_KEY } from '../core/url/representative.js';
import { type Sql, fragment, sql } from '../db/sql.js';
import { crawlColumn } from '../webpage/crawl-column.js';

/** A page that was fetched and that no parser has looked at since. */
export const isLeftUnparsed = fragment`(w.status = 2 and w.parse_major is null)`;

/** Metadata that only the last parse decides: what a page no longer says is forgotten. */
const OF_LAST_PARSE = [...DIRECTIVE_METADATA];

/** What PARSE adds to a page. */
export interface ParsedColumns {
  title: string | null;
  signature: string | null;
  parseMajor: number;
  parseMinor: number;
  parseArgs: string[];
  parsed: boolean;
  /** The URL that stands for a page whose meta refresh leads on; null for any other. */
  reprUrl: string | null;
  metadata: Record<string, string>;
  text: Buffer | null;
  textLength: number;
  charset: string | null;
  outlinkKeys: string[];
  outlinkAnchors: string[];
  /** What scoring filters gave for the content. */
  contentScore?: number;
}

/** How PARSE ended, as readers of `/db` see it. */
export const parsedText = ({ parseMajor, parseMinor, parseArgs }: ParsedColumns): string =>
  parseStatusText({ major: parseMajor, minor: parseMinor, args: parseArgs });

/**
 * The pages' outcome of PARSE in their rows: title, signatures, parse status, mark. Where the content could not be parsed
 * this time the rest stays as an earlier parse of the same content left it.
 */
export async function writeParse(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string; parse: ParsedColumns }[],
): Promise<void> {
  const of = <T>(value: (parse: ParsedColumns) => T): T[] => pages.map((page) => value(page.parse));
  await tx.query(sql`
    update webpage w
       set title = case when v.parsed or w.parse_major is null then v.title else w.title end,
           parse_major = v.major, parse_minor = v.minor,
           parse_args = array(select jsonb_array_elements_text(v.args)),
           prev_signature = case when v.parsed and w.parse_mark is distinct from w.fetch_mark then w.signature else w.prev_signature end,
           signature = case when v.parsed then v.signature else w.signature end,
           parse_mark = case when v.parsed then w.fetch_mark else w.parse_mark end,
           repr_url = case when v.parsed then coalesce(v.repr_url, w.metadata->>${REPRESENTATIVE_KEY}) else w.repr_url end,
           metadata = case when v.parsed and w.metadata ?| ${OF_LAST_PARSE}::text[] then (w.metadata - ${OF_LAST_PARSE}::text[]) || v.metadata
                           when v.metadata = '{}'::jsonb then w.metadata else coalesce(w.metadata, '{}'::jsonb) || v.metadata end
      from unnest(${crawlColumn(crawl, pages.length)},
           ${pages.map((p) => p.host)}::text[], ${pages.map((p) => p.key)}::text[], ${of((p) => p.title)}::text[],
           ${of((p) => p.parseMajor)}::int[], ${of((p) => p.parseMinor)}::int[], ${of((p) => JSON.stringify(p.parseArgs))}::jsonb[],
           ${of((p) => p.parsed)}::bool[], ${of((p) => p.signature)}::text[], ${of((p) => p.reprUrl)}::text[],
           ${of((p) => JSON.stringify(p.metadata))}::jsonb[])
           as v (crawl, host, key, title, major, minor, args, parsed, signature, repr_url, metadata)
     where w.crawl = v.crawl and w.host = v.host and w.key = v.key`);
}
