import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { Searcher } from '../../src/search/searcher.js';
import { mergeSegments } from '../../src/search/segment-merging.js';
import { lockMerging } from '../../src/search/segment-writing.sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { numberedPage } from './numbered-page.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';

/** A merge of segments (which of them: merge-choice.spec.ts): the rows before and after it. */

const CRAWL = 1;
let db: TestDatabase;
beforeAll(async () => (db = await testDatabase()));
afterAll(() => db.drop());

/** Nine segments of one document each, that are not merged. */
beforeEach(async () => {
  for (const table of ['search_segment', 'search_posting', 'search_stored', 'search_doc'])
    await db.query(`delete from ${table}`);
  for (let n = 0; n < 9; n++) await written([numberedPage(n)]);
});

/** Writes pages as a segment. */
async function written(pages: readonly IndexDocument[], crawl = CRAWL): Promise<void> {
  const writer = new PostgresIndexWriter(db.pool, crawl);
  await writer.write(pages);
  await writer.flush();
  await writer.close();
}
/** The rows of postings of the only segment of a crawl. */
const postings = (crawl: number) =>
  db.query(
    `select term, encode(post, 'hex') as post, encode(pos, 'hex') as pos from search_posting
      where crawl = $1 and seg = (select seg from search_segment where crawl = $1) order by term`,
    [crawl],
  );

const segments = () =>
  db.query<{ seg: number; documents: number; live: number }>(
    'select seg, documents, live_documents as live from search_segment order by seg',
  );
const places = () =>
  db.query<{ seg: number; doc: number }>('select d.seg, d.doc from search_doc d order by d.seg, d.doc');
async function found(query: string): Promise<string[]> {
  const request = { ...SEARCH_DEFAULTS, crawl: CRAWL, query, limit: 20, expand: 'auto' } as const;
  const { hits } = await new Searcher(db.pool, 1_000_000).search(request);
  return hits.map(({ id }) => id).sort();
}
const never = new AbortController().signal;
const ids = Array.from({ length: 9 }, (_, n) => `p${n}`);

it('makes one segment with the documents of all, in the order of the segments, and deletes those', async () => {
  const before = await segments();
  expect(before.map(({ documents, live }) => [documents, live])).toEqual(Array(9).fill([1, 1]));
  await mergeSegments(db.pool, CRAWL, never);
  const [merged, ...others] = await segments();
  expect([merged, others]).toEqual([{ seg: expect.any(Number), documents: 9, live: 9 }, []]);
  expect(merged!.seg).toBeGreaterThan(before.at(-1)!.seg);
  expect(await places()).toEqual(ids.map((_, doc) => ({ seg: merged!.seg, doc })));
  for (const table of ['search_posting', 'search_stored'])
    expect(await db.query(`select distinct seg from ${table}`)).toEqual([{ seg: merged!.seg }]);
  expect([await found('ferry'), await found('"number 4"')]).toEqual([ids, ['p4']]);
});

it('has the postings that a segment of all its documents would have', async () => {
  const words = (n: number) => Array.from({ length: 400 }, (_, i) => `word${(i * 7 + n * 131) % 1_999}`).join(' ');
  const pages = ids.map((_, n) => numberedPage(n));
  pages.forEach(({ fields }, n) => fields.set('content', [words(n)]));
  const [apart, together] = [CRAWL + 2, CRAWL + 3];
  for (const page of pages) await written([page], apart);
  await written(pages, together);
  const rows = await db.query(`select count(*)::int as n from search_posting where crawl = $1 group by seg`, [apart]);
  expect(Math.min(...rows.map(({ n }) => Number(n)))).toBeGreaterThan(1);
  await mergeSegments(db.pool, apart, never);
  expect(await postings(apart)).toEqual(await postings(together));
});

it('that is aborted changes nothing', async () => {
  const before = [await segments(), await places()];
  const reason = new Error('closed');
  await expect(mergeSegments(db.pool, CRAWL, AbortSignal.abort(reason))).rejects.toBe(reason);
  expect([await segments(), await places()]).toEqual(before);
  expect(await found('ferry')).toEqual(ids);
});

it('leaves the segments of other crawls, and eight segments', async () => {
  const before = await segments();
  await mergeSegments(db.pool, CRAWL + 1, never);
  expect(await segments()).toEqual(before);
  await new PostgresIndexWriter(db.pool, CRAWL).delete(['p0']);
  expect(await segments()).toEqual(before.slice(1));
  await mergeSegments(db.pool, CRAWL, never);
  expect(await segments()).toEqual(before.slice(1));
});

describe('while it is running, another writer', () => {
  const words = Array.from({ length: 400 }, (_, i) => `word${i}`).join(' ');
  /** A merge that pauses at least once, since it packs hundreds of terms. @param meanwhile what happens in the first pause */
  async function mergedWhile(meanwhile: () => Promise<void>): Promise<void> {
    const first = numberedPage(0);
    await written([{ ...first, fields: new Map([...first.fields, ['content', [`ferry number 0 ${words}`]]]) }]);
    let pauses = 0;
    await mergeSegments(db.pool, CRAWL, never, async () => {
      if (pauses++ === 0) await meanwhile();
    });
    expect(pauses).toBeGreaterThan(0);
  }
  const other = () => new PostgresIndexWriter(db.pool, CRAWL);
  const replaced = (n: number): IndexDocument => ({
    ...numberedPage(n),
    fields: new Map([['content', [`barge ${n}`]]]),
  });

  it('replaces and deletes documents: they stay replaced and deleted', async () => {
    await mergedWhile(async () => {
      await written([replaced(3), replaced(20)]);
      await other().delete(['p5', 'p6', 'p20']);
      expect([await found('ferry'), await found('barge')]).toEqual([['p0', 'p1', 'p2', 'p4', 'p7', 'p8'], ['p3']]);
    });
    expect([await found('ferry'), await found('barge')]).toEqual([['p0', 'p1', 'p2', 'p4', 'p7', 'p8'], ['p3']]);
    const [merged, replacing] = await segments();
    expect([merged, replacing]).toMatchObject([
      { documents: 9, live: 6 },
      { documents: 2, live: 1 },
    ]);
    await other().delete(['p0', 'p3']);
    expect([await found('ferry'), await found('barge')]).toEqual([['p1', 'p2', 'p4', 'p7', 'p8'], []]);
  });

  it('deletes all documents: no segment stays, and no row of one', async () => {
    await mergedWhile(async () => {
      await written([replaced(20)]);
      await other().delete([...ids, 'p20']);
      expect(await found('ferry')).toEqual([]);
    });
    for (const table of ['search_segment', 'search_posting', 'search_stored', 'search_doc'])
      expect([table, await db.query(`select * from ${table}`)]).toEqual([table, []]);
  });
});

it('of two merges at once the second finds nothing to do', async () => {
  await Promise.all([mergeSegments(db.pool, CRAWL, never), mergeSegments(db.pool, CRAWL, never)]);
  expect((await segments()).map(({ documents }) => documents)).toEqual([9]);
  expect(await found('ferry')).toEqual(ids);
});

it('is left to a writer that is merging already', async () => {
  const before = await segments();
  const client = await db.pool.connect();
  await client.query('begin');
  expect(await lockMerging(client, CRAWL)).toBe(true);
  await mergeSegments(db.pool, CRAWL, never);
  expect(await segments()).toEqual(before);
  await client.query('commit');
  client.release();
  await Promise.all([mergeSegments(db.pool, CRAWL, never), mergeSegments(db.pool, CRAWL, never)]);
  expect((await segments()).map(({ documents }) => documents)).toEqual([9]);
});
