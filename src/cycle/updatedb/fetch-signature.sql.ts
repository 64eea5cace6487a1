/**
 * Signatures made by FETCH (`fetcher.signature`), for crawls that do not parse. They wait in the metadata of the page
 * for UPDATEDB, since a PARSE may still follow and make a better one; UPDATEDB uses them if none did, and removes them in any
 * case.
 */
import { type Sql, sql } from '../../db/sql.js';
import { pageRows, samePage } from '../../webpage/page-key.sql.js';
import { FETCH_SIGNATURE } from '../passed-metadata.js';

export interface Signed {
  host: string;
  key: string;
  /** Null: it is only removed. */
  signature: string | null;
}

/** Moves waiting signatures to the pages. */
export async function takeFetchSignatures(tx: Sql, crawl: number, pages: readonly Signed[]): Promise<void> {
  if (pages.length === 0) return;
  await tx.query(sql`
    update webpage w
       set prev_signature = case when page.signature is null then w.prev_signature else w.signature end,
           signature = coalesce(page.signature, w.signature), metadata = nullif(w.metadata - ${FETCH_SIGNATURE}::text, '{}'::jsonb)
      from ${pageRows(crawl, pages, { signature: 'text' })}
     where ${samePage}`);
}
