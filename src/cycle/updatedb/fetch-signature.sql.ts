/**
 * Signatures of pages that were fetched and not parsed.
 *
 * Those made by FETCH (`fetcher.signature`), for crawls that do not parse, wait in the metadata of the page for UPDATEDB, since a
 * PARSE may still follow and make a better one; UPDATEDB uses them if none did, and removes them in any case. Without one the
 * signature is that of the former content: DEDUP would keep the page instead of another that still has this content.
 */
import { type Sql, sql } from '../../db/sql.js';
import { pageRows, samePage } from '../../webpage/page-key.sql.js';
import { FETCH_SIGNATURE } from '../passed-metadata.js';

export interface Signed {
  host: string;
  key: string;
  /** Null: it is only removed. */
  signature: string | null;
  /** The signature of the page is that of content that it no longer has. */
  isStale: boolean;
}

/** Moves waiting signatures to the pages, and removes stale ones. */
export async function takeFetchSignatures(tx: Sql, crawl: number, pages: readonly Signed[]): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(sql`
    update webpage w
       set prev_signature = case when page.signature is null and not page.stale then w.prev_signature else w.signature end,
           signature = case when page.stale then page.signature else coalesce(page.signature, w.signature) end,
           metadata = nullif(w.metadata - ${FETCH_SIGNATURE}::text, '{}'::jsonb)
      from ${pageRows(crawl, pages, {
        signature: ['text', ({ signature }) => signature],
        stale: ['bool', ({ isStale }) => isStale],
      })}
     where ${samePage}`);
}
