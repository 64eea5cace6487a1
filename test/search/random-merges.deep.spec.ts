import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { Searcher } from '../../src/search/searcher.js';
import { mergeSegments } from '../../src/search/segment-merging.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { numberedPage } from './numbered-page.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';

/** Merges at random times, with writes and deletions between and during them: the index has what a map of the documents has. */

let db: TestDatabase;
beforeAll(async () => (db = await testDatabase()));
afterAll(() => db?.drop());

const PAGES = 30;
const never = new AbortController().signal;

interface Change {
  readonly kind: 'write' | 'delete' | 'delete all';
  readonly pages: readonly number[];
}
/** Changes before a merge, and those in its pauses, one in each. */
interface Phase {
  readonly before: readonly Change[];
  readonly during: readonly Change[];
}
const changes = (write: number) =>
  fc.record<Change>({
    kind: fc.oneof(
      { weight: write, arbitrary: fc.constant('write' as const) },
      { weight: 6, arbitrary: fc.constant('delete' as const) },
      { weight: 1, arbitrary: fc.constant('delete all' as const) },
    ),
    pages: fc.uniqueArray(fc.nat(PAGES - 1), { minLength: 1, maxLength: 5 }),
  });
/** Mostly writes before a merge: nine segments are merged. */
const phases = fc.array(
  fc.record<Phase>({
    before: fc.array(changes(60), { minLength: 9, maxLength: 16 }),
    during: fc.array(changes(6), { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 3 },
);

/** An index of one crawl, and what it should have: the version of each document. */
class Indexed {
  readonly versions = new Map<string, string>();
  private version = 0;

  constructor(private readonly crawl: number) {}

  async apply({ kind, pages }: Change): Promise<void> {
    const version = `version${++this.version}`;
    const writer = new PostgresIndexWriter(db.pool, this.crawl);
    const chosen = kind === 'delete all' ? Array.from({ length: PAGES }, (_, n) => n) : pages;
    const ids = chosen.map((n) => `p${n}`);
    if (kind === 'write') {
      await writer.write(chosen.map((n) => this.page(n, version)));
      await writer.flush();
    } else await writer.delete(ids);
    await writer.close();
    for (const id of ids)
      if (kind === 'write') this.versions.set(id, version);
      else this.versions.delete(id);
  }

  /** Merges until there is nothing to merge. @returns the number of changes that were made in pauses */
  async merge(during: readonly Change[]): Promise<number> {
    const left = [...during];
    await mergeSegments(db.pool, this.crawl, never, async () => {
      const next = left.shift();
      if (next) await this.apply(next);
    });
    return during.length - left.length;
  }

  /** The version of each document that a search finds. */
  async found(): Promise<Map<string, string>> {
    const searcher = new Searcher(db.pool, 1_000_000);
    const request = { ...SEARCH_DEFAULTS, crawl: this.crawl, limit: 2 * PAGES, expand: 'auto' } as const;
    const versions = new Map<string, string>();
    for (const version of new Set(['ferry', ...this.versions.values()]))
      for (const { id } of (await searcher.search({ ...request, query: version })).hits) versions.set(id, version);
    return versions;
  }

  /** Hundreds of words of its own: so that a merge pauses, and no page is a near duplicate of another. */
  private page(n: number, version: string): IndexDocument {
    const own = Array.from({ length: 120 }, (_, i) => `n${n}word${i}`).join(' ');
    return { ...numberedPage(n), fields: new Map([['content', [`ferry ${version} ${own}`]]]) };
  }
}

/** Rows of a crawl: documents that are live, documents with an address, segments without live documents, rows of no segment. */
const rowsOf = async (crawl: number) =>
  (
    await db.query(
      `select (select coalesce(sum(live_documents), 0)::int from search_segment where crawl = $1) as live,
              (select count(*)::int from search_doc d join search_segment s using (crawl, seg) where crawl = $1) as addressed,
              (select count(*)::int from search_segment where crawl = $1 and live_documents = 0) as empty,
              (select count(*)::int from (select seg from search_posting where crawl = $1 union select seg from search_stored where crawl = $1) r
                where not exists (select from search_segment s where s.crawl = $1 and s.seg = r.seg)) as lost`,
      [crawl],
    )
  )[0];

it('finds the last version of each document that was written and not deleted', async () => {
  let crawl = 0;
  let meanwhile = 0;
  await fc.assert(
    fc.asyncProperty(phases, async (all) => {
      const index = new Indexed(++crawl);
      for (const { before, during } of all) {
        for (const one of before) await index.apply(one);
        meanwhile += await index.merge(during);
        expect(await index.found()).toEqual(index.versions);
        const { size } = index.versions;
        expect(await rowsOf(crawl)).toEqual({ live: size, addressed: size, empty: 0, lost: 0 });
      }
    }),
    { numRuns: 8 },
  );
  expect(meanwhile).toBeGreaterThan(5);
});
