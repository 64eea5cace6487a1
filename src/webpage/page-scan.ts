/**
 * Reads pages of a crawl in the order of their keys, any number of them, without holding them in memory.
 *
 * The table is kept by (crawl, host, hash of the key), and hosts in key order are not quite those of the index: `org.apache.www:`
 * comes before `org.apache:`. But it is the order of `host || ':'`, because every key begins with that. So hosts are read in that
 * order from the host table, which is small, and then pages host by host from the primary key, and sorted. Small hosts are read
 * together; hosts without a page of the wanted status are skipped. Of a large host the first chunk is read at once, as most
 * readers want no more; after it very many keys are sorted at once, and then the pages read by key, a chunk at a time. Pages
 * of one batch are found by their marks instead: their keys are read from the indexes of the marks, a chunk at a time, and
 * then the pages by key, with their positions in their partitions. No transaction stays open: each chunk is one statement,
 * which continues after the last key.
 */
import { MAX_INT32 } from '../core/int32.js';
import type { Pool } from 'pg';
import { slowRows } from '../db/slow-rows.js';
import { type Fragment, fragment, rows, sql } from '../db/sql.js';
import { closedUnparsed } from './batch.store.js';
import type { PageRange } from '../core/url/page-range.js';
import { type PageKey, type PageRow, type PageWidth, columnsOf } from './page-row.js';
import { pageRows, samePage } from './page-key.sql.js';
import { hostCountCodes, hostCountColumns, hostPages } from './host-pages.sql.js';

const HOSTS_AT_ONCE = 500;
/** Keys of a batch, or of a large host, in memory at once: some 5 MB. */
const KEYS_AT_ONCE = 50_000;
const pagesAtOnce: Record<PageWidth, number> = { row: 1_000, links: 200, content: 20 };

/**
 * Pages of a range in the order of their keys, chunk by chunk.
 * @param atOnce maximum number of pages in a chunk, for callers that want only a few
 */
export async function* scanPages(
  pool: Pool,
  range: PageRange,
  width: PageWidth,
  atOnce = pagesAtOnce[width],
): AsyncGenerator<PageRow[]> {
  const limit = Math.min(atOnce, pagesAtOnce[width]);
  if (markOf(range)) return yield* pagesOfBatch(pool, range, { width, limit });
  for (let behind = ''; ;) {
    const hosts = await hostsOf(pool, range, behind);
    for (const group of groupsOf(hosts, pagesAtOnce[width]))
      yield* pagesOfHosts(pool, range, { hosts: group, width, limit });
    const last = hosts.at(-1);
    if (last === undefined || hosts.length < HOSTS_AT_ONCE) return;
    behind = `${last.host}:`;
  }
}

interface HostSize {
  host: string;
  pages: number;
}

/** Hosts that may have keys of the range, after `behind` (a host with its colon), in key order. */
function hostsOf(pool: Pool, range: PageRange, behind: string): Promise<HostSize[]> {
  const { crawl, from, to, before, after } = range;
  const statuses = statusesOf(range);
  return slowRows<HostSize>(
    pool,
    sql`
    select host, ${hostPages}::float8 as pages
      from host
     where crawl = ${crawl} and (host || ':') > ${behind}
       and (host || ':') >= ${hostBound(from)} and (host || ':') >= ${hostBound(after)}
       and (${to ?? null}::text is null or (host || ':') <= ${hostBound(to)})
       and (${before ?? null}::text is null or (host || ':') < ${before ?? null})
       and (${statuses}::smallint[] is null or exists (
             select from unnest(array[${hostCountCodes}], array[${hostCountColumns}]) as counted (status, n)
              where n > 0 and status = any (${statuses}::smallint[])))
     order by (host || ':') limit ${HOSTS_AT_ONCE}`,
    range.signal,
  );
}

/** The value to compare `host || ':'` with so that it decides about a key: the key up to its colon, or all of it. */
function hostBound(key: string | undefined): string {
  const colon = key?.indexOf(':') ?? -1;
  return colon < 0 ? (key ?? '') : (key ?? '').slice(0, colon + 1);
}

/** Neighbouring hosts whose pages fit into one statement; a large host is alone. */
function groupsOf(hosts: readonly HostSize[], max: number): string[][] {
  const groups: string[][] = [];
  let size = 0;
  for (const { host, pages } of hosts) {
    size -= Math.max(1, pages);
    const group = groups.at(-1);
    if (group && size >= 0) group.push(host);
    else {
      groups.push([host]);
      size = max - pages;
    }
  }
  return groups;
}

