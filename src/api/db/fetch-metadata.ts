/**
 * What Nutch 1.x keeps of a fetch with the content of a page, in its segment: time, digest, score, segment, status. All of it
 * stands in the row already, so it is not stored once more but told when a batch is dumped.
 */
import { PAGE_STATUS } from '../../core/page/page-status.js';
import type { PageRow } from '../../webpage/page-row.js';
import { javaFloat } from './java-text.js';

/** CrawlDatum's codes of how a fetch ended (`_fst_`). */
const FETCH_STATUS = new Map<number, number>([
  [PAGE_STATUS.fetched, 33],
  [PAGE_STATUS.retry, 34],
  [PAGE_STATUS.redirTemp, 35],
  [PAGE_STATUS.redirPerm, 36],
  [PAGE_STATUS.gone, 37],
  [PAGE_STATUS.notModified, 38],
]);

/** The page with these among its metadata, where it was fetched in its batch. */
export function withFetchMetadata(page: PageRow, segment: string): PageRow {
  const status = FETCH_STATUS.get(page.status);
  if (page.fetchMark === null || status === undefined) return page;
  const told = {
    ...(page.signature !== null && { 'nutch.content.digest': page.signature }),
    'nutch.crawl.score': javaFloat(page.score),
    'nutch.fetch.time': String(page.fetchTime.getTime()),
    'nutch.segment.name': segment,
    _fst_: String(status),
  };
  return { ...page, metadata: { ...page.metadata, ...told } };
}
