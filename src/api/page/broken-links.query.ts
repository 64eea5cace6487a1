/**
 * Broken links, as the pages that link have them: links inside a host make no inlinks as shipped, so their targets are looked
 * up from the stored links of a range of pages, in key order. What a call reads is bounded, not what it finds.
 */
import { PROTOCOL_STATUS, protocolName } from '../../core/page/protocol-status.js';
import { PAGE_STATUS, statusName } from '../../core/page/page-status.js';
import { hostKeyOf, isRowKey, unreverseUrl } from '../../core/url/row-key.js';
import { type Sql, fragment, rows } from '../../db/sql.js';
import type { BrokenLink } from './broken-links.dto.js';

/** Where a walk goes on: a page, and which of its links is the next, from 1. */
export interface LinkCursor {
  key: string;
  link: number;
}

export interface LinkRange {
  crawl: number;
  /** Reversed host of the pages that link; of any host when it is missing. */
  host?: string;
  /** Row key: only links to this page. */
  target?: string;
  from?: LinkCursor;
  /** Links at most. */
  limit: number;
}

export interface FoundLink {
  link: BrokenLink;
  at: LinkCursor;
}

/** Pages whose links are looked up by one statement; where one target is looked for, whose links are only compared. */
const PAGES_AT_ONCE = { any: 50, one: 500 };
/** Pages of one call, at most. */
export const MAX_PAGES = { any: 1_000, one: 5_000 };
/** Links that are looked up in one call before no further pages are read. */
const ENOUGH_LINKS = 50_000;

/** How visits ended of pages that are not there for a reader. Gone, too, is what robots.txt forbids: nobody knows of that. */
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

/** The place that a cursor names; null for a text that is none. */
export function readCursor(cursor: string): LinkCursor | null {
  const [, link, key] = /^([1-9]\d{0,8}):(.+)$/s.exec(cursor) ?? [];
  return link !== undefined && key !== undefined && isRowKey(key) ? { link: Number(link), key } : null;
}

/** The next broken links of a range, and where to go on; null when there are no more pages. */
export async function brokenLinks(db: Sql, range: LinkRange): Promise<{ links: FoundLink[]; next: LinkCursor | null }> {
  const kind = range.target === undefined ? 'any' : 'one';
  const found: FoundLink[] = [];
  let from = range.from;
  for (let pages = 0, looked = 0; pages < MAX_PAGES[kind] && looked < ENOUGH_LINKS; pages += PAGES_AT_ONCE[kind]) {
    const step = await nextLinks(db, { ...range, from }, PAGES_AT_ONCE[kind]);
    found.push(...step.links);
    const first = found[range.limit];
    if (first !== undefined) return { links: found.slice(0, range.limit), next: first.at };
    if (step.next === null) return { links: found, next: null };
    from = { key: step.next, link: 1 };
    looked += step.looked;
  }
  return { links: found, next: from ?? null };
}

/** A broken link, and how far the statement came; without a `source` there is no link. */
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

/** The broken links of the next pages, how many links these have, and the page behind them. Pages that are gone themselves link nowhere. */
async function nextLinks(
  db: Sql,
  { crawl, host, target, from, limit }: LinkRange,
  pages: number,
): Promise<{ links: FoundLink[]; looked: number; next: string | null }> {
  const begin = from ?? { key: '', link: 1 };
  const bounds =
    host === undefined
      ? fragment`(host, key) >= (${hostKeyOf(begin.key)}::text, ${begin.key}::text)`
      : fragment`host = ${host} and key >= ${begin.key}`;
  const found = await rows<LinkRow>(db)`
    with page as materialized (
      select crawl, host, key, outlink_keys, outlink_anchors, row_number() over (order by host, key) as place
        from (select crawl, host, key, outlink_keys, outlink_anchors from page_content
               where crawl = ${crawl} and ${bounds} order by crawl, host, key limit ${pages + 1}) next
    ), linking as materialized (
      select p.* from page p
        join webpage w on w.crawl = p.crawl and w.host = p.host and w.key_hash = hashtextextended(p.key, 0) and w.key = p.key and w.status <> ${PAGE_STATUS.gone}
       where p.place <= ${pages} ${target === undefined ? fragment`` : fragment`and p.outlink_keys @> array[${target}::text]`}
    ), target as materialized (
      -- Each looked up once, with the links to it: joined with a list of links it would be compared with each of them.
      select p.crawl, split_part(l.key, ':', 1) collate "C" as host, l.key collate "C" as key, array_agg(p.key) as sources,
             array_agg(l.at::int) as places, array_agg(l.anchor) as anchors
        from linking p
       cross join lateral unnest(p.outlink_keys, p.outlink_anchors) with ordinality as l (key, anchor, at)
       where (p.key <> ${begin.key} or l.at >= ${begin.link}) ${target === undefined ? fragment`` : fragment`and l.key = ${target}`}
       group by 1, 2, 3
    ), known as materialized (
      -- Whatever their status: by that the planner would walk all pages that are gone.
      select w.key, w.status, w.protocol_code, w.http_status, t.sources, t.places, t.anchors
        from target t join webpage w on w.crawl = t.crawl and w.host = t.host and w.key_hash = hashtextextended(t.key, 0) and w.key = t.key
    ), found as (
      select l.source collate "C" as source, l.at, known.key, l.anchor, known.status, known.protocol_code as "protocolCode",
             known.http_status as "httpStatus", split_part(l.source, ':', 1) collate "C" as source_host
        from known cross join lateral unnest(known.sources, known.places, known.anchors) as l (source, at, anchor)
       where known.status = ${PAGE_STATUS.gone} and known.protocol_code = any (${BROKEN}::int[])
       order by source_host, source, l.at limit ${limit + 1}
    ), reached as (
      select (select coalesce(sum(cardinality(sources)), 0)::int from target) as looked,
             (select key from page where place = ${pages + 1}) as next
    )
    select found.*, reached.* from reached left join found on true order by found.source_host, found.source, found.at`;
  const links = found.flatMap((row) => (row.source === null ? [] : [linkOf({ ...row, source: row.source })]));
  return { links, looked: found[0]?.looked ?? 0, next: found[0]?.next ?? null };
}

const linkOf = ({
  source,
  at,
  key,
  anchor,
  status,
  protocolCode,
  httpStatus,
}: LinkRow & { source: string }): FoundLink => ({
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
