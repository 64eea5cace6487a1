import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  releaseAbandoned,
  demote,
  markBatch,
  promoteDue,
  recordNewestBatch,
} from '../../src/cycle/generate/generate.sql.js';
import { refreshChunk, chunkFrom } from '../../src/cycle/generate/refresh-ranks.sql.js';
import { CandidateWalk } from '../../src/cycle/generate/candidates.sql.js';
import { type MergeMode, mergeSeeds } from '../../src/cycle/inject/inject.sql.js';
import { defaults } from '../../src/core/conf/properties.js';
import { recordBatches } from '../../src/webpage/batch.store.js';
import { MAX_RANK, MIN_RANK } from '../../src/webpage/rank.sql.js';
import { excludedHosts } from '../../src/politeness/excluded-hosts.sql.js';
import type { TestDatabase } from '../support/database.js';
import type { Explained } from './explained.js';
import { type Case, byKey, plansOf } from './plans-of.js';
import { injected } from './records.js';
import { BATCH, BATCHES, CRAWL, type SomePage, seededDatabase, somePages } from './seeded.js';

/**
 * The statements by which pages come into a crawl and into a batch, planned on a table of 100,000 pages: none scans a large
 * table sequentially; pages are found by their whole key, or best first by the index of selectable ones.
 */

let db: TestDatabase;
let selectable: SomePage[];

beforeAll(async () => {
  db = await seededDatabase();
  selectable = await somePages(db, 'rank is not null', 1_000);
});
afterAll(() => db.drop());

const seen = (work: (tx: Explained) => Promise<unknown>) => plansOf(db, work);

describe('statements of INJECT', () => {
  const merge = (tx: Explained, mode: MergeMode) =>
    mergeSeeds(tx, CRAWL, selectable.slice(0, 200).map(injected), { mode, defaults, count: () => undefined });

  it.each<[MergeMode, string[]]>([
    ['keep', []],
    ['overwrite', ['signature_due_pkey', 'webpage_pkey']],
    ['update', []],
  ])('find known pages by key (%s)', async (mode, upserts) => {
    expect(await seen((tx) => merge(tx, mode))).toMatchObject({ paths: [byKey], upserts });
  });

  it('add new pages and hosts by upserts', async () => {
    const unknown = selectable.map(({ host, key }) => injected({ host, key: `${key}-unknown`, mark: '' }));
    const { paths, upserts } = await seen((tx) =>
      mergeSeeds(tx, CRAWL, unknown, { mode: 'keep', defaults, count: () => undefined }),
    );
    expect({ paths, upserts }).toEqual({ paths: [byKey], upserts: ['host_pkey', 'webpage_pkey'] });
  });
});

