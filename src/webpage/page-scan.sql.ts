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
import type { Pool } from 'pg';
import { chunksOf } from '../core/bounded-chunks.js';
import { MAX_INT32 } from '../core/int32.js';
import type { PageRange } from '../core/page/page-range.js';
import { slowRows } from '../db/slow-rows.js';
import { type Fragment, allOf, fragment, ifGiven, rows, sql } from '../db/sql.js';
import { closedUnparsed } from './batch.store.js';
import { hostCountCodes, hostCountColumns, hostPages } from './host-pages.sql.js';
import { columnsOf } from './page-columns.sql.js';
import { pageRows, samePage } from './page-key.sql.js';
import { REMOVED, REMOVED_STATUSES } from './page-status.sql.js';
import type { PageKey, PageRow, PageWidth } from '../core/page/page-row.js';

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
  for (let after = ''; ;) {
    const hosts = await nextHosts(pool, range, after);
    for (const group of groupsOf(hosts, pagesAtOnce[width]))
      yield* pagesOfHosts(pool, range, { hosts: group, width, limit });
    const last = hosts.at(-1);
    if (last === undefined || hosts.length < HOSTS_AT_ONCE) return;
    after = `${last.host}:`;
  }
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

async function* pagesOfHosts(pool: Pool, range: PageRange, chunk: HostsChunk): AsyncGenerator<PageRow[]> {
  const firstPages = await chunkOfHosts(pool, range, chunk);
  if (firstPages.length > 0) yield firstPages;
  if (firstPages.length < chunk.limit) return;
  for (let after = firstPages.at(-1)!.key; ;) {
    const keys = await keysOfHosts(pool, { ...range, after }, chunk.hosts);
    for (const some of chunksOf(keys, chunk.limit)) {
      const pages = await pagesByKey(pool, range, { keys: some, width: chunk.width });
      if (pages.length > 0) yield pages;
    }
    if (keys.length < KEYS_AT_ONCE) return;
    after = keys.at(-1)!.key;
  }
}

async function* pagesOfBatch(
  pool: Pool,
  range: PageRange,
  { width, limit }: Omit<HostsChunk, 'hosts'>,
): AsyncGenerator<PageRow[]> {
  const nextKeys = range.isFetchList ? fetchListKeys : batchKeys;
  for (let last: BatchKey | undefined; ;) {
    const keys = await nextKeys(pool, range, last);
    for (const chunk of chunksOf(keys, limit)) {
      const pages = (await pagesByKey(pool, range, { keys: chunk, width })).filter(inBatch(range));
      if (pages.length > 0) yield withPositions(range.isFetchList ? inOrderOf(chunk, pages) : pages, chunk, range);
    }
    if (keys.length < KEYS_AT_ONCE) return;
    last = keys.at(-1)!;
  }
}

