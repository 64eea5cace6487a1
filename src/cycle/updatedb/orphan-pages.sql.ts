import { PAGE_STATUS } from '../../core/page/page-status.js';
import type { OrphanLimits } from '../../core/score/scoring-filter.js';
import { lockInOrder, whereNotLocked } from '../../db/row-locks.js';
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import { contentOfPage, pageRows, samePageAs } from '../../webpage/page-key.sql.js';
import type { PageKey } from '../../core/page/page-row.js';
import { inNoBatch } from '../../webpage/batch-marks.sql.js';
import type { Rewrites } from '../filter-links.js';
import { linksOf } from '../inlinks.sql.js';

/** A page whose status changed, and its former status. */
export interface NewOrphan {
  host: string;
  key: string;
  before: number;
  signature: string | null;
}

/**
 * Gives pages to which no page of a batch has linked for long the status gone, later orphan (Nutch 1.x `OrphanScoringFilter`),
 * found by the index of last links. Pages without any link, such as seeds, stay; so do those that are in a batch.
 */
export async function setOrphans(
  tx: Sql,
  crawl: number,
  { goneAfter, orphanAfter }: OrphanLimits,
  q: { to: 'orphan' | 'gone'; limit: number },
): Promise<NewOrphan[]> {
  const since = (seconds: number) => fragment`now() - make_interval(secs => ${seconds}::float8)`;
  const condition =
    q.to === 'orphan'
      ? fragment`last_inlink < ${since(orphanAfter)} and status <> ${statusOf('orphan')}`
      : fragment`last_inlink < ${since(goneAfter)} and last_inlink >= ${since(orphanAfter)} and status not in (${statusOf('gone')}, ${statusOf('orphan')})`;
  return rows<NewOrphan>(tx)`
    with old as materialized (
      select crawl, host, key from webpage w
       where crawl = ${crawl} and last_inlink is not null and ${condition} and ${inNoBatch}
       order by last_inlink limit ${q.limit}
    ), locked as (
      select w.crawl, w.host, w.key, w.status as before
        from old join webpage w on ${samePageAs('old')}
         and ${inNoBatch} and w.last_inlink is not null
       order by w.host, w.key_hash ${lockInOrder(fragment`w`)}
    )
    update webpage w set status = ${PAGE_STATUS[q.to]}::smallint
      from locked where ${samePageAs('locked')}
       ${whereNotLocked(fragment`and w.status = locked.before and ${inNoBatch}`)}
    returning w.host, w.key, w.signature, locked.before`;
}

/**
 * Dates the last links of the pages that these ones link to: pages that were fetched, but not parsed, because they had not
 * changed (304). Those that were parsed date the targets of their links with their contributions.
 */
export async function dateLinkedPages(
  tx: Sql,
  crawl: number,
  unchanged: readonly PageKey[],
  rewrites: Rewrites | undefined,
): Promise<void> {
  if (unchanged.length === 0) return;
  await tx.query(sql`
    with link as materialized (
      select distinct page.crawl, split_part(l.key, ':', 1) collate "C" as host, l.key collate "C" as key
        from ${pageRows(crawl, unchanged)}
        join page_content p on ${contentOfPage}
       cross join lateral ${linksOf(rewrites)} as l (key, anchor)
    ), locked as (
      select w.crawl, w.host, w.key
        from link join webpage w on ${samePageAs('link')}
       order by w.host, w.key_hash ${lockInOrder(fragment`w`)}
    )
    update webpage w set last_inlink = now() from locked where ${samePageAs('locked')}`);
}