interface Chunk {
  hosts: string[];
  width: PageWidth;
  limit: number;
}

async function* pagesOfHosts(pool: Pool, range: PageRange, chunk: Chunk): AsyncGenerator<PageRow[]> {
  const found = await chunkOfHosts(pool, range, chunk);
  if (found.length > 0) yield found;
  if (found.length < chunk.limit) return;
  for (let after = found.at(-1)!.key; ;) {
    const keys = await keysOfHosts(pool, { ...range, after }, chunk.hosts);
    for (let at = 0; at < keys.length; at += chunk.limit) {
      const pages = await pagesByKey(pool, range, { keys: keys.slice(at, at + chunk.limit), width: chunk.width });
      if (pages.length > 0) yield pages;
    }
    if (keys.length < KEYS_AT_ONCE) return;
    after = keys.at(-1)!.key;
  }
}

/** Pages of some hosts, for `webpage w`. A single host may be large: it is not passed as a list, for the planner's sake. */
const ofHosts = (hosts: readonly string[]) =>
  hosts.length === 1 ? fragment`w.host = ${hosts[0]}` : fragment`w.host = any (${hosts}::text[])`;

/** The next keys of some hosts, in order. Reads all pages of these hosts, and keeps the smallest keys. */
const keysOfHosts = (pool: Pool, range: PageRange, hosts: readonly string[]): Promise<PageKey[]> =>
  slowRows<PageKey>(
    pool,
    sql`
    select w.host, w.key from webpage w
     where w.crawl = ${range.crawl} and ${ofHosts(hosts)} and ${inKeys(range)} and ${wanted(range)} and ${marked(range)}
     order by w.key limit ${KEYS_AT_ONCE}`,
    range.signal,
  );

/**
 * The next pages of some hosts, in key order. The other tables are joined to the pages that were selected: joined before,
 * all content of a large host would be read for each chunk.
 */
function chunkOfHosts(pool: Pool, range: PageRange, { hosts, width, limit }: Chunk): Promise<PageRow[]> {
  const { columns, join } = columnsOf[width];
  return slowRows<PageRow>(
    pool,
    sql`
    select ${columns}
      from (select * from webpage w
             where w.crawl = ${range.crawl} and ${ofHosts(hosts)} and ${inKeys(range)} and ${wanted(range)} and ${marked(range)}
             order by w.key limit ${limit}) w ${join}
     order by w.key`,
    range.signal,
  );
}

/** The bounds of a range, for `webpage w`. */
const inKeys = ({ from, to, before, after }: PageRange) => fragment`w.key > ${after ?? ''} and w.key >= ${from ?? ''}
       and (${to ?? null}::text is null or w.key <= ${to ?? null})
       and (${before ?? null}::text is null or w.key < ${before ?? null})`;

/** The conditions of a range besides key and marks, for `webpage w`. */
function wanted(range: PageRange) {
  const statuses = statusesOf(range);
  const { retries = null } = range;
  return fragment`(${statuses}::smallint[] is null or w.status = any (${statuses}::smallint[]))
       and (${retries}::int is null or w.retries_since_fetch >= ${retries})`;
}

/**
 * The only mark that is not looked up by its value: any update mark. Written so that old statistics do not make its index be
 * read.
 */
const marked = ({ updateMark }: PageRange) =>
  updateMark === '-all' ? fragment`num_nonnulls(w.update_mark) = 1` : fragment`true`;

const statusesOf = ({ status }: PageRange): number[] | null => (status === undefined ? null : [status].flat());

/** The batch by whose marks the pages can be found, or undefined. */
const markOf = ({ batch, updateMark }: PageRange): string | undefined =>
  batch ?? (updateMark === '-all' ? undefined : updateMark);

async function* pagesOfBatch(
  pool: Pool,
  range: PageRange,
  { width, limit }: Omit<Chunk, 'hosts'>,
): AsyncGenerator<PageRow[]> {
  for (let last: BatchKey | undefined; ;) {
    const keys = await keysOfBatch(pool, range, last);
    for (let at = 0; at < keys.length; at += limit) {
      const chunk = keys.slice(at, at + limit);
      const found = (await pagesByKey(pool, range, { keys: chunk, width })).filter(inBatch(range));
      if (found.length > 0) yield withPositions(range.isFetchList ? inOrderOf(chunk, found) : found, chunk, range);
    }
    if (keys.length < KEYS_AT_ONCE) return;
    last = keys.at(-1)!;
  }
}

