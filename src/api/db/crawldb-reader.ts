/** What the routes of `/db` read. Large answers are generators of text. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { FETCHED_STATUSES } from '../../core/page/page-status.js';
import { ConfStore } from '../../conf/conf.store.js';
import { isRowKey, unreverseUrl } from '../../core/url/row-key.js';
import { findBatch } from '../../webpage/batch.store.js';
import { quantilesOf } from '../../webpage/crawl-stats.js';
import { knownCrawl } from '../../webpage/crawl.store.js';
import { boundOfUrl, hostOfUrlPrefix } from '../../core/url/key-range.js';
import type { PageRange } from '../../core/page/page-range.js';
import type { PageRow } from '../../core/page/page-row.js';
import { scanPages } from '../../webpage/page-scan.sql.js';
import type { DumpPart } from '../../webpage/segment-parts.sql.js';
import { Database } from '../database.js';
import { type Scored, bestAfter, crawlOfNewestFetch, inlinksOfPages, onlyCrawl } from './crawldb.query.js';
import { confIdUnknown, shown } from '../problem.js';
import { queryRefused } from '../refused-fields.js';
import { visitsOfPages } from '../page/page-detail.query.js';
import { knownHostOfUrl } from '../host/host-key.js';
import { findPage, rowKeyGiven } from '../page/page-finder.js';
import type { DbFilter, FetchNodeDbInfo } from './db.dto.js';
import { type DumpFormat, headOf, writePage } from '../../core/page/dump-formats.js';
import { withFetchMetadata } from './fetch-metadata.js';
import { LINKED_AT_ONCE, PIECE_LENGTH, segmentRecords } from './segment-records.js';
import { type PageFilter, filtered } from './dump-filter.js';
import { javaFloat } from '../../core/java-float.js';
import { type LinkedPage, askedFields, shape, widthOf } from './page-fields.js';

/** Lines of `topN` in memory at once: some 15 MB. */
const TOP_AT_ONCE = 50_000;
@Injectable()
export class CrawlDbReader {
  constructor(
    private readonly database: Database,
    private readonly confs: ConfStore,
  ) {}

  /** The number of a crawl; undefined when nothing was ever written to it. */
  crawlNumber(crawlId: string): Promise<number | undefined> {
    return knownCrawl(this.database.pool, crawlId);
  }

  /** Throws CONFIG_ID_UNKNOWN. */
  async requireConf(confId: string): Promise<void> {
    if (!(await this.confs.isKnown(confId))) throw confIdUnknown(confId);
  }

  /** The crawl of the running FETCH, else of the newest FETCH, else the only crawl: 1.x clients name none. */
  async crawlOfFetch(): Promise<number | undefined> {
    const { pool } = this.database;
    return (await crawlOfNewestFetch(pool)) ?? onlyCrawl(pool);
  }

  /** The score quantiles that a configuration asks for (`db.stats.score.quantiles`). */
  async quantiles(confId: string): Promise<number[]> {
    const conf = await this.confs.findWithRules(confId);
    if (conf === undefined) throw confIdUnknown(confId);
    return quantilesOf(conf['db.stats.score.quantiles']);
  }

  /** The page of a URL, as given or as normalized with the configuration. */
  async page(crawl: number | undefined, url: string, confId: string): Promise<PageRow | undefined> {
    return findPage({ pool: this.database.pool, confs: this.confs }, crawl, { field: 'args.url', url, confId });
  }

  /** `{"values":[…],"cursor":…}`, page by page. */
  async *query(crawl: number | undefined, filter: DbFilter, signal?: AbortSignal): AsyncGenerator<string> {
    const fields = askedFields(filter.fields);
    let more = false;
    let last: string | null = null;
    const range = rangeOfFilter(filter, await this.hostKeysOf(crawl, filter));
    yield '{"values":[';
    for await (const chunk of this.scan(crawl, { ...range, signal }, { fields, limit: filter.limit })) {
      let piece = '';
      for (const page of chunk.pages) {
        piece += `${last === null ? '' : ','}${JSON.stringify(shape(page, fields))}`;
        last = page.key;
        if (piece.length < PIECE_LENGTH) continue;
        yield piece;
        piece = '';
        await nextIteration();
      }
      yield piece;
      more = chunk.more;
    }
    yield `],"cursor":${more ? JSON.stringify(last) : 'null'}}`;
  }

  /**
   * A dump of the pages that `keep` accepts; for a batch it includes metadata of the fetch (`fetch-metadata.ts`). A piece is
   * empty when none of a thousand pages was accepted.
   */
  async *dump(range: PageRange, format: DumpFormat, keep: PageFilter): AsyncGenerator<string> {
    yield headOf(format);
    const { crawl, batch } = range;
    const { pool } = this.database;
    const batchRow = batch === undefined ? undefined : ((await findBatch(pool, crawl, batch)) ?? { id: batch });
    for await (const chunk of scanPages(pool, range, 'row')) {
      const kept = await filtered(chunk, keep);
      const withMetadata = batchRow === undefined ? kept : await withFetchMetadata(pool, kept, { crawl, ...batchRow });
      yield withMetadata.map((page) => writePage(page, format)).join('');
    }
  }

  /** Parts of a batch, as `readseg -dump` writes them. */
  async *segment(
    range: PageRange & { batch: string },
    parts: readonly DumpPart[],
    keep: PageFilter,
  ): AsyncGenerator<string> {
    const { pool } = this.database;
    const { crawl, batch } = range;
    const madeBatch = { crawl, ...((await findBatch(pool, crawl, batch)) ?? { id: batch }) };
    yield* segmentRecords(pool, range, { batch: madeBatch, parts, keep });
  }

