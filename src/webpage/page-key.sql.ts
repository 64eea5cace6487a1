/**
 * How a statement finds pages that it is given by their keys. The primary key of `webpage` contains a hash of the key, as a
 * key may be too long for an index: a statement compares that hash, by which the index finds the row, and then the key
 * itself.
 */
import { type Column, type ColumnType, type Columns, rowList } from '../db/row-list.js';
import { type Fragment, fragment, identifier } from '../db/sql.js';
import { crawlColumn } from './crawl-column.sql.js';
import type { PageKey } from '../core/page/page-row.js';

/** Row `w` of `webpage` is the page of row `as`, which has columns crawl, host and key: `on ${samePageAs('locked')}`. */
export function samePageAs(as: string): Fragment {
  const row = identifier(as);
  return fragment`w.crawl = ${row}.crawl and w.host = ${row}.host and w.key_hash = hashtextextended(${row}.key, 0) and w.key = ${row}.key`;
}

/** Row `w` of `webpage` is the page of row `page`. */
export const samePage = samePageAs('page');

/** Row `p` of `page_content` belongs to the page of row `page`. */
export const contentOfPage = fragment`p.crawl = page.crawl and p.host = page.host and p.key = page.key`;

/** Row `w` of `webpage` is this page. */
export const isPage = (crawl: number, { host, key }: PageKey): Fragment =>
  fragment`w.crawl = ${crawl} and w.host = ${host} and w.key_hash = hashtextextended(${key}, 0) and w.key = ${key}`;

/** The order of the primary key of `webpage`, in which transactions write pages, for rows with columns host and key. */
export const keyOrder = fragment`host collate "C", hashtextextended(key, 0)`;

/** No hash of a key is less. */
export const MIN_KEY_HASH = '-9223372036854775808';

/**
 * Row `w` of `webpage` comes after this page in the order of the primary key. Every row does if there is none, or none with a
 * key, including those with an empty host (`file:`).
 */
export const isAfter = (after: PageKey | null | undefined): Fragment =>
  fragment`(w.host, w.key_hash) > (${after?.host ?? ''}::text, ${after?.key ? fragment`hashtextextended(${after.key}, 0)` : fragment`${MIN_KEY_HASH}::bigint`})`;

/** Properties whose names are those of columns. */
type ColumnName<P> = Extract<keyof P, Lowercase<string>>;

/**
 * Pages of a crawl as rows `page (crawl, host, key)`, to be joined with a table of the web (see `crawlColumn`).
 * @param more further columns (see `rowList`), or properties of the pages that are columns too: `{ mark: 'text' }`
 */
export function pageRows<P extends PageKey>(
  crawl: number,
  pages: readonly P[],
  more: Columns<P> | { readonly [name in ColumnName<P>]?: ColumnType } = {},
): Fragment {
  const named = (name: string, column: Column<P> | Fragment | ColumnType) =>
    typeof column === 'string' ? ([column, (page: P) => page[name as ColumnName<P>]] as Column<P>) : column;
  const further = Object.entries(more).map(([name, column]) => [name, named(name, column)] as const);
  return rowList('page', pages, {
    crawl: crawlColumn(crawl, pages.length),
    host: ['text', ({ host }) => host],
    key: ['text', ({ key }) => key],
    ...Object.fromEntries(further),
  });
}

/** A partition of the pages of a job: `part`, from 0, of `parts`. */
export interface KeyPartition {
  readonly part: number;
  readonly parts: number;
}

/** Rows (alias `w`) whose keys have a hash in the range of a partition. */
export function inPartition({ part, parts }: KeyPartition): Fragment {
  if (parts === 1) return fragment`true`;
  const from = Math.floor((part * 2 ** 32) / parts) - 2 ** 31;
  const to = Math.floor(((part + 1) * 2 ** 32) / parts) - 2 ** 31 - 1;
  return fragment`hashtext(w.key) between ${from}::int and ${to}::int`;
}
