import type { PoolClient } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eachEqualPage, deleteRecorded, movePages, nextRecorded, nextHashes } from '../../src/cycle/dedup/dedup.sql.js';
import type { EqualPage } from '../../src/core/page/duplicate-groups.js';
import { lockRelinked, removeFormerInlinks, removeInlinksFrom } from '../../src/cycle/former-links.sql.js';
import { countLinkers, invertLinks, linkersOf, nextLinkers } from '../../src/cycle/invertlinks/invertlinks.sql.js';
import { findOpen, lockMerged, moveToBatches, pagesOfSegments } from '../../src/cycle/mergesegs/mergesegs.sql.js';
import { recordSignatures } from '../../src/webpage/signature-due.store.js';
import type { TestDatabase } from '../support/database.js';
import { Explained, accessPaths } from './explained.js';
import { type Case, byKey, plansOf } from './plans-of.js';
import { BATCHES, CRAWL, type SomePage, CHUNK, rolledBack, seededDatabase, somePages } from './seeded.js';

/** The statements of INVERTLINKS, MERGESEGS and DEDUP, planned on a table of 100,000 pages: their cost depends on the batch. */

let db: TestDatabase;
let updated: SomePage[];
let fetched: (SomePage & { signature: string })[];
let due: { host: string; signature: string }[];

/** A tenth of the pages have the same content as nine others. */
const SHARED = `update webpage set signature = md5((hashtext(key) % 1000)::text) where hashtext(key) % 10 = 0`;

beforeAll(async () => {
  db = await seededDatabase();
  await db.query(SHARED);
  await db.query(
    `insert into signature_due select crawl, now(), host, signature from webpage where update_mark in ('9-1', '9-3') on conflict do nothing`,
  );
  await db.query('vacuum analyze webpage');
  await db.query('analyze signature_due');
  updated = await somePages(db, `generate_mark = '${BATCHES.parsed}'`, CHUNK);
  fetched = await db.query(
    `select host, key, '' as mark, signature from webpage where status = 2 and generate_mark is null order by md5(key) limit 500`,
  );
  due = await db.query('select host, signature from signature_due limit 500');
});
afterAll(() => db.drop());

const seen = (work: (tx: Explained) => Promise<unknown>) => plansOf(db, work);

const ofContent = 'webpage_signature (crawl, hashtext, status)';

describe('statements of INVERTLINKS', () => {
  const query = { crawl: CRAWL, batch: '9-3', part: 0, parts: 2 };
  const pageKey = { host: 'com.site0500', key: 'com.site0500:https/section-0/page-000500' };
  const marks = [
    'webpage_batch (crawl, generate_mark)',
    'webpage_unparsed (crawl, batch_id)',
    'webpage_updated (crawl, update_mark)',
  ];

  it.each<Case>([
    ['read the pages of a batch by its marks', (tx) => tx.query(linkersOf(query, undefined)), marks],
    ['read the next chunk from a position', (tx) => tx.query(linkersOf(query, pageKey)), marks],
    ['count the pages of a batch by its marks', (tx) => countLinkers(tx, CRAWL, '9-3'), marks],
    [
      'read the pages of all batches in table order, from a position',
      (tx) => nextLinkers(tx, CRAWL, 500, pageKey),
      [byKey],
    ],
  ])('%s', async (_, work, paths) => {
    const { paths: taken } = await seen(work);
    expect(taken.map((path) => path.replace(', hashtext)', ')'))).toEqual(paths);
  });

  it('invert the links of a chunk by the contents and rows of its pages, with one upsert', async () => {
    const options = {
      crawl: CRAWL,
      ignoreInternal: false,
      ignoreExternal: false,
      maxAnchorLength: 100,
      exactFrom: 0,
      maxInlinks: 100,
    };
    const pages = updated.map(({ host, key }) => ({ host, key, source: key }));
    const { answer, paths, upserts } = await seen((tx) => invertLinks(tx, pages, options));
    expect({ paths, upserts }).toEqual({
      paths: ['page_content_pkey (crawl, host, key)', byKey],
      upserts: ['inlink_pkey'],
    });
    expect(answer).toMatchObject({ links: CHUNK * 20, added: expect.any(Number), changed: 0 });
    const inDocuments = await seen((tx) => invertLinks(tx, pages, { ...options, inDocuments: 'anchors' }));
    expect(inDocuments.paths).toEqual([
      'inlink_pkey (crawl, host, key, source)',
      'page_content_pkey (crawl, host, key)',
      byKey,
    ]);
  });
});

