import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchSize, batchesWithPages } from '../../src/cycle/batch-chunks.sql.js';
import { lockPages } from '../../src/cycle/batch-pages.sql.js';
import {
  type BatchChunkQuery,
  countRest,
  nextWaiting,
  writeHistory,
  writeVisits,
} from '../../src/cycle/fetch/fetch.sql.js';
import {
  releaseAbandoned,
  demote,
  markBatch,
  promoteDue,
  recordNewestBatch,
} from '../../src/cycle/generate/generate.sql.js';
import { refreshSlice, sliceFrom } from '../../src/cycle/generate/refresh-ranks.sql.js';
import { CandidateWalk } from '../../src/cycle/generate/candidates.sql.js';
import { joinBatch } from '../../src/cycle/fetch/redirect-at-once.js';
import { type MergeMode, mergeSeeds } from '../../src/cycle/inject/inject.sql.js';
import { writeContent, writeParsedContent, writeRedirects } from '../../src/cycle/page-content.sql.js';
import { nextUnparsed, writeParse } from '../../src/cycle/parse/parse.sql.js';
import { closeChunk } from '../../src/cycle/updatedb/update-chunk.sql.js';
import { nextSources, purgePages, readSources } from '../../src/cycle/updatedb/updatedb.sql.js';
import { capInlinks } from '../../src/cycle/inlinks.sql.js';
import type { Run } from '../../src/cycle/step.js';
import { judgeLinks } from '../../src/cycle/filter-links.js';
import { makeScoring } from '../../src/plugin/scoring.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';
import { defaults } from '../../src/core/conf/properties.js';
import { recordBatches } from '../../src/webpage/batch.store.js';
import { StatusDeltas, addStatusDeltas, hostCounts, statusCounts } from '../../src/webpage/host-counts.store.js';
import { MAX_RANK, MIN_RANK } from '../../src/webpage/rank.sql.js';
import { excludedHosts } from '../../src/politeness/excluded-hosts.sql.js';
import type { TestDatabase } from '../support/database.js';
import { Explained, accessPaths, arbiters, indexesOf, nodeTypes } from './explained.js';
import { injected, parsed, payer, settled, visited } from './records.js';
import { BATCH, BATCHES, CRAWL, type SomePage, CHUNK, rolledBack, seededDatabase, somePages } from './seeded.js';

/**
 * The frequent statements of a crawl, planned on a table of 100,000 pages: none scans a large table
 * sequentially, and rows are found by their whole key or by the index of their batch.
 */

const VISITED = { visited: true };
let db: TestDatabase;
/** Pages of the fetched and of the parsed batch, and selectable ones. */
let fetched: SomePage[];
let updated: SomePage[];
let selectable: SomePage[];

beforeAll(async () => {
  db = await seededDatabase();
  fetched = await somePages(db, `generate_mark = '${BATCHES.fetched}'`, 128);
  updated = await somePages(db, `generate_mark = '${BATCHES.parsed}'`, CHUNK);
  selectable = await somePages(db, 'rank is not null', 1_000);
});
afterAll(() => db.drop());

interface Seen {
  answer: unknown;
  /** Access paths of the large tables. */
  paths: string[];
  /** Arbiter indexes of upserts. */
  upserts: string[];
  nodes: string[];
  indexes: string[];
}

/** Runs statements, rolls them back, and returns their plans. */
const seen = (work: (tx: Explained) => Promise<unknown>): Promise<Seen> =>
  rolledBack(db, async (client) => {
    const tx = new Explained(client);
    const answer = await work(tx);
    expect(tx.plans).not.toEqual([]);
    return {
      answer,
      paths: accessPaths(tx.plans),
      upserts: arbiters(tx.plans),
      nodes: nodeTypes(tx.plans),
      indexes: indexesOf(tx.plans),
    };
  });

const byKey = 'webpage_pkey (crawl, host, key_hash)';
const contentByKey = 'page_content_pkey (crawl, host, key)';
const inOrder = 'webpage_batch (crawl, generate_mark, hashtext)';
const fetchedInOrder = inOrder.replace('batch', 'fetched');

