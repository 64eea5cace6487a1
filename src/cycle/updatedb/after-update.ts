/**
 * Optional work of UPDATEDB on the whole table when its batches are closed: pages to which no page links any more
 * are marked (scoring-orphan) or removed (`db.update.purge.orphans`), and scores are set to those of the OPIC paper
 * (`scoring.opic.mode`). One task does it after its chunks; each transaction may be repeated.
 */
import { PAGE_STATUS } from '../../core/page/page-status.js';
import type { Conf } from '../../core/conf/properties.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host-counts.store.js';
import { recordSignatures } from '../../webpage/signature-due.store.js';
import type { Scoring } from '../../plugin/scoring-filters.js';
import { isStopping } from '../halt.js';
import type { Run } from '../step.js';
import { MIN_QUOTIENT_TERM } from '../../webpage/score-quotient.sql.js';
import { allCash, writeImportance } from './importance.sql.js';
import { setOrphans } from './orphan-pages.sql.js';
import { purgeAll } from './purge.js';
import type { UpdateDbArgs } from './updatedb.args.js';

/** Pages written in one transaction. */
const CHUNK = 5_000;

/** Whether there is anything to do: then one task closes all batches, as this must follow all of them. */
export const hasClosing = (conf: Conf, { orphans, textbook }: Scoring): boolean =>
  textbook || orphans !== null || conf['db.update.purge.orphans'];

/** Returns false when the job was stopped meanwhile. */
export async function closeTable(run: Run<UpdateDbArgs>, scoring: Scoring): Promise<boolean> {
  if (scoring.orphans !== null && !(await setAllOrphans(run, scoring))) return false;
  // Pages that were gone before have been removed from the table before the first chunk.
  if (scoring.orphans !== null && run.conf['db.update.purge.404'] && !(await purgeAll(run, 'gone'))) return false;
  if (run.conf['db.update.purge.orphans'] && !(await purgeAll(run, 'orphan'))) return false;
  return !scoring.textbook || writeAllImportance(run);
}

async function setAllOrphans(run: Run, { orphans }: Scoring): Promise<boolean> {
  for (const to of ['orphan', 'gone'] as const) {
    for (let changed = CHUNK; changed === CHUNK;) {
      if (isStopping(run)) return false;
      changed = await run.write(async (tx, count) => {
        const pages = await setOrphans(tx, run.job.crawl, orphans!, { to, limit: CHUNK });
        const deltas = new StatusDeltas();
        for (const { host, before } of pages) deltas.move(host, before, PAGE_STATUS[to]);
        await recordSignatures(tx, run.job.crawl, pages);
        await addStatusDeltas(tx, run.job.crawl, deltas);
        count('UpdateDb', to === 'orphan' ? 'marked_orphan' : 'marked_gone', pages.length);
        return pages.length;
      });
    }
  }
  return true;
}

/** Writes the importance of all pages; returns false when the job was stopped meanwhile. */
export async function writeAllImportance(run: Run): Promise<boolean> {
  const total = await allCash(run.pool, run.job.crawl);
  if (total < MIN_QUOTIENT_TERM) return true;
  for (let after: { host: string; key: string } | undefined = { host: '', key: '' }; after !== undefined;) {
    if (isStopping(run)) return false;
    const from: { host: string; key: string } = after;
    after = await run.write((tx) => writeImportance(tx, run.job.crawl, { total, after: from, limit: CHUNK }));
  }
  return true;
}
