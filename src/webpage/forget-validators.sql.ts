import { type Sql, sql } from '../db/sql.js';
import { lockPagesByHost } from './lock-pages.sql.js';
import { pageRows, samePage } from './page-key.sql.js';
import type { PageKey } from '../core/page/page-row.js';

/** Lets the next visit of pages whose stored bytes are damaged be unconditional: an answer 304 would bring no content. */
export async function forgetValidators(tx: Sql, crawl: number, damaged: readonly PageKey[]): Promise<void> {
  if (damaged.length === 0) return;
  await lockPagesByHost(tx, crawl, damaged);
  await tx.query(sql`
    update webpage w set etag = null, last_modified = null from ${pageRows(crawl, damaged)} where ${samePage}`);
}
