/** Stored pages as rows of a sequence file of 1.x: the key, and the value as text (`toString()`). */
import { FETCHED_STATUSES } from '../../core/page/page-status.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import type { StorePath } from '../../core/url/store-path.js';
import { batchNamed, findBatch, isKnownBatch } from '../../webpage/batch.store.js';
import { restored, unlessDamaged } from '../../webpage/damaged-page.js';
import { fetchTimesByKey } from '../../webpage/fetch-times.sql.js';
import type { PageRow } from '../../core/page/page-row.js';
import { scanPages } from '../../webpage/page-scan.sql.js';
import { type DumpPart, dumpPartNamed } from '../../webpage/segment-parts.sql.js';
import { datumText } from '../../core/page/dump-formats.js';
import { segmentEntries } from '../db/segment-records.js';
import { dumpTime } from './dump-names.js';
import { type ReadOf, inlinkRows } from './webgraph-rows.query.js';

const EPOCH = new Date(0);

type SequenceRow = [key: string, value: string];
type RowsUntil = (signal: AbortSignal) => AsyncGenerator<SequenceRow[]>;

/** Stores that `sequence/read` reads; the first is the default when a path ends with the crawl. */
export const SEQUENCE_STORES = ['crawldb', 'linkdb', 'segments', 'segment', 'dump'] as const;

/** The rows that a path names; for a segment without a part, its fetch list. Null: there is no such segment, part or dump. */
export async function sequenceOf(read: Omit<ReadOf, 'signal'>, { store, names }: StorePath): Promise<RowsUntil | null> {
  const [name = '', part = 'crawl_generate'] = names;
  if (store === 'crawldb') return (signal) => datumRows({ ...read, signal });
  if (store === 'linkdb') return (signal) => linkRows({ ...read, signal });
  if (store === 'dump') {
    const until = dumpTime(name);
    return until && ((signal) => dumpRows({ ...read, signal }, until));
  }
  const known = dumpPartNamed(part);
  const batch = await batchNamed(read.pool, read.crawl, name);
  if (known === undefined || batch === '' || !(await isKnownBatch(read.pool, read.crawl, batch))) return null;
  return (signal) => segmentRows({ ...read, signal }, { batch, part: known });
}

/** The crawldb: pages with their datum. */
async function* datumRows({ pool, crawl, signal }: ReadOf): AsyncGenerator<SequenceRow[]> {
  for await (const pages of scanPages(pool, { crawl, signal }, 'row'))
    yield pages.map((page) => [unreverseUrl(page.key), datumText(page)]);
}

/** The linkdb: pages with their inlinks, as Inlinks of 1.x writes them. */
async function* linkRows(read: ReadOf): AsyncGenerator<SequenceRow[]> {
  let [url, lines] = ['', [] as string[]];
  const page = (): SequenceRow[] => (lines.length > 0 ? [[url, `Inlinks:\n${lines.join('')}`]] : []);
  for await (const links of inlinkRows(read)) {
    const rows: SequenceRow[] = [];
    for (const { key_url: target = '', url: source, anchor } of links) {
      if (target !== url) {
        rows.push(...page());
        [url, lines] = [target, []];
      }
      lines.push(` fromUrl: ${source} anchor: ${anchor}\n`);
    }
    yield rows;
  }
  yield page();
}

/** One part of a segment. */
async function* segmentRows(
  { pool, crawl, signal }: ReadOf,
  { batch, part }: { batch: string; part: DumpPart },
): AsyncGenerator<SequenceRow[]> {
  const madeBatch = { crawl, ...((await findBatch(pool, crawl, batch)) ?? { id: batch }) };
  const dump = { batch: madeBatch, parts: [part], keep: () => true };
  for await (const records of segmentEntries(pool, { crawl, batch, signal }, dump))
    yield records.flatMap(([url, entries]) =>
      entries.filter(Boolean).map((text): SequenceRow => [url, withoutLabel(text)]),
    );
}

/** Removes the class name that a record of `readseg -dump` has before each value. */
const withoutLabel = (text: string): string => text.slice(text.indexOf('::\n') + 3);

/** A dump of the pages fetched up to a time, each as CommonCrawlDataDumper writes it, with the content as text. */
async function* dumpRows({ pool, crawl, signal }: ReadOf, until: Date): AsyncGenerator<SequenceRow[]> {
  for await (const pages of scanPages(pool, { crawl, status: FETCHED_STATUSES, signal }, 'content')) {
    const times = await fetchTimesByKey(pool, crawl, pages);
    for (const page of pages) {
      // A page without a visit was fetched before the visits that are kept.
      const time = times.get(page.key) ?? page.prevFetchTime ?? EPOCH;
      // One at a time: each may be large.
      if (page.content && time <= until) yield [await dumpRow(page, time)];
    }
    yield [];
  }
}

async function dumpRow(page: PageRow, time: Date): Promise<SequenceRow> {
  const url = unreverseUrl(page.key);
  const content = await unlessDamaged(restored(page, 'content', page.content!), () => null);
  const response = { status: page.httpStatus, headers: page.headers ?? {}, body: content?.toString() ?? '' };
  const record = {
    url,
    timestamp: time.getTime(),
    mimetype: page.contentType,
    key: page.key,
    response,
    ...(content === null && { damaged: ['content'] }),
  };
  return [url, JSON.stringify(record)];
}
