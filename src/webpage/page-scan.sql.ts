/** Statements of page-scan.ts: the next hosts, keys and pages of a range. */
import type { Pool } from 'pg';
import { MAX_INT32 } from '../core/int32.js';
import type { PageRange } from '../core/page/page-range.js';
import { slowRows } from '../db/slow-rows.js';
import { type Fragment, allOf, fragment, ifGiven, rows, sql } from '../db/sql.js';
import { closedUnparsed } from './batch.store.js';
import { hostCountCodes, hostCountColumns, hostPages } from './host-pages.sql.js';
import { columnsOf } from './page-columns.sql.js';
import { pageRows, samePage } from './page-key.sql.js';
import type { PageKey, PageRow, PageWidth } from '../core/page/page-row.js';

export const HOSTS_AT_ONCE = 500;
/** Keys of a batch, or of a large host, in memory at once: some 5 MB. */
export const KEYS_AT_ONCE = 50_000;

export interface HostSize {
  host: string;
  pages: number;
}

/** Hosts that may have keys of the range, after one (a host with its colon), in key order. */
export function nextHosts(pool: Pool, range: PageRange, last: string): Promise<HostSize[]> {
  const { crawl, from, to, before, after } = range;
  const asked = allOf([
    fragment`crawl = ${crawl} and (host || ':') > ${last}`,
    fragment`(host || ':') >= ${hostBound(from)} and (host || ':') >= ${hostBound(after)}`,
    ifGiven(to, (bound) => fragment`(host || ':') <= ${hostBound(bound)}`),
    ifGiven(before, (bound) => fragment`(host || ':') < ${bound}`),
    ifGiven(
      statusesOf(range),
      (statuses) => fragment`exists (
             select from unnest(array[${hostCountCodes}], array[${hostCountColumns}]) as counted (status, n)
              where n > 0 and status = any (${statuses}::smallint[]))`,
    ),
  ]);
  return slowRows<HostSize>(
    pool,
    sql`
    select host, ${hostPages}::float8 as pages from host
     where ${asked}
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
export const keysOfHosts = (pool: Pool, range: PageRange, hosts: readonly string[]): Promise<PageKey[]> =>
  slowRows<PageKey>(
    pool,
    sql`
    select w.host, w.key from webpage w
     where w.crawl = ${range.crawl} and ${ofHosts(hosts)} and ${inKeys(range)} and ${wanted(range)}
     order by w.key limit ${KEYS_AT_ONCE}`,
    range.signal,
  );

/** Some hosts, and how much of their pages is read at once. */
export interface HostsChunk {
  hosts: string[];
  width: PageWidth;
  limit: number;
}

/**
 * The next pages of some hosts, in key order. The other tables are joined to the pages that were selected: joined before,
 * all content of a large host would be read for each chunk.
 */
export function chunkOfHosts(pool: Pool, range: PageRange, { hosts, width, limit }: HostsChunk): Promise<PageRow[]> {
  const { columns, join } = columnsOf[width];
  return slowRows<PageRow>(
    pool,
    sql`
    select ${columns}
      from (select * from webpage w
             where w.crawl = ${range.crawl} and ${ofHosts(hosts)} and ${inKeys(range)} and ${wanted(range)}
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
const wanted = (range: PageRange): Fragment =>
  allOf([
    ifGiven(statusesOf(range), (statuses) => fragment`w.status = any (${statuses}::smallint[])`),
    ifGiven(range.retries, (retries) => fragment`w.retries_since_fetch >= ${retries}`),
    range.updateMark === '-all' ? fragment`num_nonnulls(w.update_mark) = 1` : undefined,
  ]);

const statusesOf = ({ status }: PageRange): number[] | undefined =>
  status === undefined ? undefined : [status].flat();

/** The batch by whose marks the pages can be found, or undefined. */
export const markOf = ({ batch, updateMark }: PageRange): string | undefined =>
  batch ?? (updateMark === '-all' ? undefined : updateMark);

export interface BatchKey extends PageKey {
  /** Its position in its partition of the batch by score, then key, from 1; null: it has left the batch. */
  position: number | null;
  /** Its position in the fetch list: partition, and hash of the URL; after all others if it has left the batch. */
  ordinal: [partition: number, hash: number];
}

/** The next keys of a batch, in order. Reads the marks of the whole batch, and keeps the first keys. */
export const batchKeys = (pool: Pool, range: PageRange, last: BatchKey | undefined): Promise<BatchKey[]> =>
  slowRows<BatchKey>(
    pool,
    sql`${marked(last === undefined ? range : { ...range, after: last.key })} order by key limit ${KEYS_AT_ONCE}`,
    range.signal,
  );

/** The next keys of a batch in the order of its fetch list. */
export const fetchListKeys = (pool: Pool, range: PageRange, last: BatchKey | undefined): Promise<BatchKey[]> =>
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
export function pagesByKey(
  pool: Pool,
  range: PageRange,
  { keys, width }: { keys: PageKey[]; width: PageWidth },
): Promise<PageRow[]> {
  const { columns, join } = columnsOf[width];
  return rows<PageRow>(pool)`
    select ${columns}
      from ${pageRows(range.crawl, keys)}
      join webpage w on ${samePage} ${join}
     where ${wanted(range)}
     order by w.key`;
}
