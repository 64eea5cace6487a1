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
import type { PageRange } from '../core/page/page-range.js';
import {
  type BatchKey,
  HOSTS_AT_ONCE,
  type HostSize,
  type HostsChunk,
  KEYS_AT_ONCE,
  batchKeys,
  chunkOfHosts,
  fetchListKeys,
  keysOfHosts,
  markOf,
  nextHosts,
  pagesByKey,
} from './page-scan.sql.js';
import type { PageKey, PageRow, PageWidth } from '../core/page/page-row.js';

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

async function* pagesOfBatch(
  pool: Pool,
  range: PageRange,
  { width, limit }: Omit<HostsChunk, 'hosts'>,
): AsyncGenerator<PageRow[]> {
  const nextKeys = range.isFetchList ? fetchListKeys : batchKeys;
  for (let last: BatchKey | undefined; ;) {
    const keys = await nextKeys(pool, range, last);
    for (let at = 0; at < keys.length; at += limit) {
      const chunk = keys.slice(at, at + limit);
      const found = (await pagesByKey(pool, range, { keys: chunk, width })).filter(inBatch(range));
      if (found.length > 0) yield withPositions(range.isFetchList ? inOrderOf(chunk, found) : found, chunk, range);
    }
    if (keys.length < KEYS_AT_ONCE) return;
    last = keys.at(-1)!;
  }
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
