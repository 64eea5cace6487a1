/** What INDEX does with a page, before its document is made. Pure. */
import { PAGE_STATUS } from '../../core/page/page-status.js';

/** Counters of Nutch 1.x: each is what became of a page. */
export const INDEXED = 'indexed (add/update)';

export type Verdict = { do: 'add' } | { do: 'delete' | 'skip'; counter: string };

export interface Deletes {
  /** `deleteGone`, `indexer.delete` */
  readonly gone: boolean;
  /** `indexer.delete.robots.noindex` */
  readonly noindex: boolean;
  /** `indexer.skip.notmodified` */
  readonly skipNotModified: boolean;
}

const LEAVERS: ReadonlyMap<number, string> = new Map([
  [PAGE_STATUS.gone, 'gone'],
  [PAGE_STATUS.orphan, 'gone'],
  [PAGE_STATUS.parseFailed, 'gone'],
  [PAGE_STATUS.redirTemp, 'redirects'],
  [PAGE_STATUS.redirPerm, 'redirects'],
  [PAGE_STATUS.duplicate, 'duplicates'],
]);

/** What a page is that has no document, by the code of its status. */
export const leaverName = (status: number): string => LEAVERS.get(status) ?? 'gone';

export function verdictOf(
  { status, parsed, robots }: { status: number; parsed: boolean; robots: string },
  deletes: Deletes,
): Verdict {
  const leaver = LEAVERS.get(status);
  if (leaver !== undefined)
    return deletes.gone
      ? { do: 'delete', counter: `deleted (${leaver})` }
      : { do: 'skip', counter: `skipped (${leaver})` };
  if (status !== PAGE_STATUS.fetched && status !== PAGE_STATUS.notModified)
    return { do: 'skip', counter: 'skipped (not fetched)' };
  if (!parsed) return { do: 'skip', counter: 'skipped (not parsed)' };
  if (deletes.noindex && robots.split(',').includes('noindex'))
    return { do: 'delete', counter: 'deleted (robots=noindex)' };
  if (deletes.skipNotModified && status === PAGE_STATUS.notModified)
    return { do: 'skip', counter: 'skipped (not modified)' };
  return { do: 'add' };
}
