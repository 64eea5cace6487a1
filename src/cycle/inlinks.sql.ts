/**
 * How links become inlinks: UPDATEDB stores those of the batch it closes, INVERTLINKS those of any batch by rules of
 * its own. Both aggregate the links of a chunk by target and source, take the best of each target, and merge them with
 * the existing ones, in key order, so that writers cannot deadlock.
 */
import { byNodes, lockInOrder } from '../db/row-locks.js';
import { type Fragment, type Sql, fragment, rows, sql } from '../db/sql.js';
import type { PageKey } from '../core/page/page-row.js';
import type { LinksInDocuments } from '../plugin/indexing-filters.js';
import type { Rewrites } from './filter-links.js';
import { pageRows } from '../webpage/page-key.sql.js';

/** The links of a page `p`; without those that lead nowhere, if there are rewrites. */
export function linksOf(rewrites: Rewrites | undefined): Fragment {
  if (rewrites === undefined || rewrites.from.length === 0) return fragment`unnest(p.outlink_keys, p.outlink_anchors)`;
  // An object, as a join inside of LATERAL is more than a table distributed over many nodes allows.
  const targets = JSON.stringify(Object.fromEntries(rewrites.from.map((key, i) => [key, rewrites.to[i]])));
  return fragment`(select coalesce(${targets}::jsonb ->> outlink.key, outlink.key), outlink.anchor
                  from unnest(p.outlink_keys, p.outlink_anchors) as outlink (key, anchor)
                 where not ${targets}::jsonb ? outlink.key or ${targets}::jsonb ->> outlink.key is not null)`;
}

/** Maximum bytes of host, key and source together: an entry of the primary key has 2,704 at most, some 30 of them overhead. */
const MAX_INLINK_LENGTH = 2_650;

/**
 * Inserts the best inlinks of each target from `link` (host, key, source, anchor, share), a CTE of the statement, if
 * `condition` allows them. `merge` is the update of known ones. Of `sources` pages at most that many can link to
 * one target: if that is below the limit, all are inserted. An inlink that is too long for an index entry is left out.
 */
export function putInlinks(o: {
  crawl: number;
  maxInlinks: number;
  sources: number;
  condition: Fragment;
  merge: Fragment;
}): Fragment {
  const all = fragment`
        select host, key, source, min(anchor) as anchor, sum(share) as share
          from link
         where ${o.condition} and octet_length(host) + octet_length(key) + octet_length(source) <= ${MAX_INLINK_LENGTH}
         group by host, key, source`;
  const best = fragment`
        select * from (select linked.*, row_number() over (partition by host, key order by share desc, source) as position
                         from (${all}) linked) ranked
         where position <= ${o.maxInlinks}`;
  return fragment`
      insert into inlink (crawl, host, key, source, anchor, score)
      select ${o.crawl}, host, key, source, anchor, share
        from (${o.sources > o.maxInlinks ? best : all}) chosen
       order by host, key, source
      on conflict (crawl, host, key, source) do update ${o.merge}`;
}

/**
 * For a sample of new inlinks the inlinks of their pages are counted: counting for every page that got one would cost as much as
 * writing them. Small limits are exact; a large one may be exceeded by about a hundredth until the next count.
 */
export const worthCapping = (maxInlinks: number): Fragment =>
  fragment`abs(hashtext(source)::bigint) % ${Math.max(1, Math.floor(maxInlinks / 100))} = 0`;

/**
 * The pages whose documents change by the rows of `inlinked` (host, key, source, anchor), a CTE of the statement that has just
 * put them. As index-anchor adds each text once per linking domain, a new link with the text of another link of its host
 * changes nothing: a menu on every page of a site would otherwise make all of its targets change with each batch. No `exists`:
 * by old statistics the planner would read all inlinks of the crawl into a hash table for it. On many nodes all pages with such
 * a row count as changed: the inlinks are on the nodes of their pages, and the rows are not.
 */
export function changedByLinks(crawl: number, which: LinksInDocuments): Fragment {
  const before = fragment`inlink i where i.crawl = ${crawl} and i.host = l.host and i.key = l.key`;
  const isKnown = fragment`(select true from ${before} and i.source = l.source) is not null`;
  const fromHost = fragment`i.source >= split_part(l.source, ':', 1) || ':' and i.source < split_part(l.source, ':', 1) || ';'`;
  const isNew =
    which === 'all'
      ? fragment`true`
      : fragment`l.anchor <> '' and (select true from ${before} and ${fromHost} and i.anchor = l.anchor limit 1) is null`;
  const changes = fragment`case when ${isKnown} then (select i.anchor from ${before} and i.source = l.source) is distinct from l.anchor
                else ${isNew} end`;
  return fragment`
    select distinct l.host, l.key from inlinked l where ${byNodes({ one: changes, many: fragment`true` })}`;
}

export interface Inlink extends PageKey {
  source: string;
}

/** Kinds of joins that read a whole table, enabled or disabled until the transaction ends. */
const readingAll = (allowed: boolean) => sql`
  select set_config(name, ${allowed ? 'on' : 'off'}, true)
    from unnest(array['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin']) as setting (name)`;

/**
 * Keeps the best inlinks of pages that have more than their limit; returns how many were deleted. Pages are looked up by
 * index, one by one, whatever the planner estimates: by statistics that are older than the rows just written it read the
 * whole table, and took a minute for 3,000 pages.
 *
 * The current transaction sees its own inlinks and those that are committed: if others may insert at the same time, each
 * counts in a transaction after the one in which it inserts. Then the last one to commit has seen all.
 */
export async function capInlinks(
  tx: Sql,
  crawl: number,
  pages: { host: string; key: string }[],
  max: number,
): Promise<number> {
  await tx.query(readingAll(false));
  const surplus = await rows<Inlink>(tx)`
    select host, key, source
      from (select i.host, i.key, i.source, row_number() over (partition by i.host, i.key order by i.score desc, i.source) as position
              from ${pageRows(crawl, pages)}
              join inlink i on i.crawl = page.crawl and i.host = page.host and i.key = page.key) ranked
     where position > ${max}`;
  const dropped = surplus.length === 0 ? [] : await dropInlinks(tx, crawl, surplus);
  await tx.query(readingAll(true));
  return dropped.length;
}

/** Removes inlinks if they exist; returns the pages that they led to, one for each. Looked up by index as above. */
export async function removeInlinks(tx: Sql, crawl: number, inlinks: readonly Inlink[]): Promise<PageKey[]> {
  if (inlinks.length === 0) return [];
  await tx.query(readingAll(false));
  const removed = await dropInlinks(tx, crawl, inlinks);
  await tx.query(readingAll(true));
  return removed;
}

/** In key order, as they are inserted. Those that another transaction has dropped meanwhile do not count. */
const dropInlinks = (tx: Sql, crawl: number, surplus: readonly Inlink[]): Promise<PageKey[]> =>
  rows<PageKey>(tx)`
    with locked as materialized (
      select i.crawl, i.host, i.key, i.source
        from ${pageRows(crawl, surplus, { source: 'text' })}
        join inlink i on i.crawl = page.crawl and i.host = page.host and i.key = page.key and i.source = page.source
       order by i.host, i.key, i.source ${lockInOrder(fragment`i`)}
    )
    delete from inlink i using locked
     where i.crawl = locked.crawl and i.host = locked.host and i.key = locked.key and i.source = locked.source
    returning i.host, i.key`;