interface BatchKey extends PageKey {
  /** Its position in its partition of the batch by score, then key, from 1; null: it has left the batch. */
  position: number | null;
  /** Its position in the fetch list: partition, and hash of the URL; behind all others if it has left the batch. */
  place: [partition: number, hash: number];
}

const LEFT = fragment`array[${MAX_INT32}::int, 0]`;

/** The next keys of a batch, in order, with their positions. Reads the marks of the whole batch, and keeps the first keys. */
function keysOfBatch(pool: Pool, range: PageRange, last: BatchKey | undefined): Promise<BatchKey[]> {
  if (!range.isFetchList) {
    const keys = batchKeys(last === undefined ? range : { ...range, after: last.key });
    return slowRows<BatchKey>(pool, sql`${keys} order by key limit ${KEYS_AT_ONCE}`, range.signal);
  }
  const list = sql`
    select * from (${batchKeys(range)}) k where (place, key) > (${last?.place ?? []}::int[], ${last?.key ?? ''}::text)
     order by place, key limit ${KEYS_AT_ONCE}`;
  return slowRows<BatchKey>(pool, list, range.signal);
}

/** The keys of a range with its mark: of a batch, those of its waiting pages, and of those that it left without a new mark. */
function batchKeys(range: PageRange): Fragment {
  const mark = markOf(range)!;
  const within = inKeys(range);
  const underWay = fragment`
      select w.host, w.key, w.position, w.place
        from (select w.host, w.key, array[coalesce(w.partition_hash % b.partitions, 0), hashtext(w.key)] as place,
                     row_number() over (partition by coalesce(w.partition_hash, 0) % b.partitions
                                            order by w.score desc, w.key)::int as position
                from webpage w left join batch b on b.crawl = w.crawl and b.id = w.generate_mark
               where w.crawl = ${range.crawl} and w.generate_mark = ${mark}) w
       where ${within}
       union all
      select w.host, w.key, null, ${LEFT} from webpage w
       where w.crawl = ${range.crawl} and ${closedUnparsed(mark)} and ${within}
       union all`;
  // Pages that are in another batch now, or were since, no longer belong to this one.
  const isOver = fragment`and w.generate_mark is null and coalesce(w.batch_id, w.update_mark) = ${mark}`;
  return fragment`${range.batch === undefined ? fragment`` : underWay}
      select w.host, w.key, null as position, ${LEFT} as place from webpage w
       where w.crawl = ${range.crawl} and w.update_mark = ${mark} ${range.batch === undefined ? fragment`` : isOver} and ${within}`;
}

const inOrderOf = (keys: readonly PageKey[], pages: readonly PageRow[]): PageRow[] => {
  const found = new Map(pages.map((page) => [page.key, page]));
  return keys.flatMap(({ key }) => found.get(key) ?? []);
};

/** Whether a page still has the mark by which its key was found. */
function inBatch(range: PageRange): (page: PageRow) => boolean {
  const mark = markOf(range);
  return ({ generateMark, updateMark, batchId }) =>
    range.batch === undefined ? updateMark === mark : (generateMark ?? batchId ?? updateMark) === mark;
}

/** Pages that are still in the batch, with their positions in their partitions as metadata `rank`. */
function withPositions(pages: PageRow[], keys: readonly BatchKey[], { batch }: PageRange): PageRow[] {
  const positions = new Map(keys.map(({ key, position }) => [key, position]));
  return pages.map((page) => {
    const rank = positions.get(page.key) ?? null;
    return rank === null || page.generateMark !== batch ? page : { ...page, metadata: { ...page.metadata, rank } };
  });
}

/** Pages by key. Their marks are not checked here: the planner would read the whole batch for each chunk. */
function pagesByKey(
  pool: Pool,
  range: PageRange,
  { keys, width }: { keys: PageKey[]; width: PageWidth },
): Promise<PageRow[]> {
  const { columns, join } = columnsOf[width];
  return rows<PageRow>(pool)`
    select ${columns}
      from ${pageRows(range.crawl, keys)}
      join webpage w on ${samePage} ${join}
     where ${wanted(range)} and ${marked(range)}
     order by w.key`;
}
