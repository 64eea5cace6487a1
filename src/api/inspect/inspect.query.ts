/** Queries of the inspectors, each of them bounded. */
import { type Sql, fragment, row, rows } from '../../db/sql.js';
import { sameContent } from '../../webpage/page-columns.sql.js';
import { FETCHED } from '../../webpage/page-status.sql.js';
import { isPage } from '../../webpage/page-key.sql.js';

export interface InspectedHost {
  failures: number;
  blockedUntil: Date | null;
  blockedBy: 'hand' | 'back-off' | null;
  drain: boolean;
}

/** The state of a host; undefined when the crawl has no page of it. */
export function readInspectedHost(db: Sql, crawl: number, host: string): Promise<InspectedHost | undefined> {
  return row<InspectedHost>(db)`
    select failures, blocked_until as "blockedUntil", blocked_by as "blockedBy", drain from host where crawl = ${crawl} and host = ${host}`;
}

/** Whether a crawl has pages of a reversed host, or of a reversed domain and the hosts below it. */
export async function hasPagesOf(db: Sql, crawl: number, at: { host: string } | { domain: string }): Promise<boolean> {
  const where =
    'host' in at
      ? fragment`host = ${at.host}`
      : fragment`(host = ${at.domain} or (host > ${`${at.domain}.`} and host < ${`${at.domain}/`}))`;
  const pages = await row<{ some: boolean }>(db)`
    select exists (select 1 from host where crawl = ${crawl} and ${where}) as some`;
  return pages!.some;
}

/** The page with the highest score that has the same content and is not a duplicate itself; undefined when there is none. */
export async function originalOf(
  db: Sql,
  crawl: number,
  page: { key: string; signature: string },
): Promise<string | undefined> {
  const original = await row<{ key: string }>(db)`
    select key from webpage
     where crawl = ${crawl} and hashtext(signature) = hashtext(${page.signature}) and signature = ${page.signature}
       and status in ${FETCHED} and key <> ${page.key}
     order by score desc, key limit 1`;
  return original?.key;
}

/** A fetched page with its content as stored (zstd). */
export interface StoredPage {
  host: string;
  key: string;
  baseUrl: string | null;
  contentType: string | null;
  truncated: string | null;
  content: Buffer | null;
  /** `X-Robots-Tag` headers, one a line. */
  robotsTag: string | null;
  /** Links from a seed. */
  distance: number;
  metadata: Record<string, string> | null;
}

const storedColumns = fragment`w.host, w.key, w.base_url as "baseUrl", w.content_type as "contentType", p.truncated, p.content,
  w.metadata->>'X-Robots-Tag' as "robotsTag", w.distance, w.metadata`;

/** A page with its stored content; undefined: the page is unknown, or its content is not stored. */
export function storedPage(db: Sql, crawl: number, at: { host: string; key: string }): Promise<StoredPage | undefined> {
  return row<StoredPage>(db)`
    select ${storedColumns} from webpage w join page_content p on ${sameContent}
     where ${isPage(crawl, at)} and p.content is not null`;
}

/** Row keys of pages whose content is stored: the first ones of a host, or of the crawl. */
export async function storedKeys(db: Sql, crawl: number, at: { host?: string; max: number }): Promise<string[]> {
  const pages = await rows<{ key: string }>(db)`
    select key from page_content
     where crawl = ${crawl} and ${at.host === undefined ? fragment`true` : fragment`host = ${at.host}`} and content is not null
     order by crawl, host, key limit ${at.max}`;
  return pages.map(({ key }) => key);
}