/** Statements, and the access paths to expect. */
type Case = [name: string, work: (tx: Explained) => Promise<unknown>, paths: string[]];

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

  it('read candidates from the index of selectable pages, best first, without a sort', async () => {
    const { answer, paths, nodes } = await seen((tx) => candidates(tx, false));
    expect(answer).toHaveLength(BATCH + 2_000);
    expect(paths).toEqual(['webpage_selectable (crawl)']);
    expect(nodes).toEqual(['Index Scan']);
  });

  it('refresh outdated ranks in slices of the index of selectable pages', async () => {
    const slice = await seen((tx) => sliceFrom(tx, CRAWL, { below: MAX_RANK, lowest: MIN_RANK }));
    expect(slice.paths).toEqual(['webpage_selectable (crawl, rank)']);
    const some = await seen(async (tx) => {
      await tx.query({
        text: `update webpage set score = score * 1.2 where crawl = ${CRAWL} and rank > $1`,
        values: [slice.answer],
      });
      tx.plans.length = 0;
      return refreshSlice(tx, CRAWL, { from: Number(slice.answer), below: MAX_RANK });
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

describe('statements of FETCH', () => {
  const chunk = (batch: string): BatchChunkQuery => ({
    crawl: CRAWL,
    batch,
    batches: [batch],
    sitemap: null,
    part: 0,
    parts: 2,
    resume: false,
    unvisited: false,
    begunAt: new Date(),
    limit: 500,
  });
  const cursor = { mark: BATCHES.generated, hash: 0, key: '' };

  it.each<Case>([
    [
      'read the first chunk of a batch by its index',
      (tx) => nextWaiting(tx, chunk(BATCHES.generated), undefined),
      [inOrder],
    ],
    ['read the next chunk from a position', (tx) => nextWaiting(tx, chunk(BATCHES.generated), cursor), [inOrder]],
    ['read all batches in the same order', (tx) => nextWaiting(tx, chunk('-all'), cursor), [inOrder]],
    [
      'read the pages or the sitemaps of all batches in that order',
      (tx) => nextWaiting(tx, { ...chunk('-all'), sitemap: true }, cursor),
      [inOrder],
    ],
    [
      'count the pages of all batches',
      (tx) => batchSize(tx, CRAWL, '-all', { sitemap: false }),
      // A partial index of pages in a batch.
      ['webpage_batch (crawl)'],
    ],
    ['count the remaining pages', (tx) => countRest(tx, chunk(BATCHES.generated)), [inOrder]],
    ['count a batch', (tx) => batchSize(tx, CRAWL, BATCHES.generated), ['webpage_batch (crawl, generate_mark)']],
    ['lock pages by key', (tx) => lockPages(tx, CRAWL, fetched), [byKey]],
    ['write visits by key', (tx) => writeVisits(tx, CRAWL, fetched.map(visited)), [byKey]],
    [
      'count pages by status in the host table',
      (tx) => {
        const deltas = new StatusDeltas();
        for (const { host } of fetched) deltas.move(host, 1, 2);
        return addStatusDeltas(tx, CRAWL, deltas);
      },
      [],
    ],
  ])('%s', async (_, work, paths) => {
    expect((await seen(work)).paths).toEqual(paths);
  });

  it('add the target of a redirect to the batch by key', async () => {
    const { answer, paths, upserts } = await seen(async (tx) => {
      const write: Run['write'] = (work) => work(tx, () => undefined);
      const run = { job: { crawl: CRAWL }, conf: defaults, write } as Run;
      const [source] = await nextWaiting(tx, { ...chunk(BATCHES.generated), limit: 1 }, undefined);
      const redirect = {
        source: source!,
        target: 'org.example:https/elsewhere',
        noted: {},
        reprUrl: null,
        sitemap: null,
        scoring: makeScoring(defaults),
      };
      return joinBatch(run, redirect, () => undefined);
    });
    expect(answer).toMatchObject({ key: 'org.example:https/elsewhere', mark: BATCHES.generated });
    expect({ paths, upserts }).toEqual({ paths: [inOrder, byKey], upserts: ['host_pkey', 'webpage_pkey'] });
  });

  it.each<[string, (tx: Explained) => Promise<unknown>, string[]]>([
    ['content', (tx) => writeContent(tx, CRAWL, fetched.map(visited)), ['page_content_pkey']],
    ['redirects', (tx) => writeRedirects(tx, CRAWL, fetched.map(visited)), ['page_content_pkey']],
    ['history', (tx) => writeHistory(tx, CRAWL, 'job', fetched.map(visited)), []],
  ])('write %s without reading existing rows', async (_, work, upserts) => {
    expect(await seen(work)).toMatchObject({ paths: [], upserts });
  });
});

describe('statements of PARSE', () => {
  const unparsed = (batch: string) => ({
    crawl: CRAWL,
    batch,
    part: 0,
    parts: 2,
    again: false,
    whole: false,
    limit: 64,
  });
  const pages = () => fetched.slice(0, 64).map((page) => ({ ...page, parse: parsed() }));

  it.each<Case>([
    [
      'read a chunk with its content',
      (tx) => nextUnparsed(tx, unparsed(BATCHES.fetched), undefined),
      [contentByKey, fetchedInOrder],
    ],
    [
      'read every page with content in table order',
      (tx) =>
        nextUnparsed(tx, { ...unparsed('-reparse'), whole: true }, { mark: '', hash: 0, key: 'com.site0500:https/' }),
      [contentByKey, byKey],
    ],
    ['write rows by key', (tx) => writeParse(tx, CRAWL, pages()), [byKey]],
    ['write text and links by key', (tx) => writeParsedContent(tx, CRAWL, pages()), [contentByKey]],
  ])('%s', async (_, work, paths) => {
    expect((await seen(work)).paths).toEqual(paths);
  });

  it('read all batches by one of the two indexes in their order', async () => {
    const { paths } = await seen((tx) => nextUnparsed(tx, unparsed('-all'), undefined));
    expect(paths).toEqual([contentByKey, expect.toBeOneOf([inOrder, fetchedInOrder])]);
  });
});

describe('statements of UPDATEDB', () => {
  const part = { crawl: CRAWL, batch: BATCHES.parsed, part: 0, parts: 2, limit: 2_000 };
  const close = (tx: Explained, additions: boolean, inDocuments?: 'anchors') =>
    closeChunk(tx, updated.map(payer), updated.map(settled), {
      crawl: CRAWL,
      additions,
      interval: 2_592_000,
      ignoreInternal: true,
      exactFrom: 0,
      maxInlinks: 100,
      inDocuments,
    });

  it.each<Case>([
    ['find fetched batches', (tx) => batchesWithPages(tx, CRAWL, VISITED), ['webpage_fetched (crawl, generate_mark)']],
    ['read the keys of a chunk', (tx) => nextSources(tx, part, undefined), [inOrder]],
    ['read pages and the number of their links by key', (tx) => readSources(tx, CRAWL, updated), [contentByKey, byKey]],
    ['find known targets by key when additions are not allowed', (tx) => close(tx, false), [contentByKey, byKey]],
    [
      'compare the texts of links with those of known links by key',
      (tx) => close(tx, false, 'anchors'),
      ['inlink_pkey (crawl, host, key, source)', contentByKey, byKey],
    ],
    [
      'read the links of a chunk from the contents of its pages',
      (tx) =>
        judgeLinks(tx, { crawl: CRAWL, sources: updated }, makeUrlRules(defaults), { normalize: true, filter: true }),
      [contentByKey],
    ],
    [
      'delete gone pages by key',
      (tx) => purgePages(tx, CRAWL, updated),
      ['inlink_pkey (crawl, host, key)', 'inlink_pkey (crawl, host, key, source)', contentByKey, byKey],
    ],
  ])('%s', async (_, work, paths) => {
    expect((await seen(work)).paths).toEqual(paths);
  });

  it('close a chunk with the links of its pages and two upserts by key', async () => {
    const { answer, paths, upserts } = await seen((tx) => close(tx, true));
    expect(paths).toEqual([contentByKey]);
    expect(upserts).toEqual(['inlink_pkey', 'webpage_pkey']);
    expect(answer).toMatchObject({
      added: expect.arrayContaining([{ host: expect.any(String), n: expect.any(Number) }]),
    });
  });

  it('limit the inlinks of pages by key', async () => {
    const linked = await db.query<{ host: string; key: string }>('select distinct host, key from inlink limit 100');
    const { paths } = await seen((tx) => capInlinks(tx, CRAWL, linked, 2));
    for (const path of paths) expect(path).toMatch(/^inlink_pkey \(crawl, host, key/);
    expect(paths).not.toEqual([]);
  });
});

describe('counts by status', () => {
  it.each<[string, (tx: Explained) => Promise<unknown>]>([
    ['of a crawl', (tx) => statusCounts(tx, CRAWL)],
    ['of its hosts', (tx) => hostCounts(tx, CRAWL)],
  ])('%s are read from stored counts, not from pages', async (_, work) => {
    const { paths } = await seen(work);
    expect(paths.filter((path) => path !== 'status_count_by_crawl (crawl)')).toEqual([]);
  });
});
