/** Pages as indexing filters see them, built from all their stored data. */
import type { Pool } from 'pg';
import type { IndexLink, IndexPage } from '../../core/indexing/index-page.js';
import { essence, parseMimeType } from '../../core/page/mime.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { type BestInlink, bestInlinks } from '../../webpage/best-inlinks.sql.js';
import { type DamagedPage, restored, unlessDamaged } from '../../webpage/damaged-page.js';
import { fetchTimesByKey } from '../../webpage/fetch-times.sql.js';
import type { PageKey } from '../../core/page/page-row.js';
import { type IndexedRow, type IndexedExtras, readPages, readSegments } from './index.sql.js';

/** A page with its row. */
export interface ReadIndexPage {
  row: IndexedRow;
  page: IndexPage;
}

/** Pages of which text or content is damaged are returned apart. */
export async function readIndexPages(
  pool: Pool,
  crawl: number,
  keys: readonly PageKey[],
  extras: IndexedExtras,
): Promise<{ whole: ReadIndexPage[]; damaged: DamagedPage[] }> {
  const indexedRows = await readPages(pool, crawl, keys, extras);
  const [inlinks, times, segments] = await Promise.all([
    bestInlinks(pool, crawl, keys),
    fetchTimesByKey(pool, crawl, keys),
    readSegments(pool, crawl, [...new Set(indexedRows.flatMap((row) => indexedBatch(row) ?? []))]),
  ]);
  const linksByKey = Map.groupBy(inlinks, ({ key }) => key);
  const segmentById = new Map(segments.map(({ id, segment }) => [id, segment]));
  const damaged: DamagedPage[] = [];
  const pages = await Promise.all(
    indexedRows.map(async (row) => {
      const page = indexPage(row, {
        inlinks: (linksByKey.get(row.key) ?? []).map(indexLink),
        // If its visits are not kept any more, the time at which the last one was due is the closest.
        fetchTime: (times.get(row.key) ?? row.prevFetchTime ?? row.fetchTime).getTime(),
        segment: segmentById.get(indexedBatch(row) ?? '') ?? '',
      });
      const read = await unlessDamaged(page, (error) => void damaged.push(error));
      return read ? [{ row, page: read }] : [];
    }),
  );
  return { whole: pages.flat(), damaged };
}

/** The batch under which a page is indexed. */
export const indexedBatch = ({ updateMark, batchId }: IndexedRow): string | null => updateMark ?? batchId;

const indexLink = ({ source, anchor }: BestInlink): IndexLink => ({ url: unreverseUrl(source), anchor: anchor ?? '' });

async function indexPage(
  row: IndexedRow,
  more: Pick<IndexPage, 'inlinks' | 'fetchTime' | 'segment'>,
): Promise<IndexPage> {
  const url = unreverseUrl(row.key);
  const mime = parseMimeType(row.contentType ?? '');
  const keys = row.outlinkKeys ?? [];
  return {
    ...more,
    key: row.key,
    url,
    representative: row.reprUrl ?? url,
    status: row.status,
    title: row.title ?? '',
    text: row.text === null ? '' : (await restored(row, 'text', row.text)).toString('utf8'),
    type: mime === null ? '' : essence(mime),
    headers: asTexts(row.headers),
    contentLength: row.contentLength,
    content: row.content === null ? null : await restored(row, 'content', row.content),
    lastModified: row.lastModified?.getTime() ?? null,
    score: row.score,
    distance: row.distance,
    signature: row.signature ?? '',
    batchId: indexedBatch(row) ?? '',
    metadata: asTexts(row.metadata),
    outlinks: keys.map((key, at) => ({ url: unreverseUrl(key), anchor: row.outlinkAnchors?.[at] ?? '' })),
  };
}

/** An object of the database as texts; other values are written as JSON. Without a prototype: names come from pages. */
function asTexts(object: Record<string, unknown> | null): Record<string, string> {
  const texts = Object.create(null) as Record<string, string>;
  for (const [name, value] of Object.entries(object ?? {})) {
    if (value !== null && value !== undefined) texts[name] = typeof value === 'string' ? value : JSON.stringify(value);
  }
  return texts;
}
