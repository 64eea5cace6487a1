import { afterAll, beforeAll, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { Searcher } from '../../src/search/searcher.js';
import { mergeSegments } from '../../src/search/segment-merging.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { numberedPage } from './numbered-page.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';

/** A merge of a segment that is read by several statements. */

const CRAWL = 1;
let db: TestDatabase;
beforeAll(async () => (db = await testDatabase()));
afterAll(() => db?.drop());

/** Writes pages as a segment. */
async function written(pages: readonly IndexDocument[]): Promise<void> {
  const writer = new PostgresIndexWriter(db.pool, CRAWL);
  await writer.write(pages);
  await writer.flush();
  await writer.close();
}

async function found(query: string): Promise<string[]> {
  const request = { ...SEARCH_DEFAULTS, crawl: CRAWL, query, limit: 20, expand: 'auto' } as const;
  const { hits } = await new Searcher(db.pool, 1_000_000).search(request);
  return hits.map(({ id }) => id).sort();
}

const rowsOf = async (table: string): Promise<number> =>
  (await db.query<{ rows: number }>(`select count(*)::int as rows from ${table} group by seg order by 1 desc`))[0]!
    .rows;

it('has the live documents of each segment, with their own texts', async () => {
  for (let n = 0; n < 9; n++) await written([numberedPage(n)]);
  const pages = Array.from({ length: 13_000 }, (_, n) => numberedPage(1_000 + n));
  const [left, removed] = [pages.slice(-20), pages.slice(0, -20)];
  await written(pages);
  await new PostgresIndexWriter(db.pool, CRAWL).delete(removed.map(({ id }) => id));
  // Of each table, a statement reads 32.
  expect(Math.min(await rowsOf('search_posting'), await rowsOf('search_stored'))).toBeGreaterThan(200);
  await mergeSegments(db.pool, CRAWL, new AbortController().signal);
  expect(await db.query('select documents, live_documents as live from search_segment')).toEqual([
    { documents: 29, live: 29 },
  ]);
  for (const { id } of [numberedPage(4), ...left]) expect(await found(`"number ${id.slice(1)}"`)).toEqual([id]);
  expect(await found(`"number ${removed[0]!.id.slice(1)}"`)).toEqual([]);
});
