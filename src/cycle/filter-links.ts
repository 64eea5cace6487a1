/**
 * Judges the links of a chunk by the present URL rules (1.x `updatedb -normalize -filter`, `invertlinks`): PARSE judged them
 * by the rules of its time. A link that a filter drops is ignored; one that a normalizer changes leads to the new URL. The
 * contribution of a dropped link is lost, as the page divided its cash among all links it kept.
 */
import type { AdmitOptions, UrlRules } from '../core/url/url-rules.js';
import { reverseUrl, unreverseUrl } from '../core/url/row-key.js';
import { type Sql, keepAlive } from '../db/sql.js';
import { everyLink } from './outlinks.sql.js';

/** Row keys of links, and their present targets; null: none. Unchanged links are not listed. */
export interface Rewrites {
  from: string[];
  to: (string | null)[];
}

/** Links judged between two statements that keep the transaction alive: rules may take a millisecond for each. */
const KEEPALIVE_EVERY = 500;

/** Judges the outlinks of pages, and the former ones of which inlinks were made. Each target is judged once a chunk. */
export async function judgeLinks(
  tx: Sql,
  pages: { crawl: number; sources: readonly { host: string; key: string }[] },
  rules: UrlRules,
  { scope = 'crawldb', ...options }: AdmitOptions & { scope?: string },
): Promise<Rewrites> {
  const links = await everyLink(tx, pages.crawl, pages.sources);
  const rewrites: Rewrites = { from: [], to: [] };
  for (const [at, key] of links.entries()) {
    if (at % KEEPALIVE_EVERY === KEEPALIVE_EVERY - 1) await keepAlive(tx);
    const admitted = rules.admit(unreverseUrl(key), scope, options);
    const target = 'rejected' in admitted ? null : reverseUrl(admitted.url);
    if (target === key) continue;
    rewrites.from.push(key);
    rewrites.to.push(target);
  }
  return rewrites;
}
