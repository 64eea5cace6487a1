/**
 * The statements of INVERTLINKS: from the outlinks of pages that were parsed to the inlinks of their targets, a chunk of pages at
 * a time.
 */
import { type Sql, type Statement, fragment, row, rows, sql } from '../../db/sql.js';
import type { PageKey } from '../../core/page/page-row.js';
import type { LinksInDocuments } from '../../plugin/indexing-filters.js';
import { changedByLinks, linksOf, putInlinks, worthCapping } from '../inlinks.sql.js';
import type { Rewrites } from '../filter-links.js';
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { closedUnparsed } from '../../webpage/batch.store.js';
import { isParsed } from '../../webpage/document-due.store.js';
import { contentOfPage, inPartition, isAfter, pageRows, samePage } from '../../webpage/page-key.sql.js';
import { scoreQuotient } from '../../webpage/score-quotient.sql.js';

export interface Linker {
  host: string;
  key: string;
}

export interface LinkerQuery {
  crawl: number;
  batch: string;
  part: number;
  parts: number;
}

/**
 * Pages that were parsed in a batch: those that are still in it, by the index of batches; those that UPDATEDB has closed, by the
 * index of its marks; and those that it closed unparsed and PARSE of `-reparse` has parsed since. These indexes have no order, so
 * callers of this statement keep its rows (heldRows): each read would scan the marks of the whole batch.
 */
export const linkersOf = (q: LinkerQuery, after: Linker | undefined): Statement => sql`
    select host, key from (${ofBatch(q.crawl, q.batch)}) w
     where ${inPartition(q)} and (host, key) > (${after?.host ?? ''}::text, ${after?.key ?? ''}::text)
     order by host, key`;

/** Pages of every batch (`-all`), and those that were parsed in none: the next ones in the order of the table. */
export const nextLinkers = (db: Sql, crawl: number, limit: number, after: Linker | undefined): Promise<Linker[]> =>
  rows<Linker>(db)`
    select w.host, w.key from webpage w
     where w.crawl = ${crawl} and ${isAfter(after)}
       and num_nonnulls(w.parse_mark, w.update_mark, w.parse_major) > 0
     order by w.host, w.key_hash limit ${limit}`;

const ofBatch = (crawl: number, batch: string) => fragment`
    select host, key from webpage where crawl = ${crawl} and generate_mark = ${batch} and parse_mark is not null
     union all
    select host, key from webpage where crawl = ${crawl} and update_mark = ${batch}
       and (generate_mark is distinct from ${batch} or parse_mark is null)
     union all
    select w.host, w.key from webpage w where w.crawl = ${crawl} and ${closedUnparsed(batch)} and ${isParsed}
       and w.status in (${PAGE_STATUS.fetched}, ${PAGE_STATUS.duplicate})`;

/** The number of pages that were parsed in a batch. */
export async function countLinkers(db: Sql, crawl: number, batch: string): Promise<number> {
  return (await row<{ n: number }>(db)`select count(*)::int as n from (${ofBatch(crawl, batch)}) w`)!.n;
}

export interface InvertOptions {
  crawl: number;
  /** `linkdb.ignore.internal.links`, `linkdb.ignore.external.links`: inside a host, to another one. */
  ignoreInternal: boolean;
  ignoreExternal: boolean;
  maxAnchorLength: number;
  maxInlinks: number;
  /** Links that lead elsewhere, or nowhere, by the present URL rules. */
  rewrites?: Rewrites;
  /** Return the pages whose documents change, if these have inlinks. */
  inDocuments?: LinksInDocuments | undefined;
}

export interface Inverted {
  /** Links of the pages that the rules accept, including internal ones. */
  links: number;
  added: number;
  changed: number;
  /** Pages with inlinks among these, new or not, that may have too many. */
  linked: PageKey[];
  /** Pages whose documents these links have changed, if that was requested. */
  inDocuments: PageKey[];
}

/** `n` links found, inlinks added or changed. `linked`: a page that has inlinks of these. `document`: its document changes. */
interface InvertedRow {
  kind: 'links' | 'added' | 'changed' | 'linked' | 'document';
  host: string;
  key: string;
  n: number;
}

/**
 * Inverts the links of some pages in one statement. A known inlink keeps its score, which UPDATEDB gave it; a new
 * one gets the share of its page's score that each link has. Unchanged ones are not written again. Pages that have former
 * links were written meanwhile, or have failed since: new inlinks of them would remain when their next links are read.
 */
export async function invertLinks(
  tx: Sql,
  sources: { host: string; key: string; source: string }[],
  o: InvertOptions,
): Promise<Inverted> {
  const condition = fragment`case when host = source_host then not ${o.ignoreInternal}::bool else not ${o.ignoreExternal}::bool end`;
  const changed = o.inDocuments
    ? fragment`union all select 'document', host, key, 0 from (${changedByLinks(o.crawl, o.inDocuments)}) of_document`
    : fragment``;
  const effects = await rows<InvertedRow>(tx)`
    with link as materialized (
      select split_part(l.key, ':', 1) collate "C" as host, l.key collate "C" as key, split_part(page.source, ':', 1) as source_host,
             page.source, left(l.anchor, ${o.maxAnchorLength}::int) as anchor, ${scoreQuotient(fragment`w.score`, fragment`cardinality(p.outlink_keys)`)} as share
        from ${pageRows(o.crawl, sources, { source: 'text' })}
        join webpage w on ${samePage}
        join page_content p on ${contentOfPage} and p.former_outlink_keys is null
       cross join lateral ${linksOf(o.rewrites)} as l (key, anchor)
    ), inlinked as (
      ${putInlinks({
        crawl: o.crawl,
        maxInlinks: o.maxInlinks,
        sources: sources.length,
        condition,
        merge: fragment`set anchor = excluded.anchor where inlink.anchor is distinct from excluded.anchor`,
      })}
      returning (xmax = 0) as added, host, key, source, anchor
    )
    select 'links' as kind, '' as host, '' as key, count(*)::int as n from link
     union all
    select case when added then 'added' else 'changed' end, '', '', count(*)::int from inlinked group by added
     union all
    select distinct 'linked', host, key, 0 from link where ${condition} and ${worthCapping(o.maxInlinks)} ${changed}`;
  const pages = (kind: string): PageKey[] =>
    effects.filter((effect) => effect.kind === kind).map(({ host, key }) => ({ host, key }));
  const sum = (kind: string): number =>
    effects.filter((effect) => effect.kind === kind).reduce((total, { n }) => total + n, 0);
  return {
    links: sum('links'),
    added: sum('added'),
    changed: sum('changed'),
    linked: pages('linked'),
    inDocuments: pages('document'),
  };
}
