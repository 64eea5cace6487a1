import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nextToDelete } from '../../src/cycle/clean/clean.sql.js';
import {
  REINDEX,
  markIndexed,
  nextIndexCandidates,
  pagesOfBatches,
  readPages,
  readSegments,
  nextDue,
} from '../../src/cycle/index/index.sql.js';
import { readFetchTimes } from '../../src/webpage/fetch-times.sql.js';
import type { PageKey } from '../../src/core/page/page-row.js';
import { LiveBits } from '../../src/core/search/postings/live-bits.js';
import {
  blocksOf,
  positionsOf,
  rangeBlocks,
  readStored,
  readStoredAndVersion,
  segmentColumns,
  segmentLive,
  segmentStates,
  wholeBlocks,
} from '../../src/search/segment-reading.sql.js';
import { deleteDocuments, deleteSegments, docKey, docAddresses } from '../../src/search/segment-writing.sql.js';
import { bestInlinks } from '../../src/webpage/best-inlinks.sql.js';
import { compress } from '../../src/webpage/compression.js';
import { clearDue, recordDue } from '../../src/webpage/document-due.store.js';
import { clearRemoved, nextRemoved, recordRemoved } from '../../src/webpage/removed-document.store.js';
import type { TestDatabase } from '../support/database.js';
import { Explained, type PlanNode, indexesOf, nodesOf } from './explained.js';
import { CRAWL, rolledBack, seededDatabase, somePages } from './seeded.js';

const WHOLE = { part: 0, parts: 1 };
const HALF = { part: 1, parts: 2 };

/**
 * The statements of INDEX, CLEAN and searches, on a crawl of 100,000 indexed pages: none scans a large table
 * sequentially, and the number of rows read is proportional to those requested.
 */

const SEGMENTS = 32;
const DOCUMENTS = 3_125;
const TERMS = 3_000;
/** Blocks of stored fields of a segment. */
const BLOCKS = 1_000;
const REMOVED = 100_000;

const stored = compress(JSON.stringify([['id', 'url', 'title', null]])).toString('hex');
const live = Buffer.from(LiveBits.allLive(DOCUMENTS).bytes).toString('hex');
const FILL = [
  `insert into search_segment (crawl, seg, documents, live_documents, generation, sums, live, columns)
   select ${CRAWL}, n, ${DOCUMENTS}, ${DOCUMENTS}, 1, '{1}', '\\x${live}', '\\x00' from generate_series(1, ${SEGMENTS}) n`,
  `insert into search_posting (crawl, seg, term, post, pos)
   select ${CRAWL}, n, 't' || lpad(t::text, 5, '0'), decode(repeat('0102', 100), 'hex'), '\\x0304' from generate_series(1, ${SEGMENTS}) n, generate_series(1, ${TERMS}) t`,
  `insert into search_stored (crawl, seg, block, fields)
   select ${CRAWL}, n, b, '\\x${stored}' from generate_series(1, ${SEGMENTS}) n, generate_series(0, ${BLOCKS - 1}) b`,
  `insert into search_doc (crawl, id, seg, doc)
   select ${CRAWL}, left(encode(sha256(key::bytea), 'hex'), 32)::uuid, 1 + n % ${SEGMENTS}, n / ${SEGMENTS}
     from (select key, row_number() over () - 1 as n from webpage where crawl = ${CRAWL}) numbered`,
  `insert into removed_document (crawl, host, key)
   select ${CRAWL}, 'com.gone' || n % 100, 'com.gone' || n % 100 || ':http/' || n from generate_series(1, ${REMOVED}) n`,
  `insert into document_due (crawl, host, key, noted_at) select crawl, host, key, now() from webpage where update_mark is not null`,
  `update webpage set index_mark = update_mark, parse_major = 1, parse_minor = 0`,
  // Some pages are gone since.
  `update webpage set status = 3 where hashtext(key) % 200 = 0`,
];

let db: TestDatabase;
let pages: PageKey[];

beforeAll(async () => {
  db = await seededDatabase();
  for (const statement of FILL) await db.query(statement);
  await db.query(
    'vacuum analyze webpage, search_segment, search_posting, search_stored, search_doc, removed_document, document_due',
  );
  pages = await somePages(db, 'update_mark is not null', 500);
});
afterAll(() => db?.drop());

