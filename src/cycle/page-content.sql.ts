/** Writes the contents of pages: body, text and outlinks, in a table of their own (docs/adr/0001). */
import { byteaArray, joinedTexts } from '../db/arrays.js';
import { rowList } from '../db/row-list.js';
import { type Fragment, type Sql, fragment, prepared, sql } from '../db/sql.js';
import { crawlColumn } from '../webpage/crawl-column.sql.js';
import { formerLinks } from './former-links.sql.js';
import type { ParsedColumns } from './parsed-page.sql.js';

/** A page as its server returned it. */
export interface FetchedContent {
  host: string;
  key: string;
  /** Null if there is nothing new to store (304, errors). */
  content: { body: Buffer; length: number; headers: Record<string, string>; truncated: string | null } | null;
  parse: ParsedColumns | null;
}

/** Writes fetched pages, with the results of PARSE if they were parsed at the same time; earlier ones are replaced. */
export async function writeContent(tx: Sql, crawl: number, pages: readonly FetchedContent[]): Promise<void> {
  const parsed = parsedArrays(pages.map(({ parse }) => parse));
  await prepared(tx).query(sql`
    insert into page_content (crawl, host, key, content_length, headers, truncated, content, charset, text_length, text,
                              outlink_keys, outlink_anchors)
    select ${crawl}::int, v.host, v.key, v.content_length, v.headers, v.truncated, v.content, ${parsed.columns}
      from ${rowList('v', pages, {
        host: ['text', ({ host }) => host],
        key: ['text', ({ key }) => key],
        content_length: ['int', ({ content }) => content!.length],
        headers: ['jsonb', ({ content }) => content!.headers],
        truncated: ['text', ({ content }) => content!.truncated],
        content: ['bytea', ({ content }) => content!.body],
        ...parsed.arrays,
      })}
    on conflict (crawl, host, key) do update
       set content_length = excluded.content_length, headers = excluded.headers, truncated = excluded.truncated,
           content = excluded.content, charset = excluded.charset, text_length = excluded.text_length, text = excluded.text,
           outlink_keys = excluded.outlink_keys, outlink_anchors = excluded.outlink_anchors,
           former_outlink_keys = ${replaced}`);
}

/** The former links of a row that is being replaced. */
const replaced = formerLinks(fragment`page_content`, fragment`excluded.outlink_keys`);

/** A redirect is the one outlink of its page; the former content of the page is deleted. */
export async function writeRedirects(
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; key: string; redirectKey: string | null }[],
): Promise<void> {
  await tx.query(sql`
    insert into page_content (crawl, host, key, outlink_keys, outlink_anchors)
    select ${crawl}, host, key, case when target is null then '{}' else array[target] end, case when target is null then '{}' else array[''] end
      from ${rowList('redirect', pages, {
        host: ['text', ({ host }) => host],
        key: ['text', ({ key }) => key],
        target: ['text', ({ redirectKey }) => redirectKey],
      })}
    on conflict (crawl, host, key) do update
       set outlink_keys = excluded.outlink_keys, outlink_anchors = excluded.outlink_anchors,
           former_outlink_keys = ${replaced}, content = null, content_length = null, truncated = null, headers = null, charset = null, text = null,
           text_length = null`);
}

/** Writes text and outlinks of pages that were parsed; content and headers are not written again, being stored out of line. */
export async function writeParsedContent(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string; parse: ParsedColumns }[],
): Promise<void> {
  const parsed = parsedArrays(pages.map(({ parse }) => parse));
  // Materialized: on Citus an UPDATE may build arrays of texts only there (docs/distributed.md).
  await tx.query(sql`
    with v as materialized (
      select v.crawl, v.host, v.key, ${parsed.columns}
        from ${rowList('v', pages, {
          crawl: crawlColumn(crawl, pages.length),
          host: ['text', ({ host }) => host],
          key: ['text', ({ key }) => key],
          ...parsed.arrays,
        })}
    )
    update page_content p
       set charset = v.charset, text_length = v.text_length, text = v.text, outlink_keys = v.outlink_keys,
           outlink_anchors = v.outlink_anchors,
           former_outlink_keys = ${formerLinks(fragment`p`, fragment`v.outlink_keys`)}
      from v
     where p.crawl = v.crawl and p.host = v.host and p.key = v.key`);
}

/** The results of PARSE for pages, as arrays of rows `v`, and the columns that these become. */
function parsedArrays(pages: readonly (ParsedColumns | null)[]): {
  arrays: Record<string, Fragment>;
  columns: Fragment;
} {
  const column = <T>(value: (parse: ParsedColumns) => T): (T | null)[] => pages.map((parse) => parse && value(parse));
  const keys = joinedTexts(column(({ outlinkKeys }) => outlinkKeys));
  const anchors = joinedTexts(column(({ outlinkAnchors }) => outlinkAnchors));
  return {
    arrays: {
      charset: fragment`${column(({ charset }) => charset)}::text[]`,
      text_length: fragment`${column(({ textLength }) => textLength)}::int[]`,
      text: fragment`${byteaArray(column(({ text }) => text))}::bytea[]`,
      outlink_keys: fragment`${keys.texts}::text[]`,
      outlink_anchors: fragment`${anchors.texts}::text[]`,
    },
    // A single link may have an empty anchor.
    columns: fragment`v.charset, v.text_length, v.text, string_to_array(v.outlink_keys, ${keys.separator}::text) as outlink_keys,
           case when v.outlink_anchors = '' and v.outlink_keys <> '' then array['']
                else string_to_array(v.outlink_anchors, ${anchors.separator}::text) end as outlink_anchors`,
  };
}
