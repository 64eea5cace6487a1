import { setImmediate as yieldToOthers } from 'node:timers/promises';
import type { PageRow } from '../../webpage/page-row.js';

/** Whether a page belongs into a dump. */
export type PageTest = (page: PageRow) => boolean;

/** Other work runs after so many ms of filtering pages; sixteen answers may filter at once. */
const YIELD_MS = 5;

/** The pages that `keep` lets through; an expression may need a while for each. */
export async function filtered(pages: readonly PageRow[], keep: PageTest): Promise<PageRow[]> {
  const kept: PageRow[] = [];
  let since = performance.now();
  for (const page of pages) {
    if (keep(page)) kept.push(page);
    if (performance.now() - since < YIELD_MS) continue;
    await yieldToOthers();
    since = performance.now();
  }
  return kept;
}
