/** Visits, links and content of a page. Each list is bounded. */
import { statusName } from '../../core/page/page-status.js';
import { protocolName } from '../../core/page/protocol-status.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { type Sql, row, rows, sql } from '../../db/sql.js';
import { pageRows } from '../../webpage/page-key.sql.js';
import type { PageKey } from '../../core/page/page-row.js';
import { brokenLinks, formatCursor } from './broken-links.query.js';
import type { PageContentFacts, PageInlink, PageOutlink, PageVisit } from './page-detail.dto.js';

export interface PageId {
  crawl: number;
  host: string;
  key: string;
}

const MAX_VISITS = 100;
const MAX_INLINKS = 100;
const MAX_OUTLINKS = 1_000;

/** Visits, newest first. */
export const visitsOf = async (db: Sql, { crawl, ...page }: PageId): Promise<PageVisit[]> =>
  (await visitsOfPages(db, crawl, [page])).get(page.key) ?? [];

/** Visits to pages by their keys, newest first. */
export async function visitsOfPages(
  db: Sql,
  crawl: number,
  pages: readonly PageKey[],
): Promise<Map<string, PageVisit[]>> {
  const visits = await rows<{
    key: string;
    time: Date;
    status: number;
    code: number;
    httpStatus: number | null;
    ms: number | null;
    bytes: number | null;
    signature: string | null;
    job: string | null;
  }>(db)`
    select key, time, status, code, "httpStatus", ms, bytes, signature, job
      from (select h.key, h.time, h.status, h.protocol_code as code, h.http_status as "httpStatus", h.ms, h.bytes, h.signature, h.job,
                   row_number() over (partition by h.host, h.key order by h.time desc) as nth
              from ${pageRows(crawl, pages)}
              join fetch_history h on h.crawl = page.crawl and h.host = page.host and h.key = page.key) visit
     where nth <= ${MAX_VISITS} order by key, nth`;
  const shaped = visits.map(({ key, time, status, code, ...visit }) => ({
    key,
    visit: { time: time.toISOString(), status: statusName(status), protocol: protocolName(code), ...visit },
  }));
  const byKey = Map.groupBy(shaped, ({ key }) => key);
  return new Map([...byKey].map(([key, visits]) => [key, visits.map(({ visit }) => visit)]));
}

/**
 * Links to a page, highest score first. If links to the page are broken, also links from pages of its host, which are not
 * stored as inlinks; only a bounded number of these pages is searched.
 */
export async function linksTo(
  db: Sql,
  page: PageId & { broken: boolean },
): Promise<{ inlinks: PageInlink[]; inlinksCursor: string | null }> {
  const stored = await inlinksOf(db, page);
  if (!page.broken) return { inlinks: stored, inlinksCursor: null };
  const { crawl, host, key } = page;
  const { links, next } = await brokenLinks(db, { crawl, host, target: key, limit: MAX_INLINKS });
  const known = new Set(stored.map(({ url }) => url));
  const anchorsBySource = new Map(links.map(({ link }) => [link.source, link.anchor]));
  const others = [...anchorsBySource]
    .filter(([url]) => !known.has(url))
    .map(([url, anchor]) => ({ url, anchor, score: null }));
  const inlinks = [...stored, ...others].slice(0, MAX_INLINKS);
  // Links beyond the limit are returned again when the scan continues from the first of them.
  const cut = stored.length + others.length > MAX_INLINKS ? others[MAX_INLINKS - stored.length] : undefined;
  const first = cut && links.find(({ link }) => link.source === cut.url);
  const from = first?.at ?? next;
  return { inlinks, inlinksCursor: from && formatCursor(from) };
}

/** Stored links to a page, highest score first. */
export async function inlinksOf(db: Sql, { crawl, host, key }: PageId): Promise<PageInlink[]> {
  const inlinks = await rows<{ source: string; anchor: string | null; score: number }>(db)`
    select source, anchor, score from inlink where crawl = ${crawl} and host = ${host} and key = ${key}
     order by score desc, source limit ${MAX_INLINKS}`;
  return inlinks.map(({ source, anchor, score }) => ({ url: unreverseUrl(source), anchor, score }));
}

/** Data stored apart from the row, without the two large columns. */
export interface PageRest {
  headers: Record<string, unknown>;
  outlinks: PageOutlink[];
  outlinkCount: number;
  content: PageContentFacts | null;
}

/** Headers, links and the facts about the content. */
export async function readPageRest(db: Sql, { crawl, host, key }: PageId): Promise<PageRest> {
  const stored = await row<{
    headers: Record<string, unknown> | null;
    keys: string[] | null;
    anchors: (string | null)[] | null;
    outlinkCount: number | null;
    facts: PageContentFacts;
  }>(db)`
    select headers, outlink_keys[1:${MAX_OUTLINKS}::int] as keys, outlink_anchors[1:${MAX_OUTLINKS}::int] as anchors,
           cardinality(outlink_keys) as "outlinkCount",
           json_build_object('length', content_length, 'textLength', text_length, 'charset', charset,
                             'truncated', truncated) as facts
      from page_content where crawl = ${crawl} and host = ${host} and key = ${key}`;
  const outlinks = (stored?.keys ?? []).map((target, at) => ({
    url: unreverseUrl(target),
    anchor: stored?.anchors?.[at] ?? '',
  }));
  return {
    headers: stored?.headers ?? {},
    outlinks,
    outlinkCount: stored?.outlinkCount ?? 0,
    content: stored?.facts ?? null,
  };
}

/**
 * One of the two large columns, as stored (zstd); null or undefined if there is none, or it was not stored
 * (`fetcher.store.content`).
 */
export async function largeColumn(
  db: Sql,
  { crawl, host, key }: PageId,
  name: 'content' | 'text',
): Promise<Buffer | null | undefined> {
  const column = await row<{ large: Buffer | null }>(
    db,
    name === 'content'
      ? sql`select nullif(content, ''::bytea) as large from page_content where crawl = ${crawl} and host = ${host} and key = ${key}`
      : sql`select text as large from page_content where crawl = ${crawl} and host = ${host} and key = ${key}`,
  );
  return column?.large;
}
