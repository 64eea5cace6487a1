/**
 * Reading pages of a crawl in the order of their keys, as many as there are, without holding them.
 *
 * The table is kept by (crawl, host, key), and key order is not quite that order: `org.apache.www:` comes before
 * `org.apache:`. But it is the order of `host || ':'`, because every key begins so. Hence hosts are read in that order from
 * the host table, which is small, and then pages host by host from the primary key. Small hosts are read together.
 * No transaction is held open: each chunk is one statement, which goes on behind the last key.
 */
import type { Pool } from 'pg';
import { fragment, rows, sql } from '../../db/sql.js';

/** Which pages are read; bounds are row keys, both inclusive. */
export interface PageRange {
  crawl: number;
  from?: string;
  to?: string;
  /** Only keys behind this one: the cursor of an earlier answer. */
  after?: string;
  status?: number | readonly number[];
  /** Pages that failed at least this often in a row. */
  retries?: number;
  /** Pages with this update mark; `-all`: with any. */
  updateMark?: string;
}

/** What a scan can bring: the row alone, with its links and headers, or with content and text too. */
export type PageWidth = 'row' | 'links' | 'content';

export interface PageRow {
  host: string;
  key: string;
  status: number;
  fetchTime: Date;
  prevFetchTime: Date | null;
  fetchInterval: number;
  retriesSinceFetch: number;
  modifiedTime: Date | null;
  prevModifiedTime: Date | null;
  score: number;
  distance: number;
  batchId: string | null;
  injectMark: string | null;
  generateMark: string | null;
  fetchMark: string | null;
  parseMark: string | null;
  updateMark: string | null;
  indexMark: string | null;
  protocolCode: number | null;
  protocolArgs: string[] | null;
  parseMajor: number | null;
  parseMinor: number | null;
  parseArgs: string[] | null;
  signature: string | null;
  prevSignature: string | null;
  baseUrl: string | null;
  reprUrl: string | null;
  contentType: string | null;
  title: string | null;
  metadata: Record<string, unknown> | null;
  headers?: Record<string, unknown> | null;
  outlinkKeys?: string[] | null;
  outlinkAnchors?: (string | null)[] | null;
  /** zstd */
  content?: Buffer | null;
  /** zstd */
  text?: Buffer | null;
}

const hostsAtOnce = 500;
const pagesAtOnce: Record<PageWidth, number> = { row: 1_000, links: 200, content: 20 };

const rowColumns = fragment`w.host, w.key, w.status, w.fetch_time as "fetchTime", w.prev_fetch_time as "prevFetchTime",
  w.fetch_interval as "fetchInterval", w.retries_since_fetch as "retriesSinceFetch", w.modified_time as "modifiedTime",
  w.prev_modified_time as "prevModifiedTime", w.score, w.distance, w.batch_id as "batchId", w.inject_mark as "injectMark",
  w.generate_mark as "generateMark", w.fetch_mark as "fetchMark", w.parse_mark as "parseMark", w.update_mark as "updateMark",
  w.index_mark as "indexMark", w.protocol_code as "protocolCode", w.protocol_args as "protocolArgs",
  w.parse_major as "parseMajor", w.parse_minor as "parseMinor", w.parse_args as "parseArgs", w.signature,
  w.prev_signature as "prevSignature", w.base_url as "baseUrl", w.repr_url as "reprUrl", w.content_type as "contentType",
  w.title, w.metadata`;
const linkColumns = fragment`p.headers, p.outlink_keys as "outlinkKeys", p.outlink_anchors as "outlinkAnchors"`;
const apart = fragment`left join page_content p on p.crawl = w.crawl and p.host = w.host and p.key = w.key`;

const columnsOf = {
  row: { columns: rowColumns, join: fragment`` },
  links: { columns: fragment`${rowColumns}, ${linkColumns}`, join: apart },
  content: { columns: fragment`${rowColumns}, ${linkColumns}, p.content, p.text`, join: apart },
};

