/**
 * The rows of a crawl in every table that has some, deleted in the order of their keys: each statement begins after the last
 * key of the one before, and so never scans deleted rows again. Rows are found by one statement and deleted by another,
 * which joins on `host` where the table has one: so both work on tables that are spread by host.
 */
import { type Fragment, type Sql, count, fragment, joined, rows } from '../../db/sql.js';
import { MIN_KEY_HASH } from '../../webpage/page-key.sql.js';

interface KeyColumn {
  readonly name: Fragment;
  /** One value of its type, and many. */
  readonly value: (text: string) => Fragment;
  readonly values: (texts: readonly string[]) => Fragment;
  /** No value is less. */
  readonly min: string;
}

export interface CrawlTable {
  readonly name: string;
  readonly table: Fragment;
  /** The columns after `crawl` that distinguish its rows; `crawl` and these are an index of the table. */
  readonly key: readonly KeyColumn[];
}

const text = (name: Fragment): KeyColumn => ({
  name,
  value: (value) => fragment`${value}::text`,
  values: (values) => fragment`${values}::text[]`,
  min: '',
});
const number = (name: Fragment): KeyColumn => ({
  name,
  value: (value) => fragment`${value}::bigint`,
  values: (values) => fragment`${values}::bigint[]`,
  min: '0',
});
const time = (name: Fragment): KeyColumn => ({
  name,
  value: (value) => fragment`${value}::timestamptz`,
  values: (values) => fragment`${values}::timestamptz[]`,
  min: '-infinity',
});

const HOST = text(fragment`host`);
const KEY = text(fragment`key`);
const KEY_HASH: KeyColumn = { ...number(fragment`key_hash`), min: MIN_KEY_HASH };
const SIGNATURE = text(fragment`signature`);
const ID = number(fragment`id`);
const SEG = number(fragment`seg`);
const DOCUMENT: KeyColumn = {
  name: fragment`id`,
  value: (value) => fragment`${value}::uuid`,
  values: (values) => fragment`${values}::uuid[]`,
  min: '00000000-0000-0000-0000-000000000000',
};

/**
 * Rows that refer to pages are deleted before the pages, batches after the pages that name them, hosts last: if the job is
 * stopped in between, no remaining row needs a deleted one.
 */
export const CRAWL_TABLES: readonly CrawlTable[] = [
  // Once its row is deleted, the rest of a segment is not found any more.
  { name: 'search_segment', table: fragment`search_segment`, key: [SEG] },
  { name: 'search_posting', table: fragment`search_posting`, key: [SEG, text(fragment`term`)] },
  { name: 'search_stored', table: fragment`search_stored`, key: [SEG, number(fragment`block`)] },
  { name: 'search_doc', table: fragment`search_doc`, key: [DOCUMENT] },
  { name: 'page_content', table: fragment`page_content`, key: [HOST, KEY] },
  { name: 'inlink', table: fragment`inlink`, key: [HOST, KEY, text(fragment`source`)] },
  { name: 'removed_document', table: fragment`removed_document`, key: [HOST, KEY] },
  { name: 'document_due', table: fragment`document_due`, key: [HOST, KEY] },
  { name: 'webgraph_node', table: fragment`webgraph_node`, key: [HOST, KEY_HASH] },
  { name: 'fetch_history', table: fragment`fetch_history`, key: [HOST, KEY, time(fragment`time`)] },
  { name: 'signature_due', table: fragment`signature_due`, key: [HOST, SIGNATURE] },
  {
    name: 'simhash_band',
    table: fragment`simhash_band`,
    key: [text(fragment`place`), text(fragment`band`), SIGNATURE],
  },
  { name: 'pending_contribution', table: fragment`pending_contribution`, key: [ID] },
  { name: 'webpage', table: fragment`webpage`, key: [HOST, KEY_HASH] },
  { name: 'batch', table: fragment`batch`, key: [text(fragment`id`)] },
  { name: 'url_template', table: fragment`url_template`, key: [HOST, text(fragment`template`)] },
  { name: 'sitemap', table: fragment`sitemap`, key: [HOST, text(fragment`url`)] },
  { name: 'host', table: fragment`host`, key: [HOST] },
  { name: 'status_count', table: fragment`status_count`, key: [ID] },
];

/** The values of a key, as text. */
export type Key = readonly string[];

/** Deletes the next rows of a crawl after `after` (null: from the first), at most `limit`; returns how many, and the last key. */
export async function deleteNext(
  tx: Sql,
  crawl: number,
  { table, key }: CrawlTable,
  { after, limit }: { after: Key | null; limit: number },
): Promise<{ deleted: number; last: Key | null }> {
  const columns = joined(
    key.map(({ name }) => name),
    ', ',
  );
  const asText = joined(
    key.map(({ name }) => fragment`${name}::text`),
    ', ',
  );
  const begin = joined(
    key.map(({ value, min }, i) => value(after?.[i] ?? min)),
    ', ',
  );
  // The host of files is empty: the least value.
  const behind = after === null ? fragment`>=` : fragment`>`;
  const tableRows = await rows<{ key: string[] }>(tx)`
    select array[${asText}] as key from ${table}
     where crawl = ${crawl} and (${columns}) ${behind} (${begin}) order by ${columns} limit ${limit}`;
  const last = tableRows.at(-1)?.key ?? null;
  if (last === null) return { deleted: 0, last };
  const values = joined(
    key.map((column, i) => column.values(tableRows.map((tableRow) => tableRow.key[i]!))),
    ', ',
  );
  const same = key.map(({ name }) => fragment`t.${name} = gone.${name}`);
  // The crawl as a column, so that rows are looked up by their keys whatever the statistics are (crawl-column.sql.ts).
  const deleted = await count(tx)`
    delete from ${table} as t
     using (select ${crawl}::int as crawl, k.* from unnest(${values}) as k (${columns})) as gone
     where t.crawl = gone.crawl and ${joined(same, ' and ')}`;
  return { deleted, last };
}