  /** Lines of score, TAB, URL, best first. Scans all pages of the crawl, again for each 50,000 lines. */
  async *topN(
    crawl: number | undefined,
    { max, minScore, signal }: { max: number; minScore: number; signal?: AbortSignal },
  ): AsyncGenerator<string> {
    if (crawl === undefined) return;
    let last: Scored | undefined;
    for (let left = max; left > 0; left -= TOP_AT_ONCE) {
      const limit = Math.min(left, TOP_AT_ONCE);
      const best = await bestAfter(this.database.pool, crawl, { last, minScore, limit, signal });
      yield best.map(({ key, score }) => `${javaFloat(score)}\t${unreverseUrl(key)}\n`).join('');
      if (best.length < limit) return;
      last = best.at(-1);
    }
  }

  /** Fetched pages with their links, entry `from` to entry `to` (0: all), as a JSON array. */
  async *fetchedPages(
    crawl: number | undefined,
    { from, to, signal }: { from: number; to: number; signal?: AbortSignal },
  ): AsyncGenerator<string> {
    let offset = 0;
    let begun = false;
    yield '[';
    if (crawl !== undefined) {
      for await (const pages of scanPages(this.database.pool, { crawl, status: FETCHED_STATUSES, signal }, 'links')) {
        const entries = pages.filter((_, at) => offset + at + 1 >= from && (to === 0 || offset + at + 1 <= to));
        yield entries.length > 0
          ? (begun ? ',' : '') + entries.map((page) => JSON.stringify(nodeOf(page))).join(',')
          : '';
        begun ||= entries.length > 0;
        offset += pages.length;
        if (to !== 0 && offset >= to) break;
      }
    }
    yield ']';
  }

  /**
   * The pages of an answer, with what its fields need, in groups small enough for memory. One more is read than is requested:
   * it shows whether there are more.
   */
  private async *scan(
    crawl: number | undefined,
    range: Omit<PageRange, 'crawl'>,
    { fields, limit }: { fields: readonly string[]; limit: number },
  ): AsyncGenerator<{ pages: LinkedPage[]; more: boolean }> {
    if (crawl === undefined) return;
    let left = limit;
    for await (const chunk of scanPages(this.database.pool, { ...range, crawl }, widthOf(fields), limit + 1)) {
      const pages = chunk.slice(0, left);
      const more = chunk.length > left;
      const isWide = fields.includes('inlinks') || fields.includes('history');
      const atOnce = isWide ? LINKED_AT_ONCE : Math.max(1, pages.length);
      // A chunk of which nothing is returned still shows that there are more.
      for (let at = 0; at === 0 || at < pages.length; at += atOnce) {
        const group = pages.slice(at, at + atOnce);
        const linked = fields.includes('inlinks') ? await this.withInlinks(crawl, group) : group;
        yield { pages: fields.includes('history') ? await this.withHistory(crawl, linked) : linked, more };
      }
      left -= pages.length;
      if (more) return;
    }
  }

  /** The reversed hosts of the bounds as the crawl stores them, by URL: a name outside ASCII has two forms. */
  private async hostKeysOf(crawl: number | undefined, { startKey, endKey }: DbFilter): Promise<Map<string, string>> {
    const hostKeys = new Map<string, string>();
    for (const url of [startKey, endKey]) {
      const host = url && hostOfUrlPrefix(url);
      const known = crawl === undefined || !host ? undefined : await knownHostOfUrl(this.database.pool, crawl, host);
      if (url && known !== undefined) hostKeys.set(url, known);
    }
    return hostKeys;
  }

  /** Adds to each page its inlinks: anchor by source URL. */
  private async withInlinks(crawl: number, pages: PageRow[]): Promise<LinkedPage[]> {
    const byKey = Map.groupBy(await inlinksOfPages(this.database.pool, crawl, pages), ({ key }) => key);
    return pages.map((page) => {
      const inlinks: Record<string, string> = Object.create(null);
      for (const { source, anchor } of byKey.get(page.key) ?? []) inlinks[unreverseUrl(source)] = anchor ?? '';
      return { ...page, inlinks };
    });
  }

  private async withHistory(crawl: number, pages: LinkedPage[]): Promise<LinkedPage[]> {
    const visits = await visitsOfPages(this.database.pool, crawl, pages);
    return pages.map((page) => ({ ...page, history: visits.get(page.key) ?? [] }));
  }
}

/** Checks keys and cursor before an answer begins, without `hostKeys`. Throws QUERY_INVALID. */
export function rangeOfFilter(
  filter: DbFilter,
  hostKeys: ReadonlyMap<string, string> = new Map(),
): Omit<PageRange, 'crawl'> {
  const reversed = filter.isKeysReversed ?? filter.keysReversed ?? false;
  const { startKey, endKey, batchId, cursor } = filter;
  const bound = (field: string, key: string | undefined) =>
    key === undefined || reversed ? key : rowKeyGiven(field, key, (url) => boundOfUrl(url, hostKeys.get(url)));
  const from = bound('startKey', startKey || undefined);
  const to = from === undefined ? undefined : bound('endKey', endKey || undefined);
  if (cursor && !isRowKey(cursor))
    throw queryRefused('cursor', `cursor must be the cursor of an answer, or a row key (given: ${shown(cursor)})`);
  return { from, to, after: cursor || undefined, updateMark: batchId };
}

function nodeOf({ key, status, outlinkKeys, outlinkAnchors }: PageRow): FetchNodeDbInfo {
  const keys = outlinkKeys ?? [];
  const children = keys.map((target, at) => ({
    childUrl: unreverseUrl(target),
    anchorText: outlinkAnchors?.[at] ?? '',
  }));
  return { url: unreverseUrl(key), status, numOfOutlinks: keys.length, children };
}
