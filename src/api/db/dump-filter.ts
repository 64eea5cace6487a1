import { setImmediate as nextIteration } from 'node:timers/promises';
import type { PageRow } from '../../core/page/page-row.js';

/** Whether a dump includes a page. */
export type PageFilter = (page: PageRow) => boolean;

/** Filtering yields to other work after this many ms; sixteen answers may filter at once. */
const YIELD_MS = 5;

/** The pages that `keep` accepts; an expression may take some time for each. */
export async function filtered(pages: readonly PageRow[], keep: PageFilter): Promise<PageRow[]> {
  const kept: PageRow[] = [];
  let since = performance.now();
  for (const page of pages) {
    if (keep(page)) kept.push(page);
    if (performance.now() - since < YIELD_MS) continue;
    await nextIteration();
    since = performance.now();
  }
  return kept;
}