const inOrderOf = (keys: readonly PageKey[], pages: readonly PageRow[]): PageRow[] => {
  const byKey = new Map(pages.map((page) => [page.key, page]));
  return keys.flatMap(({ key }) => byKey.get(key) ?? []);
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

interface HostSize {
  host: string;
  pages: number;
}

/** Hosts that may have keys of the range, after one (a host with its colon), in key order. */
function nextHosts(pool: Pool, range: PageRange, last: string): Promise<HostSize[]> {
  const { crawl, from, to, before, after } = range;
  const conditions = allOf([
    fragment`crawl = ${crawl} and (host || ':') > ${last}`,
    fragment`(host || ':') >= ${hostBound(from)} and (host || ':') >= ${hostBound(after)}`,
    ifGiven(to, (bound) => fragment`(host || ':') <= ${hostBound(bound)}`),
    ifGiven(before, (bound) => fragment`(host || ':') < ${bound}`),
    ifGiven(
      statusesOf(range),
      (statuses) => fragment`exists (
             select 1 from unnest(array[${hostCountCodes}], array[${hostCountColumns}]) as counted (status, n)
              where n > 0 and status = any (${statuses}::smallint[]))`,
    ),
  ]);
  return slowRows<HostSize>(
    pool,
    sql`
    select host, ${hostPages}::float8 as pages from host
     where ${conditions}
     order by (host || ':') limit ${HOSTS_AT_ONCE}`,
    range.signal,
  );
}

/** The value to compare `host || ':'` with so that it decides about a key: the key up to its colon, or all of it. */
function hostBound(key: string | undefined): string {
  const colon = key?.indexOf(':') ?? -1;
  return colon < 0 ? (key ?? '') : (key ?? '').slice(0, colon + 1);
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
     where w.crawl = ${range.crawl} and ${ofHosts(hosts)} and ${inKeys(range)} and ${conditionsOf(range)}
     order by w.key limit ${KEYS_AT_ONCE}`,
    range.signal,
  );

/** Some hosts, and how much of their pages is read at once. */
interface HostsChunk {
  hosts: string[];
  width: PageWidth;
  limit: number;
}

/**
 * The next pages of some hosts, in key order. The other tables are joined to the pages that were selected: joined before,
 * all content of a large host would be read for each chunk.
 */
function chunkOfHosts(pool: Pool, range: PageRange, { hosts, width, limit }: HostsChunk): Promise<PageRow[]> {
  const { columns, join } = columnsOf[width];
  return slowRows<PageRow>(
    pool,
    sql`
    select ${columns}
      from (select * from webpage w
             where w.crawl = ${range.crawl} and ${ofHosts(hosts)} and ${inKeys(range)} and ${conditionsOf(range)}
             order by w.key limit ${limit}) w ${join}
     order by w.key`,
    range.signal,
  );
}

/** The bounds of a range, for `webpage w`. */
const inKeys = ({ from, to, before, after }: PageRange): Fragment =>
  allOf([
    fragment`w.key > ${after ?? ''} and w.key >= ${from ?? ''}`,
    ifGiven(to, (bound) => fragment`w.key <= ${bound}`),
    ifGiven(before, (bound) => fragment`w.key < ${bound}`),
  ]);

/**
 * The conditions of a range besides its keys, for `webpage w`. The only mark among them is any update mark, written so that
 * old statistics do not make its index be read; pages with a certain mark are found by it.
 */
const conditionsOf = (range: PageRange): Fragment =>
  allOf([
    ifGiven(statusesOf(range), (statuses) => fragment`w.status = any (${statuses}::smallint[])`),
    isOfLeavers(range) ? fragment`coalesce(w.status in ${REMOVED}, false)` : undefined,
    ifGiven(range.retries, (retries) => fragment`w.retries_since_fetch >= ${retries}`),
    range.updateMark === '-all' ? fragment`num_nonnulls(w.update_mark) = 1` : undefined,
  ]);

/**
 * Whether index `webpage_leaver` has all pages of the wanted statuses: few of a large host, all of whose pages would be read
 * without it. PostgreSQL uses it for its own condition only.
 */
function isOfLeavers(range: PageRange): boolean {
  const statuses = statusesOf(range);
  return statuses !== undefined && statuses.every((status) => REMOVED_STATUSES.includes(status));
}

const statusesOf = ({ status }: PageRange): number[] | undefined =>
  status === undefined ? undefined : [status].flat();

/** The batch by whose marks the pages can be found, or undefined. */
const markOf = ({ batch, updateMark }: PageRange): string | undefined =>
  batch ?? (updateMark === '-all' ? undefined : updateMark);

interface BatchKey extends PageKey {
  /** Its position in its partition of the batch by score, then key, from 1; null: it has left the batch. */
  position: number | null;
  /** Its position in the fetch list: partition, and hash of the URL; after all others if it has left the batch. */
  ordinal: [partition: number, hash: number];
}

/** The next keys of a batch, in order. Reads the marks of the whole batch, and keeps the first keys. */
const batchKeys = (pool: Pool, range: PageRange, last: BatchKey | undefined): Promise<BatchKey[]> =>
  slowRows<BatchKey>(
    pool,
    sql`${marked(last === undefined ? range : { ...range, after: last.key })} order by key limit ${KEYS_AT_ONCE}`,
    range.signal,
  );

/** The next keys of a batch in the order of its fetch list. */
const fetchListKeys = (pool: Pool, range: PageRange, last: BatchKey | undefined): Promise<BatchKey[]> =>
  slowRows<BatchKey>(
    pool,
    sql`
    select * from (${marked(range)}) k where (ordinal, key) > (${last?.ordinal ?? []}::int[], ${last?.key ?? ''}::text)
     order by ordinal, key limit ${KEYS_AT_ONCE}`,
    range.signal,
  );

/** The keys of a range with its mark: of a batch, those of its waiting pages, and of those that it left without a new mark. */
const marked = (range: PageRange): Fragment =>
  range.batch === undefined
    ? withUpdateMark(range, range.updateMark!)
    : fragment`${waiting(range, range.batch)}
       union all ${leftUnparsed(range, range.batch)}
       union all ${withUpdateMark(range, range.batch)} and ${inNoBatchSince(range.batch)}`;

/** Pages that are in the batch now. */
const waiting = (range: PageRange, batch: string): Fragment => fragment`
      select w.host, w.key, w.position, w.ordinal
        from (select w.host, w.key, array[coalesce(w.partition_hash % b.partitions, 0), hashtext(w.key)] as ordinal,
                     row_number() over (partition by coalesce(w.partition_hash, 0) % b.partitions
                                            order by w.score desc, w.key)::int as position
                from webpage w left join batch b on b.crawl = w.crawl and b.id = w.generate_mark
               where w.crawl = ${range.crawl} and w.generate_mark = ${batch}) w
       where ${inKeys(range)}`;

/** The columns of pages that have left the batch. */
const ofLeft = fragment`w.host, w.key, null::int as position, array[${MAX_INT32}::int, 0] as ordinal`;

/** Pages that left the batch without an update mark. */
const leftUnparsed = (range: PageRange, batch: string): Fragment => fragment`
      select ${ofLeft} from webpage w
       where w.crawl = ${range.crawl} and ${closedUnparsed(batch)} and ${inKeys(range)}`;

const withUpdateMark = (range: PageRange, mark: string): Fragment => fragment`
      select ${ofLeft} from webpage w
       where w.crawl = ${range.crawl} and w.update_mark = ${mark} and ${inKeys(range)}`;

/** Pages that are in another batch now, or were since, no longer belong to this one. */
const inNoBatchSince = (batch: string): Fragment =>
  fragment`w.generate_mark is null and coalesce(w.batch_id, w.update_mark) = ${batch}`;

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
     where ${conditionsOf(range)}
     order by w.key`;
}
