/**
 * Removes pages from the table because of their status, whatever batch they were in: those that are gone
 * (`db.update.purge.404`) and orphans (`db.update.purge.orphans`). Pages in a batch wait until that is closed.
 */
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { linksInDocuments } from '../../plugin/indexing-filters.js';
import { recordDue } from '../../webpage/document-due.store.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host-counts.store.js';
import { recordSignatures } from '../../webpage/signature-due.store.js';
import { makeInvertedLinks } from '../inverted-links.js';
import { isStopping } from '../halt.js';
import type { Run } from '../step.js';
import type { UpdateDbArgs } from './updatedb.args.js';
import { nextOf, purgePages } from './updatedb.sql.js';

/** Pages removed in one transaction. */
const CHUNK = 5_000;

const COUNTERS = { gone: 'purged_gone', orphan: 'purged_orphans' } as const;

/**
 * Removes all pages of a status. An attempt does not find what an earlier one has removed. Returns false when the job was
 * stopped meanwhile.
 */
export async function purgeAll(run: Run<UpdateDbArgs>, status: 'gone' | 'orphan'): Promise<boolean> {
  const { crawl } = run.job;
  const inverted = makeInvertedLinks(run.conf);
  const documentsHaveLinks = run.args.documentsDue === true && linksInDocuments(run.conf) !== undefined;
  let after = { host: '', key: '' };
  for (let purged = CHUNK; purged === CHUNK;) {
    if (isStopping(run)) return false;
    const pages = await run.write(async (tx, count) => {
      const chunk = await nextOf(tx, crawl, status, { after, limit: CHUNK });
      if (chunk.length === 0) return chunk;
      const { pages: removed, unlinked } = await purgePages(tx, crawl, chunk, { still: status, inverted });
      if (documentsHaveLinks) await recordDue(tx, crawl, { linked: unlinked }, { toDelete: false });
      await recordSignatures(tx, crawl, removed);
      const deltas = new StatusDeltas();
      for (const { host } of removed) deltas.move(host, PAGE_STATUS[status], null);
      await addStatusDeltas(tx, crawl, deltas);
      count('UpdateDb', COUNTERS[status], removed.length);
      return chunk;
    });
    purged = pages.length;
    after = pages.at(-1) ?? after;
  }
  return true;
}
