/**
 * Links that pages no longer have: their inlinks are deleted when UPDATEDB or INVERTLINKS processes the new links.
 *
 * A statement that replaces links keeps the old ones (`former_outlink_keys`), the oldest ones, as later ones never became
 * inlinks. So every inlink of a page belongs to one of its present or former links, wherever a job is killed; and for a page
 * that is new, or whose links have not changed, nothing has to be kept, read or written again.
 */
import { keepInOrder } from '../db/row-locks.js';
import { type Fragment, type Sql, fragment, rows, sql } from '../db/sql.js';
import { chunksOf } from '../core/bounded-chunks.js';
import { PARSE_MAJOR } from '../core/page/parse-status.js';
import { contentOfPage, pageRows, samePage } from '../webpage/page-key.sql.js';
import { lockPagesByHost } from '../webpage/lock-pages.sql.js';
import type { PageKey } from '../core/page/page-row.js';
import { type Inlink, removeInlinks } from './inlinks.sql.js';
import type { Rewrites } from './filter-links.js';
import { REDIRECTED } from '../webpage/page-status.sql.js';

/** A page, and the row key under which its links are stored as inlinks. */
export interface Linking {
  host: string;
  key: string;
  source: string;
}

/** Pages, and how the links of them that are inlinks were written. */
export interface StoredLinks {
  readonly pages: readonly Linking[];
  readonly rewrites?: Rewrites | undefined;
}

/** Pages in one statement: some thousand links each at most. */
const CHUNK = 500;

/** The former links to keep for the row `row` whose links are replaced by `links`: none if these are the same. */
export const formerLinks = (row: Fragment, links: Fragment): Fragment =>
  fragment`nullif(nullif(coalesce(${row}.former_outlink_keys, ${row}.outlink_keys), ${links}), '{}')`;

/**
 * Removes the inlinks of links that these pages no longer have, in each form in which they may be stored; returns the pages that
 * they led to, one for each. The current transaction has locked the pages.
 */
export async function removeFormerInlinks(
  tx: Sql,
  crawl: number,
  ...forms: readonly StoredLinks[]
): Promise<PageKey[]> {
  const links = fragment`p.former_outlink_keys || p.outlink_keys`;
  // Some hundred thousand may be removed at once: more than arguments of a call.
  let removed: PageKey[] = [];
  for (const { pages, rewrites } of forms)
    for (const chunk of chunksOf(pages, CHUNK)) {
      const gone = await inlinksThrough(tx, crawl, chunk, { links, rewrites, gone: true });
      removed = removed.concat(await removeInlinks(tx, crawl, gone));
    }
  // After all of them: a page may be among them under two keys.
  const pagesOfForms = forms.flatMap(({ pages }) => pages);
  for (const chunk of chunksOf(pagesOfForms, CHUNK))
    await tx.query(sql`
      update page_content p set former_outlink_keys = null from ${pageRows(crawl, chunk)}
       where ${contentOfPage}`);
  return removed;
}

/**
 * Removes the inlinks that pages have given, in each form, before their contents are deleted; returns the pages that they led to,
 * one for each.
 */
export async function removeInlinksFrom(tx: Sql, crawl: number, ...forms: readonly StoredLinks[]): Promise<PageKey[]> {
  const links = fragment`coalesce(p.former_outlink_keys, '{}') || p.outlink_keys`;
  let removed: PageKey[] = [];
  for (const { pages, rewrites } of forms)
    for (const chunk of chunksOf(pages, CHUNK)) {
      const inlinks = await inlinksThrough(tx, crawl, chunk, { links, rewrites, gone: false });
      removed = removed.concat(await removeInlinks(tx, crawl, inlinks));
    }
  return removed;
}

/** Pages whose links are stored under their own keys. */
export const underOwnKeys = (pages: readonly PageKey[]): Linking[] =>
  pages.map(({ host, key }) => ({ host, key, source: key }));

/**
 * Those of some pages whose links were read again and differ from their inlinks. They are locked until the transaction
 * ends: by a separate statement, as one that waited would read the links as they were before.
 */
export async function lockRelinked<P extends { host: string; key: string }>(
  tx: Sql,
  crawl: number,
  pages: readonly P[],
): Promise<P[]> {
  const toLock = await relinked(tx, crawl, pages);
  if (toLock.length === 0) return [];
  await lockPagesByHost(tx, crawl, toLock, 'reading');
  await tx.query(sql`
    select w.host from ${pageRows(crawl, toLock)} join webpage w on ${samePage}
     order by w.host, w.key_hash ${keepInOrder(fragment`w`)}`);
  return relinked(tx, crawl, toLock);
}

/** Those of the pages whose links have changed since their inlinks were written, and that still count as sources of links. */
async function relinked<P extends { host: string; key: string }>(
  tx: Sql,
  crawl: number,
  pages: readonly P[],
): Promise<P[]> {
  const changed = await rows<{ key: string }>(tx)`
    select page.key from ${pageRows(crawl, pages)}
      join page_content p on ${contentOfPage} and p.former_outlink_keys is not null
      join webpage w on ${samePage}
       and (w.status in ${REDIRECTED} or w.parse_major = ${PARSE_MAJOR.success})`;
  const keys = new Set(changed.map(({ key }) => key));
  return pages.filter(({ key }) => keys.has(key));
}

/**
 * The inlinks that pages may have given through these links, as they are and as the rewrites change them.
 * @param gone only through those that are not among the present links
 */
function inlinksThrough(
  tx: Sql,
  crawl: number,
  pages: readonly Linking[],
  { links, rewrites, gone }: { links: Fragment; rewrites: Rewrites | undefined; gone: boolean },
): Promise<Inlink[]> {
  const targets = JSON.stringify(Object.fromEntries(rewrites?.from.map((key, i) => [key, rewrites.to[i]]) ?? []));
  const spellings = rewrites ? fragment`array[link.key, ${targets}::jsonb ->> link.key]` : fragment`array[link.key]`;
  return rows<Inlink>(tx)`
    select split_part(target, ':', 1) as host, target as key, source
      from (select p.host, page.source, spelling.key as target
              from ${pageRows(crawl, pages, { source: 'text' })}
              join page_content p on ${contentOfPage}
             cross join lateral unnest(${links}) with ordinality as link (key, place)
             cross join lateral unnest(${spellings}) as spelling (key)
             where spelling.key is not null
             group by p.host, page.source, spelling.key
            ${gone ? fragment`having bool_and(link.place <= cardinality(p.former_outlink_keys))` : fragment``}) through`;
}
