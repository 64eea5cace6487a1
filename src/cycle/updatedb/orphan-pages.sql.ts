import { PAGE_STATUS } from '../../core/page/page-status.js';
import type { OrphanLimits } from '../../core/score/scoring.js';
import { lockInOrder, whereNotLocked } from '../../db/row-locks.js';
import { type Sql, fragment, rows } from '../../db/sql.js';
import { statusOf } from '../../webpage/page-status.sql.js';
import { samePageAs } from '../../webpage/page-key.sql.js';

/** A page whose status changed, and its former status. */
export interface Marked {
  host: string;
  key: string;
  before: number;
  signature: string | null;
}

/**
 * Marks pages to which no page of a batch has linked for long: as gone, later as orphans (Nutch 1.x `OrphanScoringFilter`), found by
 * the index of last links. Pages without any link, such as seeds, stay; so do those that are in a batch.
 */
export async function markOrphans(
  tx: Sql,
  crawl: number,
  { goneAfter, orphanAfter }: OrphanLimits,
  q: { to: 'orphan' | 'gone'; limit: number },
): Promise<Marked[]> {
  const since = (seconds: number) => fragment`now() - make_interval(secs => ${seconds}::float8)`;
  const wanted =
    q.to === 'orphan'
      ? fragment`last_inlink < ${since(orphanAfter)} and status <> ${statusOf('orphan')}`
      : fragment`last_inlink < ${since(goneAfter)} and last_inlink >= ${since(orphanAfter)} and status not in (${statusOf('gone')}, ${statusOf('orphan')})`;
  return rows<Marked>(tx)`
    with old as materialized (
      select crawl, host, key from webpage
       where crawl = ${crawl} and last_inlink is not null and ${wanted} and num_nulls(generate_mark) = 1
       order by last_inlink limit ${q.limit}
    ), held as (
      select w.crawl, w.host, w.key, w.status as before
        from old join webpage w on ${samePageAs('old')}
         and num_nulls(w.generate_mark) = 1 and w.last_inlink is not null
       order by w.host, w.key_hash ${lockInOrder(fragment`w`)}
    )
    update webpage w set status = ${PAGE_STATUS[q.to]}::smallint
      from held where ${samePageAs('held')}
       ${whereNotLocked(fragment`and w.status = held.before and num_nulls(w.generate_mark) = 1`)}
    returning w.host, w.key, w.signature, held.before`;
}
