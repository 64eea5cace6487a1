import type { Pool } from 'pg';
import type { PageRange } from '../../webpage/page-range.js';
import { scanPages } from '../../webpage/page-scan.js';
import { pageView } from './page-view.js';
import type { PageList } from './page.dto.js';

/** The first pages of a range, and where to go on: null when there is nothing more. */
export async function pageList(pool: Pool, range: PageRange, limit: number): Promise<PageList> {
  const found = [];
  // One more is read than is shown: it tells whether there is more.
  for await (const chunk of scanPages(pool, range, 'row', limit + 1)) {
    found.push(...chunk);
    if (found.length > limit) break;
  }
  const pages = found.slice(0, limit);
  return { pages: pages.map(pageView), cursor: found.length > limit ? (pages.at(-1)?.key ?? null) : null };
}

/** Pages of a range, one JSON text a line, read as they are sent. */
export async function* pageLines(pool: Pool, range: PageRange, limit: number): AsyncGenerator<string> {
  let left = limit;
  for await (const chunk of scanPages(pool, range, 'row', limit)) {
    const shown = chunk.slice(0, left);
    yield shown.map((page) => `${JSON.stringify(pageView(page))}\n`).join('');
    left -= shown.length;
    if (left <= 0) return;
  }
}