describe('statements for inlinks of removed links', () => {
  const some = () => updated.slice(0, 100).map(({ host, key }) => ({ host, key, source: key }));
  /** Each of these pages has lost a link and got another one. */
  const relink = (client: PoolClient) =>
    client.query(
      `update page_content p set former_outlink_keys = outlink_keys[2:] || array['org.former:https/' || hashtext(p.key)]
         from unnest($1::text[], $2::text[]) as s (host, key) where p.crawl = ${CRAWL} and p.host = s.host and p.key = s.key`,
      [some().map(({ host }) => host), some().map(({ key }) => key)],
    );
  const content = 'page_content_pkey (crawl, host, key)';
  const inlink = 'inlink_pkey (crawl, host, key, source)';

  it.each<Case>([
    ['lock the pages of a chunk by key', (tx) => lockRelinked(tx, CRAWL, some()), [content, byKey]],
    [
      'find them by content and delete them by key',
      (tx) => removeFormerInlinks(tx, CRAWL, { pages: some() }),
      [inlink, content],
    ],
    [
      'delete those of removed pages by the same paths',
      (tx) => removeInlinksFrom(tx, CRAWL, { pages: some() }),
      [inlink, content],
    ],
  ])('%s', async (_, work, paths) => {
    const taken = await rolledBack(db, async (client) => {
      await relink(client);
      const tx = new Explained(client);
      await work(tx);
      return accessPaths(tx.plans);
    });
    expect(taken).toEqual(paths);
  });
});

describe('statements of MERGESEGS', () => {
  const batches = ['9-1', '9-3'];
  const pages = () => fetched.map(({ host, key }) => ({ host, key }));

  it.each<Case>([
    [
      'read the pages of closed batches by their marks',
      (tx) => tx.query(pagesOfSegments(CRAWL, batches, null)),
      ['webpage_unparsed (crawl, batch_id)', 'webpage_updated (crawl, update_mark)'],
    ],
    [
      'find open batches by their marks',
      (tx) => findOpen(tx, CRAWL, batches),
      ['webpage_batch (crawl, generate_mark)'],
    ],
    ['lock pages by key', (tx) => lockMerged(tx, CRAWL, { pages: pages(), batches }), [byKey]],
    [
      'move pages by key',
      (tx) =>
        moveToBatches(
          tx,
          CRAWL,
          pages().map((one) => ({ ...one, batch: 'm' })),
        ),
      [byKey],
    ],
  ])('%s', async (_, work, paths) => {
    const { paths: taken } = await seen(work);
    expect(taken.toSorted()).toEqual(paths);
  });
});

describe('statements of DEDUP', () => {
  const hashes = async () =>
    (await db.query<{ hash: number }>('select distinct hashtext(signature) as hash from signature_due limit 1000')).map(
      ({ hash }) => hash,
    );
  /** Reads through the cursor on the explained connection. */
  const equalPages = async (tx: Explained, duplicates: boolean, some?: number[]): Promise<EqualPage[]> => {
    const found: EqualPage[] = [];
    const connection = { connect: () => Promise.resolve(connectionOf(tx)), options: { max: 1 } };
    const pool = connection as unknown as Parameters<typeof eachEqualPage>[0];
    await eachEqualPage(pool, { crawl: CRAWL, hashes: some ?? (await hashes()), duplicates }, (read) => {
      found.push(...read);
      return Promise.resolve();
    });
    return found;
  };

  it.each<Case>([
    ['note contents without the page table', (tx) => recordSignatures(tx, CRAWL, due), []],
    ['read noted contents without the page table', (tx) => nextRecorded(tx, CRAWL, 1_000), []],
    ['read pages of some contents by the index of contents', (tx) => equalPages(tx, false), [ofContent]],
    [
      'read the pages of thousands of contents by that index',
      async (tx) => equalPages(tx, false, await nextHashes(db.pool, CRAWL, -2_147_483_649, 5_000)),
      [ofContent],
    ],
    ['read duplicates by the same index', (tx) => equalPages(tx, true), [ofContent]],
    ['mark pages by key', (tx) => movePages(tx, CRAWL, fetched, 'duplicate'), [byKey]],
    ['unmark pages by key', (tx) => movePages(tx, CRAWL, fetched, 'fetched'), [byKey]],
    [
      'read all contents in the order of the index',
      (tx) => nextHashes(tx, CRAWL, 0, 200),
      ['webpage_signature (crawl, hashtext)'],
    ],
  ])('%s', async (_, work, paths) => {
    expect((await seen(work)).paths).toEqual(paths);
  });

  // PostgreSQL 15 and 16, which expected most pages, read all of the crawl for each chunk.
  it('are expected to find about as many pages as there are contents', async () => {
    const some = await nextHashes(db.pool, CRAWL, -2_147_483_649, 200);
    const [scan] = (await seen((tx) => equalPages(tx, false, some))).pageScans;
    expect(scan!['Actual Rows']).toBeGreaterThan(100);
    expect(scan!['Plan Rows']).toBeLessThan(2 * scan!['Actual Rows']!);
  });

  it('read all contents without a sort', async () => {
    expect((await seen((tx) => nextHashes(tx, CRAWL, 0, 200))).nodes).not.toContain('Sort');
  });

  it('delete processed notes by key', async () => {
    const { paths, nodes } = await seen(async (tx) => deleteRecorded(tx, CRAWL, await nextRecorded(tx, CRAWL, 100)));
    expect(paths).toEqual([]);
    expect(nodes).toContain('Index Scan');
  });
});

/** A connection that explains the cursor, and leaves the transaction around it to the test. */
function connectionOf(tx: Explained) {
  return {
    query: (statement: string | { text: string; values: unknown[] }) =>
      typeof statement === 'string' ? Promise.resolve({ rows: [] }) : tx.query(statement),
    on: () => undefined,
    off: () => undefined,
    release: () => undefined,
  };
}
