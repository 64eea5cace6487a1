/** Decides what INDEX does with a page, before its document is made. Pure. */
import { PAGE_STATUS } from '../page/page-status.js';

/** The counter of Nutch 1.x for a document that is written; those of all other outcomes are in `verdictOf`. */
export const INDEXED = 'indexed (add/update)';

export type IndexAction = { do: 'add' } | { do: 'delete' | 'skip'; counter: string };

export interface Deletes {
  /** `deleteGone`, `indexer.delete` */
  readonly gone: boolean;
  /** `indexer.delete.robots.noindex` */
  readonly noindex: boolean;
  /** `indexer.skip.notmodified` */
  readonly skipNotModified: boolean;
}

const DELETION_REASONS: ReadonlyMap<number, string> = new Map([
  [PAGE_STATUS.gone, 'gone'],
  [PAGE_STATUS.orphan, 'gone'],
  [PAGE_STATUS.parseFailed, 'gone'],
  [PAGE_STATUS.redirTemp, 'redirects'],
  [PAGE_STATUS.redirPerm, 'redirects'],
  [PAGE_STATUS.duplicate, 'duplicates'],
]);

/** The word that counters have for a page without a document, by its status. */
export const deletionReason = (status: number): string => DELETION_REASONS.get(status) ?? 'gone';

export interface JudgedPage {
  readonly status: number;
  readonly parsed: boolean;
  /** It has a document in the index, and waits for no PARSE or UPDATEDB. */
  readonly isSettled: boolean;
  readonly robots: string;
}

export function verdictOf({ status, parsed, isSettled, robots }: JudgedPage, deletes: Deletes): IndexAction {
  const reason = DELETION_REASONS.get(status);
  if (reason !== undefined)
    return deletes.gone
      ? { do: 'delete', counter: `deleted (${reason})` }
      : { do: 'skip', counter: `skipped (${reason})` };
  if (status !== PAGE_STATUS.fetched && status !== PAGE_STATUS.notModified)
    return { do: 'skip', counter: 'skipped (not fetched)' };
  // Its text has left the table. CLEAN, which finds pages by their status, would never delete the document.
  if (!parsed && isSettled) return { do: 'delete', counter: 'deleted (not parsed)' };
  if (!parsed) return { do: 'skip', counter: 'skipped (not parsed)' };
  if (deletes.noindex && robots.split(',').includes('noindex'))
    return { do: 'delete', counter: 'deleted (robots=noindex)' };
  if (deletes.skipNotModified && status === PAGE_STATUS.notModified)
    return { do: 'skip', counter: 'skipped (not modified)' };
  return { do: 'add' };
}