describe('statements of GENERATE', () => {
  const candidates = (tx: Explained, ahead: boolean) => {
    const curTime = new Date(Date.now() + (ahead ? 86_400_000 : 0));
    const walk = new CandidateWalk(tx, { crawl: CRAWL, curTime, ahead, sitemap: false }, { maxWaitS: 60 });
    return walk.open().then(() => walk.next(BATCH));
  };

  it('read candidates from the index of selectable pages, best first, without a sort (C25)', async () => {
    const { answer, paths, nodes } = await seen((tx) => candidates(tx, false));
    expect(answer).toHaveLength(BATCH + 2_000);
    expect(paths).toEqual(['webpage_selectable (crawl)']);
    expect(nodes).toEqual(['Index Scan']);
  });

  it('refresh outdated ranks in chunks of the index of selectable pages', async () => {
    const chunk = await seen((tx) => chunkFrom(tx, CRAWL, { below: MAX_RANK, lowest: MIN_RANK }));
    expect(chunk.paths).toEqual(['webpage_selectable (crawl, rank)']);
    const some = await seen(async (tx) => {
      await tx.query({
        text: `update webpage set score = score * 1.2 where crawl = ${CRAWL} and rank > $1`,
        values: [chunk.answer],
      });
      tx.plans.length = 0;
      return refreshChunk(tx, CRAWL, { from: Number(chunk.answer), below: MAX_RANK });
    });
    expect(some.answer).toBeGreaterThan(0);
    expect(some.paths.toSorted()).toEqual([byKey, 'webpage_selectable (crawl, rank)']);
  });

  it('continue without hosts at their limit by the same index, from the current rank', async () => {
    const { paths, nodes } = await seen(async (tx) => {
      const query = { crawl: CRAWL, curTime: new Date(), ahead: false, sitemap: false };
      const walk = new CandidateWalk(tx, query, { maxWaitS: 60 });
      await walk.open();
      const chunk = await walk.next(BATCH);
      tx.plans.length = 0;
      await walk.skipHosts(chunk.length, {
        full: new Set(chunk.slice(0, 100).map(({ host }) => host)),
        pages: chunk.length,
      });
      expect(await walk.next(BATCH)).not.toEqual([]);
    });
    expect(paths).toEqual(['webpage_selectable (crawl, rank)']);
    // The page, and for each its host, which may be excluded.
    expect(nodes).toEqual(['Index Scan', 'Index Scan']);
  });

  it('with noScore read by primary key and stop after the host of the last page needed', async () => {
    const query = { crawl: CRAWL, curTime: new Date(), ahead: false, sitemap: false, byKey: true };
    const { answer, paths, nodes } = await seen(async (tx) => {
      const walk = new CandidateWalk(tx, query, { maxWaitS: 60 });
      await walk.open();
      return walk.next(BATCH);
    });
    const keys = (answer as SomePage[]).map(({ key }) => key);
    expect(keys).toHaveLength(BATCH);
    expect(keys).toEqual(keys.toSorted());
    expect(paths).toEqual(['webpage_pkey (crawl)']);
    // One host is sorted at a time, so no further host is read.
    expect(nodes).toEqual(['Incremental Sort', 'Index Scan']);
  });

  it('find excluded hosts by their partial index, however many hosts a chunk has', async () => {
    const hosts = (await db.query<{ host: string }>('select host from host order by host')).map(({ host }) => host);
    const { nodes, indexes } = await seen((tx) => excludedHosts(tx, CRAWL, hosts, { maxWaitS: 60 }));
    expect({ nodes, indexes }).toEqual({ nodes: ['Index Scan'], indexes: ['host_held'] });
  });

  it('with a time ahead read selectable pages and, of the waiting ones, those due by then', async () => {
    const { paths } = await seen((tx) => candidates(tx, true));
    expect(paths).toEqual(['webpage_selectable (crawl)', 'webpage_waiting (crawl, fetch_time)']);
  });

  it.each<Case>([
    [
      'promote due pages by a range of the index of waiting pages',
      (tx) => promoteDue(tx, CRAWL, { now: new Date(), maxInterval: 7_776_000, limit: 500 }),
      [byKey, 'webpage_waiting (crawl, fetch_time)'],
    ],
    [
      'read only the ends of that index when no page has become due',
      (tx) => promoteDue(tx, CRAWL, { now: new Date(Date.now() - 86_400_000), maxInterval: 7_776_000, limit: 20_000 }),
      [byKey, 'webpage_waiting (crawl, fetch_time)'],
    ],
    [
      'release abandoned pages by the index of batches',
      async (tx) => {
        const yesterday = new Date(Date.now() - 86_400_000);
        await recordBatches(tx, CRAWL, [{ id: BATCHES.generated, pages: BATCH, partitions: 1 }], yesterday);
        const given = await releaseAbandoned(tx, CRAWL, { madeBefore: new Date(), now: new Date(), limit: 500 });
        expect(given).toBe(500);
      },
      ['batch_by_segment (crawl)', 'webpage_batch (crawl, generate_mark)', byKey],
    ],
    [
      'mark the pages of a batch by key',
      (tx) =>
        markBatch(
          tx,
          CRAWL,
          { batch: 'new' },
          selectable.map((page, i) => ({ ...page, hash: i })),
        ),
      [byKey],
    ],
    ['return early pages by key', (tx) => demote(tx, CRAWL, selectable), [byKey]],
    ['record the batch without the page table', (tx) => recordNewestBatch(tx, CRAWL, 'new', 0), []],
  ])('%s', async (_, work, paths) => {
    expect((await seen(work)).paths).toEqual(paths);
  });
});
