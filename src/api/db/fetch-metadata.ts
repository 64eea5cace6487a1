/**
 * Metadata of a fetch that Nutch 1.x stores with the content of a page in its segment: time, digest, score, segment, status.
 * All of it is in the row or in the visits, so it is not stored again but added when a batch is dumped.
 */
import { fetchStatusOf } from '../../core/page/page-status.js';
import type { Sql } from '../../db/sql.js';
import { type BatchVisit, type MadeBatch, visitsInBatch } from '../../webpage/batch-visits.sql.js';
import type { PageRow } from '../../core/page/page-row.js';
import { javaFloat } from '../../core/java-float.js';

export type NamedBatch = MadeBatch & { segment?: string };

/** Adds this metadata to those pages that were fetched in the batch. */
export async function withFetchMetadata(db: Sql, pages: readonly PageRow[], batch: NamedBatch): Promise<PageRow[]> {
  const visits = await visitsInBatch(db, batch, pages);
  return pages.map((page) => {
    const metadata = fetchMetadata(page, visits.get(page.key), batch);
    return metadata === undefined ? page : { ...page, metadata: { ...page.metadata, ...metadata } };
  });
}

/** The metadata of a page; undefined when it was not fetched in the batch. */
export function fetchMetadata(
  page: PageRow,
  visit: BatchVisit | undefined,
  { id, segment = id }: NamedBatch,
): Record<string, string> | undefined {
  const status = visit && fetchStatusOf(visit.status);
  if (visit === undefined || status === undefined) return undefined;
  return {
    ...(page.signature !== null && { 'nutch.content.digest': page.signature }),
    'nutch.crawl.score': javaFloat(page.score),
    'nutch.fetch.time': String(visit.time.getTime()),
    'nutch.segment.name': segment,
    _fst_: String(status.code),
  };
}
