/** The budget of hosts (`trap.host.pages`) for the entries of sitemaps. Concurrent tasks may exceed it by a chunk. */
import type { Conf } from '../../core/conf/properties.js';
import type { Sql } from '../../db/sql.js';
import { pagesOfHosts } from '../updatedb/trap-budget.sql.js';
import { knownKeys } from './entries.sql.js';
import type { EntryRow } from './entry-rows.js';

/** The entries that are known or may be added, in their order. */
export async function withinHostBudget(
  tx: Sql,
  crawl: number,
  entries: readonly EntryRow[],
  conf: Conf,
): Promise<readonly EntryRow[]> {
  const max = conf['trap.host.pages'];
  if (max < 0 || entries.length === 0) return entries;
  const pages = await pagesOfHosts(tx, crawl, [...new Set(entries.map(({ host }) => host))]);
  const known = await knownKeys(tx, crawl, entries);
  return entries.filter(({ host, key }) => {
    if (known.has(key)) return true;
    const n = pages.get(host) ?? 0;
    if (n >= max) return false;
    pages.set(host, n + 1);
    return true;
  });
}