/** Pages of a range in the order of their keys, chunk by chunk. */
export async function* scanPages(pool: Pool, range: PageRange, width: PageWidth): AsyncGenerator<PageRow[]> {
  for (let behind = ''; ;) {
    const hosts = await hostsOf(pool, range, behind);
    for (const group of groupsOf(hosts, pagesAtOnce[width])) yield* pagesOfHosts(pool, range, { hosts: group, width });
    const last = hosts.at(-1);
    if (last === undefined || hosts.length < hostsAtOnce) return;
    behind = `${last.host}:`;
  }
}

/** One page, or undefined. */
export async function pageOf(
  pool: Pool,
  crawl: number,
  at: { host: string; key: string },
): Promise<PageRow | undefined> {
  const found = await rows<PageRow>(
    pool,
    sql`select ${rowColumns} from webpage w where w.crawl = ${crawl} and w.host = ${at.host} and w.key = ${at.key}`,
  );
  return found[0];
}

interface HostSize {
  host: string;
  pages: number;
}

/** Hosts that may have keys of the range, behind `behind` (a host with its colon), in key order. */
function hostsOf(pool: Pool, { crawl, from, to, after }: PageRange, behind: string): Promise<HostSize[]> {
  return rows<HostSize>(
    pool,
    sql`
    select host, (n_unfetched + n_fetched + n_gone + n_redir_temp + n_redir_perm + n_notmodified + n_duplicate + n_orphan
                  + n_parse_failed + n_retry)::float8 as pages
      from host
     where crawl = ${crawl} and (host || ':') > ${behind}
       and (host || ':') >= ${hostBound(from)} and (host || ':') >= ${hostBound(after)}
       and (${to ?? null}::text is null or (host || ':') <= ${hostBound(to)})
     order by (host || ':') limit ${hostsAtOnce}`,
  );
}

/** What `host || ':'` is compared with so that it decides about a key: the key up to its colon, or all of it. */
function hostBound(key: string | undefined): string {
  const colon = key?.indexOf(':') ?? -1;
  return colon < 0 ? (key ?? '') : (key ?? '').slice(0, colon + 1);
}

/** Neighbouring hosts whose pages fit into one statement; a large host is alone. */
function groupsOf(hosts: readonly HostSize[], most: number): string[][] {
  const groups: string[][] = [];
  let room = 0;
  for (const { host, pages } of hosts) {
    room -= Math.max(1, pages);
    const group = groups.at(-1);
    if (group && room >= 0) group.push(host);
    else {
      groups.push([host]);
      room = most - pages;
    }
  }
  return groups;
}

async function* pagesOfHosts(
  pool: Pool,
  range: PageRange,
  { hosts, width }: { hosts: string[]; width: PageWidth },
): AsyncGenerator<PageRow[]> {
  const limit = pagesAtOnce[width];
  for (let after = range.after ?? ''; ;) {
    const found = await chunk(pool, { ...range, after }, { hosts, width });
    if (found.length > 0) yield found;
    const last = found.at(-1);
    if (last === undefined || found.length < limit) return;
    after = last.key;
  }
}

/** The next pages of some hosts, in key order. */
function chunk(
  pool: Pool,
  range: PageRange,
  { hosts, width }: { hosts: string[]; width: PageWidth },
): Promise<PageRow[]> {
  const { columns, join } = columnsOf[width];
  const statuses = range.status === undefined ? null : [range.status].flat();
  return rows<PageRow>(
    pool,
    sql`
    select ${columns} from webpage w ${join}
     where w.crawl = ${range.crawl} and w.host = any (${hosts}::text[])
       and w.key > ${range.after ?? ''} and w.key >= ${range.from ?? ''}
       and (${range.to ?? null}::text is null or w.key <= ${range.to ?? null})
       and (${statuses}::smallint[] is null or w.status = any (${statuses}::smallint[]))
       and (${range.retries ?? null}::int is null or w.retries_since_fetch >= ${range.retries ?? null})
       and (${range.updateMark ?? null}::text is null
            or (${range.updateMark === '-all'} and w.update_mark is not null) or w.update_mark = ${range.updateMark ?? null})
     order by w.key limit ${pagesAtOnce[width]}`,
  );
}
