import { PAGE_STATUS } from '../../core/page/page-status.js';
import type { OrphanLimits } from '../../core/score/scoring-filter.js';
import { lockInOrder, whereNotLocked } from '../../db/row-locks.js';
import { type Sql, fragment, rows } from '../../db/sql.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import { samePageAs } from '../../webpage/page-key.sql.js';
import { inNoBatch } from '../../webpage/batch-marks.sql.js';

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
  const wanted =
    q.to === 'orphan'
      ? fragment`last_inlink < ${since(orphanAfter)} and status <> ${statusOf('orphan')}`
      : fragment`last_inlink < ${since(goneAfter)} and last_inlink >= ${since(orphanAfter)} and status not in (${statusOf('gone')}, ${statusOf('orphan')})`;
  return rows<NewOrphan>(tx)`
    with old as materialized (
      select crawl, host, key from webpage w
       where crawl = ${crawl} and last_inlink is not null and ${wanted} and ${inNoBatch}
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
