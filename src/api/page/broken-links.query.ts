/**
 * Broken links, from the outlinks of source pages: by default no inlinks are stored for links within a host, so the targets
 * of the outlinks of a range of pages are looked up, in key order. The number of pages read per call is bounded, not that of
 * links found.
 */
import { PROTOCOL_STATUS, protocolName } from '../../core/page/protocol-status.js';
import { PAGE_STATUS, statusName } from '../../core/page/page-status.js';
import { hostKeyOf, isRowKey, unreverseUrl } from '../../core/url/row-key.js';
import { type Sql, fragment, rows } from '../../db/sql.js';
import type { BrokenLink } from './broken-links.dto.js';
import { samePage, samePageAs } from '../../webpage/page-key.sql.js';

/** Where a scan continues: a page, and the number of its next link, from 1. */
export interface LinkCursor {
  key: string;
  link: number;
}

export interface LinkRange {
  crawl: number;
  /** Reversed host of the source pages; any host if missing. */
  host?: string;
  /** Row key: only links to this page. */
  target?: string;
  from?: LinkCursor;
  /** Maximum number of links. */
  limit: number;
}

export interface BrokenLinkAt {
  link: BrokenLink;
  at: LinkCursor;
}

/** Pages whose links are looked up by one statement; more with one target, because links are then only compared. */
const PAGES_AT_ONCE = { any: 50, ofTarget: 500 };
/** Maximum number of pages per call. */
export const MAX_PAGES = { any: 1_000, ofTarget: 5_000 };
/** Number of looked-up links after which a call reads no further pages. */
const ENOUGH_LINKS = 50_000;

/** Protocol statuses of pages that a reader cannot open. Pages that robots.txt forbids are gone, too, but may exist. */
const BROKEN = [
  PROTOCOL_STATUS.FAILED,
  PROTOCOL_STATUS.PROTO_NOT_FOUND,
  PROTOCOL_STATUS.GONE,
  PROTOCOL_STATUS.NOTFOUND,
  PROTOCOL_STATUS.EXCEPTION,
  PROTOCOL_STATUS.ACCESS_DENIED,
  PROTOCOL_STATUS.REDIR_EXCEEDED,
] as readonly number[];

/** Whether links to a page are broken. */
export const isBroken = ({ status, protocolCode }: { status: number; protocolCode: number | null }): boolean =>
  status === PAGE_STATUS.gone && protocolCode !== null && BROKEN.includes(protocolCode);

export const formatCursor = ({ link, key }: LinkCursor): string => `${link}:${key}`;

/** Parses a cursor; null for invalid text. */
export function readCursor(cursor: string): LinkCursor | null {
  const [, link, key] = /^([1-9]\d{0,8}):(.+)$/s.exec(cursor) ?? [];
  return link !== undefined && key !== undefined && isRowKey(key) ? { link: Number(link), key } : null;
}

/** The next broken links of a range, and where to continue; null when there are no more pages. */
export async function brokenLinks(
  db: Sql,
  range: LinkRange,
): Promise<{ links: BrokenLinkAt[]; next: LinkCursor | null }> {
  const kind = range.target === undefined ? 'any' : 'ofTarget';
  const links: BrokenLinkAt[] = [];
  let from = range.from;
  for (let pages = 0, looked = 0; pages < MAX_PAGES[kind] && looked < ENOUGH_LINKS; pages += PAGES_AT_ONCE[kind]) {
    const step = await nextLinks(db, { ...range, from }, PAGES_AT_ONCE[kind]);
    links.push(...step.links);
    const first = links[range.limit];
    if (first !== undefined) return { links: links.slice(0, range.limit), next: first.at };
    if (step.next === null) return { links, next: null };
    from = { key: step.next, link: 1 };
    looked += step.looked;
  }
  return { links, next: from ?? null };
}

/** A broken link, and how far the statement has read; without a `source` there is no link. */
interface LinkRow {
  source: string | null;
  at: number;
  key: string;
  anchor: string | null;
  status: number;
  protocolCode: number;
  httpStatus: number | null;
  looked: number;
  next: string | null;
}

/** The broken links of the next pages, the number of their links, and the page after them. Links of gone pages are ignored. */
async function nextLinks(
  db: Sql,
  { crawl, host, target, from, limit }: LinkRange,
  pages: number,
): Promise<{ links: BrokenLinkAt[]; looked: number; next: string | null }> {
  const begin = from ?? { key: '', link: 1 };
  const bounds =
    host === undefined
      ? fragment`(host, key) >= (${hostKeyOf(begin.key)}::text, ${begin.key}::text)`
      : fragment`host = ${host} and key >= ${begin.key}`;
  const linkRows = await rows<LinkRow>(db)`
    with page as materialized (
      select crawl, host, key, outlink_keys, outlink_anchors, row_number() over (order by host, key) as ordinal
        from (select crawl, host, key, outlink_keys, outlink_anchors from page_content
               where crawl = ${crawl} and ${bounds} order by crawl, host, key limit ${pages + 1}) next
    ), linking as materialized (
      select page.* from page
        join webpage w on ${samePage} and w.status <> ${PAGE_STATUS.gone}
       where page.ordinal <= ${pages} ${target === undefined ? fragment`` : fragment`and page.outlink_keys @> array[${target}::text]`}
    ), target as materialized (
      -- One row per target, with all links to it: a join with single links would look it up for each of them.
      select linking.crawl, split_part(link.key, ':', 1) collate "C" as host, link.key collate "C" as key, array_agg(linking.key) as sources,
             array_agg(link.at::int) as positions, array_agg(link.anchor) as anchors
        from linking
       cross join lateral unnest(linking.outlink_keys, linking.outlink_anchors) with ordinality as link (key, anchor, at)
       where (linking.key <> ${begin.key} or link.at >= ${begin.link}) ${target === undefined ? fragment`` : fragment`and link.key = ${target}`}
       group by 1, 2, 3
    ), known as materialized (
      -- Without a condition on the status: with one the planner would scan all pages that are gone.
      select w.key, w.status, w.protocol_code, w.http_status, target.sources, target.positions, target.anchors
        from target join webpage w on ${samePageAs('target')}
    ), broken_link as (
      select link.source collate "C" as source, link.at, known.key, link.anchor, known.status, known.protocol_code as "protocolCode",
             known.http_status as "httpStatus", split_part(link.source, ':', 1) collate "C" as source_host
        from known cross join lateral unnest(known.sources, known.positions, known.anchors) as link (source, at, anchor)
       where known.status = ${PAGE_STATUS.gone} and known.protocol_code = any (${BROKEN}::int[])
       order by source_host, source, link.at limit ${limit + 1}
    ), reached as (
      select (select coalesce(sum(cardinality(sources)), 0)::int from target) as looked,
             (select key from page where ordinal = ${pages + 1}) as next
    )
    select broken_link.*, reached.* from reached left join broken_link on true
     order by broken_link.source_host, broken_link.source, broken_link.at`;
  const links = linkRows.flatMap((row) => (row.source === null ? [] : [brokenLink({ ...row, source: row.source })]));
  return { links, looked: linkRows[0]?.looked ?? 0, next: linkRows[0]?.next ?? null };
}

const brokenLink = ({
  source,
  at,
  key,
  anchor,
  status,
  protocolCode,
  httpStatus,
}: LinkRow & { source: string }): BrokenLinkAt => ({
  link: {
    target: unreverseUrl(key),
    status: statusName(status),
    protocol: protocolName(protocolCode),
    httpStatus,
    source: unreverseUrl(source),
    anchor: anchor ?? '',
  },
  at: { key: source, link: at },
});
