import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { batchSize, batchesWithPages } from '../../src/cycle/batch-chunks.sql.js';
import { lockPages } from '../../src/cycle/batch-pages.sql.js';
import {
  type BatchChunkQuery,
  countRest,
  nextWaiting,
  writeHistory,
  writeVisitRows,
} from '../../src/cycle/fetch/fetch.sql.js';
import { joinBatch } from '../../src/cycle/fetch/redirect-at-once.js';
import { writeContent, writeParsedContent, writeRedirects } from '../../src/cycle/page-content.sql.js';
import { nextUnparsed, writeParse } from '../../src/cycle/parse/parse.sql.js';
import { closeChunk } from '../../src/cycle/updatedb/update-chunk.sql.js';
import { nextSources, purgePages, readSources } from '../../src/cycle/updatedb/updatedb.sql.js';
import { capInlinks } from '../../src/cycle/inlinks.sql.js';
import type { Run } from '../../src/cycle/step.js';
import { judgeLinks } from '../../src/cycle/filter-links.js';
import { makeScoring } from '../../src/plugin/scoring-filters.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';
import { defaults } from '../../src/core/conf/properties.js';
import { StatusDeltas, addStatusDeltas, hostCounts, statusCounts } from '../../src/webpage/host-counts.store.js';
import type { TestDatabase } from '../support/database.js';
import type { Explained } from './explained.js';
import { type Case, byKey, plansOf } from './plans-of.js';
import { contributor, parsed, updatedPage, visited } from './records.js';
import { BATCHES, CRAWL, type SomePage, CHUNK, seededDatabase, somePages } from './seeded.js';

/**
 * The statements that process the pages of a batch, planned on a table of 100,000 pages: none scans a large table sequentially;
 * pages are found by their whole key, or by the index of their batch.
 */

const VISITED = { visited: true };
let db: TestDatabase;
/** Pages of the fetched and of the parsed batch. */
let fetched: SomePage[];
let updated: SomePage[];

beforeAll(async () => {
  db = await seededDatabase();
  fetched = await somePages(db, `generate_mark = '${BATCHES.fetched}'`, 128);
  updated = await somePages(db, `generate_mark = '${BATCHES.parsed}'`, CHUNK);
});
afterAll(() => db.drop());

const seen = (work: (tx: Explained) => Promise<unknown>) => plansOf(db, work);

const contentByKey = 'page_content_pkey (crawl, host, key)';
const inOrder = 'webpage_batch (crawl, generate_mark, hashtext)';
const fetchedInOrder = inOrder.replace('batch', 'fetched');

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
      'read the first chunk of a batch by its index (C28)',
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
      (tx) => batchSize(tx, CRAWL, ['-all'], { sitemap: false }),
      // A partial index of pages in a batch.
      ['webpage_batch (crawl)'],
    ],
    ['count the remaining pages', (tx) => countRest(tx, chunk(BATCHES.generated)), [inOrder]],
    ['count a batch', (tx) => batchSize(tx, CRAWL, [BATCHES.generated]), ['webpage_batch (crawl, generate_mark)']],
    ['lock pages by key', (tx) => lockPages(tx, CRAWL, fetched), [byKey]],
    ['write visits by key', (tx) => writeVisitRows(tx, CRAWL, fetched.map(visited)), [byKey]],
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
    closeChunk(tx, updated.map(contributor), updated.map(updatedPage), {
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