/** The large tables, with millions of rows in a large crawl. `search_segment` has some dozens. */
const LARGE = [
  'webpage',
  'page_content',
  'inlink',
  'search_posting',
  'search_stored',
  'search_doc',
  'removed_document',
  'document_due',
];

/** Rows that a plan has read in large tables. */
const looked = (plans: readonly PlanNode[]): number =>
  nodesOf(plans)
    .filter((node) => LARGE.includes(node['Relation Name'] ?? ''))
    .reduce((sum, node) => {
      const removed = (node as { 'Rows Removed by Filter'?: number })['Rows Removed by Filter'] ?? 0;
      return sum + ((node['Actual Rows'] ?? 0) + removed) * (node['Actual Loops'] ?? 0);
    }, 0);

async function seen(work: (tx: Explained) => Promise<unknown>) {
  const plans = await rolledBack(db, async (client) => {
    const tx = new Explained(client);
    await work(tx);
    return tx.plans;
  });
  expect(plans.length).toBeGreaterThan(0);
  const whole = nodesOf(plans)
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .flatMap((node) => node['Relation Name'] ?? [])
    .filter((name) => LARGE.includes(name));
  return { whole, indexes: indexesOf(plans).sort(), looked: looked(plans) };
}

const marked = (n: number) => pages.slice(0, n).map((page) => ({ ...page, mark: 'new' }));
const terms = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ seg: 1 + (i % SEGMENTS), term: `t${String(1 + i * 3).padStart(5, '0')}` }));

type Asking = (tx: Explained, n: number) => Promise<unknown>;

/** Each statement is run for 20 items and for 200; `each`: rows that it may read for one of them. */
const ASKED: Record<string, [ask: Asking, each: number, ...indexes: string[]]> = {
  'the columns of documents': [
    (tx, n) => readPages(tx, CRAWL, pages.slice(0, n), { content: true, outlinks: true }),
    2,
    'webpage_pkey',
    'page_content_pkey',
  ],
  inlinks: [(tx, n) => bestInlinks(tx, CRAWL, pages.slice(0, n)), 3, 'inlink_pkey'],
  'times of visits': [(tx, n) => readFetchTimes(tx, CRAWL, pages.slice(0, n)), 1],
  'segment names of batches': [
    (tx, n) =>
      readSegments(
        tx,
        CRAWL,
        pages.slice(0, n).map(({ key }) => key),
      ),
    1,
  ],
  'index marks': [(tx, n) => markIndexed(tx, CRAWL, marked(n)), 5, 'webpage_pkey'],
  'the next pages': [
    (tx, n) =>
      nextIndexCandidates(tx, CRAWL, { which: '-all', toDelete: true, limit: n, after: pages[0]!, partition: WHOLE }),
    4,
    'webpage_pkey',
  ],
  'the next parsed pages': [
    (tx, n) =>
      nextIndexCandidates(tx, CRAWL, { which: REINDEX, toDelete: true, limit: n, after: pages[0]!, partition: WHOLE }),
    4,
    'webpage_pkey',
  ],
  'the next pages for CLEAN': [(tx, n) => nextToDelete(tx, CRAWL, n, null), 4, 'webpage_leaver'],
  'the recorded pages': [
    (tx, n) => nextDue(tx, CRAWL, { limit: n, after: pages[0]!, partition: WHOLE }),
    4,
    'document_due_pkey',
  ],
  'recording pages': [
    (tx, n) => recordDue(tx, CRAWL, { pages: pages.slice(0, n) }, { toDelete: false }),
    5,
    'webpage_pkey',
  ],
  'recorded pages that are written': [
    (tx, n) =>
      clearDue(
        tx,
        CRAWL,
        marked(n).map((page) => ({ ...page, notedAt: 'now' })),
      ),
    2,
    'document_due_pkey',
  ],
  'documents of removed pages': [
    (tx, n) => nextRemoved(tx, CRAWL, { after: { host: 'com.gone5', key: '' }, limit: n }),
    2,
    'removed_document_pkey',
  ],
  'documents that are deleted': [(tx, n) => clearRemoved(tx, CRAWL, marked(n)), 2, 'removed_document_pkey'],
  'positions of documents': [
    (tx, n) =>
      docAddresses(
        tx,
        CRAWL,
        pages.slice(0, n).map(({ key }) => docKey(key)),
      ),
    2,
    'search_doc_pkey',
  ],
  'deleting documents': [
    (tx, n) =>
      deleteDocuments(
        tx,
        CRAWL,
        pages.slice(0, n).map(({ key }) => key),
      ),
    4,
    'search_doc_pkey',
  ],
  'blocks of terms': [
    (tx, n) =>
      blocksOf(
        tx,
        CRAWL,
        terms(n).map((one) => ({ ...one, isNear: true })),
        { shared: 1_000, own: 1_000, pos: 1_000 },
      ),
    2,
    'search_posting_pkey',
  ],
  'whole blocks': [(tx, n) => wholeBlocks(tx, CRAWL, terms(n)), 2, 'search_posting_pkey'],
  positions: [
    (tx, n) =>
      positionsOf(
        tx,
        CRAWL,
        terms(n).map((one) => ({ ...one, first: one.term, from: 0, to: 1 })),
      ),
    2,
    'search_posting_pkey',
  ],
  'terms of a range': [
    (tx, n) => rangeBlocks(tx, CRAWL, [1, 2, 3], [{ from: 't00100', to: 't01500', maxBlocks: n }]),
    4,
    'search_posting_pkey',
  ],
  'stored fields of hits': [
    (tx, n) =>
      readStored(
        tx,
        CRAWL,
        Array.from({ length: n }, (_, i) => ({ seg: 1 + (i % SEGMENTS), block: i >> 3 })),
      ),
    2,
    'search_stored_pkey',
  ],
  'stored fields of hits, and which segments there are': [
    (tx, n) =>
      readStoredAndVersion(
        tx,
        CRAWL,
        Array.from({ length: n }, (_, i) => ({ seg: 1 + (i % SEGMENTS), block: i >> 3 })),
      ),
    2,
    'search_stored_pkey',
  ],
};

