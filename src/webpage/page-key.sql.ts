/**
 * How a statement finds pages that it is given by their keys. The primary key of `webpage` contains a hash of the key, as a
 * key may be too long for an index: a statement compares that hash, by which the index finds the row, and then the key
 * itself.
 */
import { type Fragment, fragment, identifier, joined } from '../db/sql.js';
import { crawlColumn } from './crawl-column.js';
import type { PageKey } from './page-row.js';

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

/** Row `w` of `webpage` comes after this page in the order of the primary key. Every row does if there is none. */
export const isAfter = (after: PageKey | null | undefined): Fragment =>
  fragment`(w.host, w.key_hash) > (${after?.host ?? ''}::text, hashtextextended(${after?.key ?? ''}, 0))`;

const ARRAY_OF = {
  text: (values: unknown[]) => fragment`${values}::text[]`,
  int: (values: unknown[]) => fragment`${values}::int[]`,
  float8: (values: unknown[]) => fragment`${values}::float8[]`,
};

/** Properties whose names are columns as they stand. */
type Column<P> = Extract<keyof P, Lowercase<string>>;

/**
 * Pages of a crawl as rows `page (crawl, host, key)`, to be joined with a table of the web (see `crawlColumn`).
 * @param more properties of the pages that are columns too, with their types: `{ mark: 'text' }`
 */
export function pageRows<P extends PageKey>(
  crawl: number,
  pages: readonly P[],
  more: { readonly [name in Column<P>]?: keyof typeof ARRAY_OF } = {},
): Fragment {
  const columns = Object.entries({ host: 'text', key: 'text', ...more }) as [Column<P>, keyof typeof ARRAY_OF][];
  const arrays = columns.map(([name, type]) => ARRAY_OF[type](pages.map((page) => page[name])));
  const names = columns.map(([name]) => identifier(name));
  return fragment`unnest(${crawlColumn(crawl, pages.length)}, ${joined(arrays, ', ')}) as page (crawl, ${joined(names, ', ')})`;
}