describe('the number of rows read', () => {
  it.each(Object.entries(ASKED))('for %s is proportional to the request', async (_, [ask, each, ...indexes]) => {
    for (const n of [20, 200]) {
      const { whole, indexes: used, looked: rows } = await seen((tx) => ask(tx, n));
      expect(whole).toEqual([]);
      expect(used).toEqual(expect.arrayContaining(indexes));
      expect(rows).toBeLessThanOrEqual(each * n + 20);
    }
  });

  it('for the recorded pages of a partition is proportional to the chunk, however many are recorded', async () => {
    const [due] = await db.query<{ n: number }>('select count(*)::int as n from document_due');
    const limit = Math.ceil(due!.n / 20);
    const after = { host: '', key: '' };
    const { whole, looked: rows } = await seen((tx) => nextDue(tx, CRAWL, { limit, after, partition: HALF }));
    expect(whole).toEqual([]);
    expect(rows).toBeLessThanOrEqual(3 * limit);
  });

  it('for the pages of a batch excludes other pages', async () => {
    const { whole, indexes } = await seen((tx) =>
      tx.query(pagesOfBatches(CRAWL, ['9-1'], { after: null, toDelete: true, partition: HALF })),
    );
    expect(whole).not.toContain('webpage');
    expect(indexes).toEqual(expect.arrayContaining(['webpage_unparsed', 'webpage_updated']));
  });

  it('for a removed page is limited by indexes', async () => {
    const { whole } = await seen((tx) =>
      recordRemoved(
        tx,
        CRAWL,
        pages.slice(0, 200).map((page) => ({ ...page, indexed: false })),
      ),
    );
    expect(whole).toEqual([]);
  });

  it('for the segments of a crawl is limited by indexes', async () => {
    for (const ask of [
      (tx: Explained) => segmentStates(tx, CRAWL),
      (tx: Explained) => segmentLive(tx, CRAWL, [1, 2]),
      (tx: Explained) => segmentColumns(tx, CRAWL, [1]),
    ])
      expect((await seen(ask)).whole).toEqual([]);
  });

  it('for deleting a segment is limited to its rows', async () => {
    const { whole, looked: rows } = await seen((tx) => deleteSegments(tx, CRAWL, [3]));
    expect(whole).toEqual([]);
    expect(rows).toBeLessThanOrEqual(TERMS + BLOCKS + 200);
  });
});
