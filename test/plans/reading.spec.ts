import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pool, PoolClient } from 'pg';
import type { Database } from '../../src/api/database.js';
import { DbFilter } from '../../src/api/db/db.dto.js';
import { CrawlDbReader } from '../../src/api/db/crawldb-reader.js';
import type { ConfStore } from '../../src/conf/conf.store.js';
import { defaults } from '../../src/core/conf/properties.js';
import { unreverseUrl } from '../../src/core/url/row-key.js';
import { type LinkRange, brokenLinks } from '../../src/api/page/broken-links.query.js';
import { hostsOf } from '../../src/api/host/host.query.js';
import { pageLines, pageList } from '../../src/api/page/page-list.js';
import { inlinksOf, largeColumn, readPageRest, visitsOf } from '../../src/api/page/page-detail.query.js';
import type { TestDatabase } from '../support/database.js';
import { countParts } from '../../src/webpage/segment-parts.sql.js';
import type { PageRange } from '../../src/core/page/page-range.js';
import { Explained, type PlanNode, accessPaths, nodeTypes } from './explained.js';
import { isNewerThanStatistics } from './newer-than-statistics.js';
import { BATCH, BATCHES, CRAWL, PAGES, rolledBack, seededDatabase, somePages } from './seeded.js';

/** Statements of `/db`, `/v1/pages` and `/v1/hosts`: pages by URL, by batch, and in key order. */

/** A crawl of one large host. */
const LARGE = 2;
const LARGE_PAGES = 50_000;

let db: TestDatabase;

beforeAll(async () => {
  db = await seededDatabase();
  await db.query(`insert into crawl (id, name) overriding system value values (${LARGE}, 'large')`);
  await db.query(
    `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, source_kind)
     select ${LARGE}, 'com.large', 'com.large:https/' || lpad(i::text, 6, '0'), 1 + i % 2, now(), 1, 1, 1, 'link'
       from generate_series(1, ${LARGE_PAGES}) i`,
  );
  await db.query(
    `insert into host (crawl, host, domain, n_unfetched, n_fetched)
     values (${LARGE}, 'com.large', 'com.large', ${LARGE_PAGES / 2}, ${LARGE_PAGES / 2})`,
  );
  if (isNewerThanStatistics()) return;
  await db.query('analyze webpage');
  await db.query('analyze host');
});
afterAll(() => db.drop());

interface Seen<T> {
  answer: T;
  /** Access paths of the large tables. */
  paths: string[];
  /** Node types of all plans. */
  nodes: string[];
  plans: PlanNode[];
}

/** Runs `read`; returns its result with the access paths of the large tables. @param index created before, for this call only */
const seenOn = <T>(read: (pool: Pool) => Promise<T>, index?: string): Promise<Seen<T>> =>
  rolledBack(db, async (client) => {
    if (index !== undefined) await client.query(index);
    const tx = new Explained(client);
    const answer = await read(tx as unknown as Pool);
    return { answer, paths: accessPaths(tx.plans), nodes: nodeTypes(tx.plans), plans: tx.plans };
  });

/** Reads as `/db` does. */
const seen = (read: (reader: CrawlDbReader) => Promise<unknown>): Promise<Seen<unknown>> =>
  seenOn((pool) => {
    const confs = { findWithRules: async () => defaults } as unknown as ConfStore;
    return read(new CrawlDbReader({ pool } as Database, confs));
  });

async function textOf(parts: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for await (const part of parts) text += part;
  return text;
}

const ask = (filter: Partial<DbFilter>) => (reader: CrawlDbReader) =>
  textOf(reader.query(CRAWL, Object.assign(new DbFilter(), { limit: 300 }, filter)));

const byKey = 'webpage_pkey (crawl, host, key_hash)';
/** Pages of some hosts, sorted afterwards. */
const byHost = 'webpage_pkey (crawl, host)';
const contentByKey = 'page_content_pkey (crawl, host, key)';
/** Index of truncated contents. It is empty here, so that many lookups cost more than a full scan of it. */
const cutContents = 'page_content_cut ()';
const cutByKey = 'page_content_cut (crawl, host, key)';

describe('GET of one page', () => {
  it('finds it by primary key', async () => {
    const [page] = await somePages(db, 'rank is not null', 1);
    const { answer, paths } = await seen((reader) => reader.page(CRAWL, unreverseUrl(page!.key), 'default'));
    expect(answer).toMatchObject({ key: page!.key });
    expect(paths).toEqual(['page_content_cut (host, key)', byKey]);
  });
});

describe('POST /db in key order', () => {
  it.each<[string, Partial<DbFilter>, string[]]>([
    ['rows', { fields: ['url', 'status'] }, [cutContents, byHost]],
    [
      'rows of a range',
      { fields: ['url'], startKey: 'https://site0500.com/', endKey: 'https://site0510.com/' },
      [cutContents, byHost],
    ],
    ['rows after a cursor', { fields: ['url'], cursor: 'com.site0700:https/' }, [cutContents, byHost]],
    ['rows of a batch', { fields: ['url'], batchId: '-all', startKey: 'https://site0990.com/' }, [cutContents, byHost]],
    ['outlinks and headers', { fields: ['url', 'outlinks', 'headers'] }, [cutContents, contentByKey, byHost]],
    [
      'content and text',
      { fields: ['url', 'content', 'text'], limit: 40 },
      [cutContents, cutByKey, contentByKey, byHost, byKey],
    ],
    ['inlinks', { fields: ['url', 'inlinks'] }, ['inlink_pkey (crawl, host, key)', cutContents, byHost]],
  ])('reads %s host by host by primary key', async (_, filter, paths) => {
    const found = await seen(ask(filter));
    expect(found.paths).toEqual(paths);
    expect(String(found.answer)).toMatch(/^\{"values":\[.*\],"cursor":/);
  });

  it('dumps the whole crawl in chunks by primary key', async () => {
    const { answer, paths } = await seen((reader) =>
      textOf(reader.dump({ crawl: CRAWL, status: 1 }, 'csv', () => true)),
    );
    expect(paths).toEqual([cutContents, byHost]);
    const lines = String(answer).trimEnd().split('\n').length;
    expect(lines).toBeGreaterThan(PAGES / 3);
  });
});

const byMark = 'webpage_batch (crawl, generate_mark)';
const byUpdate = 'webpage_updated (crawl, update_mark)';
/** Pages of a closed batch that were not parsed. */
const byBatchId = 'webpage_unparsed (crawl, batch_id)';

describe('GET /v1/pages', () => {
  it.each<[string, Omit<PageRange, 'crawl'>, string[]]>([
    ['the first pages', {}, [cutContents, byHost]],
    ['pages after a cursor', { after: 'com.site0500:https/' }, [cutContents, byHost]],
    ['pages of a prefix', { from: 'com.site01', before: 'com.site02' }, [cutContents, byHost]],
    ['pages of a host', { from: 'com.site0100:', before: 'com.site0100;' }, [cutContents, byHost]],
    ['pages of a status', { status: [1, 2] }, [cutContents, byHost]],
    ['pages of an open batch', { batch: BATCHES.fetched }, [cutByKey, byMark, byKey, byBatchId, byUpdate]],
    ['pages of a closed batch', { batch: '9-3' }, [cutByKey, byMark, byKey, byBatchId, byUpdate]],
    [
      'pages of a batch and a status',
      { batch: BATCHES.parsed, status: [2] },
      [cutByKey, byMark, byKey, byBatchId, byUpdate],
    ],
  ])('finds %s by index', async (_, range, paths) => {
    const { answer, paths: found } = await seenOn((pool) => pageList(pool, { crawl: CRAWL, ...range }, 100));
    expect(answer.pages.length).toBeGreaterThan(0);
    expect(found).toEqual(paths);
  });

  it('searches a batch that does not exist in the indexes of marks only', async () => {
    const { answer, paths } = await seenOn((pool) => pageList(pool, { crawl: CRAWL, batch: 'none' }, 100));
    expect(answer).toEqual({ pages: [], cursor: null });
    expect(paths).toEqual([byMark, byBatchId, byUpdate]);
  });

  it('finds from the host table that no page has a status', async () => {
    const { answer, paths } = await seenOn((pool) => pageList(pool, { crawl: CRAWL, status: [3] }, 100));
    expect([answer.pages, paths]).toEqual([[], []]);
  });

  it.each([
    ['gone', [3]],
    ['redirected or duplicate', [4, 5, 7]],
  ])('reads the few pages of a large host that are %s without its others', async (_, status) => {
    const few = await rolledBack(db, async (client) => {
      await client.query(`update webpage set status = $2 where crawl = $1 and key like '%777'`, [LARGE, status.at(-1)]);
      await client.query(`update host set n_gone = 50, n_duplicate = 50 where crawl = $1`, [LARGE]);
      const tx = new Explained(client);
      const answer = await pageList(tx as unknown as Pool, { crawl: LARGE, status }, 100);
      return { answer, paths: accessPaths(tx.plans) };
    });
    expect(few.answer.pages).toHaveLength(LARGE_PAGES / 1_000);
    expect(few.paths).not.toContain(byHost);
  });

  it('streams a batch by its marks', async () => {
    const { answer, paths } = await seenOn((pool) =>
      textOf(pageLines(pool, { crawl: CRAWL, batch: BATCHES.generated }, Infinity)),
    );
    expect(answer.trimEnd().split('\n')).toHaveLength(BATCH);
    expect(paths).toEqual([cutByKey, byMark, byKey, byBatchId, byUpdate]);
  });

  it.each([
    ['all', {}, LARGE_PAGES],
    ['of a status', { status: 2 }, LARGE_PAGES / 2],
  ])('sorts the keys of a large host (%s) once and reads its pages by key', async (_, range, n) => {
    const { answer, paths, nodes, plans } = await seenOn((pool) =>
      textOf(pageLines(pool, { crawl: LARGE, ...range }, Infinity)),
    );
    expect(answer.trimEnd().split('\n')).toHaveLength(n);
    expect(paths).toEqual([cutContents, cutByKey, byHost, byKey]);
    expect(nodes.filter((type) => type.startsWith('Bitmap'))).toEqual([]);
    // The first chunk, and the keys of all others.
    expect(plans.filter((plan) => accessPaths([plan]).includes(byHost))).toHaveLength(2);
  });

  it('reads a large host in order, without sorts, when an index of keys exists', async () => {
    const { answer, paths } = await seenOn(
      (pool) => pageList(pool, { crawl: LARGE, after: 'com.large:https/025000' }, 100),
      'create index webpage_by_key on webpage (crawl, host, key)',
    );
    expect(answer.pages).toHaveLength(100);
    expect(paths).toEqual([cutContents, 'webpage_by_key (crawl, host, key)']);
  });
});

describe('POST /db with a batch', () => {
  it('finds its pages by the update mark', async () => {
    const found = await seen(ask({ fields: ['url'], batchId: '9-3' }));
    expect(found.paths).toEqual([cutByKey, byKey, byUpdate]);
  });
});

describe('the parts of a batch', () => {
  it.each([
    [BATCHES.generated, [BATCH, 0, 0]],
    [BATCHES.parsed, [BATCH, BATCH, BATCH]],
  ])('of %s are counted by its marks', async (id, counts) => {
    const { answer, paths } = await seenOn((pool) => countParts(pool, { crawl: CRAWL, id }));
    expect(paths).toEqual([byMark, byBatchId, byUpdate]);
    expect([answer.crawl_generate, answer.crawl_fetch, answer.parse_data]).toEqual(counts);
  });
});

describe('the content, inlinks and visits of a page', () => {
  it('are found by the key of the page', async () => {
    const [page] = await somePages(db, 'parse_mark is not null', 1);
    const pageKey = { crawl: CRAWL, host: page!.host, key: page!.key };
    const { answer, paths } = await seenOn(async (pool) => ({
      parts: await readPageRest(pool, pageKey),
      content: await largeColumn(pool, pageKey, 'content'),
      inlinks: await inlinksOf(pool, pageKey),
      visits: await visitsOf(pool, pageKey),
    }));
    expect(answer.parts.outlinks).toHaveLength(20);
    expect(paths).toEqual(['inlink_pkey (crawl, host, key)', contentByKey]);
  });
});

describe('GET /v1/broken-links', () => {
  const range = { crawl: CRAWL, limit: 100 };
  const pageKey = { host: 'com.site0500', key: 'com.site0500:https/' };
  let client: PoolClient;

  // Half of the pages are gone, for all of these tests: the update takes seconds.
  beforeAll(async () => {
    client = await db.pool.connect();
    await client.query('begin');
    await client.query(`update webpage set status = 3, protocol_code = 14 where crawl = $1 and rank is not null`, [
      CRAWL,
    ]);
  });
  afterAll(async () => {
    await client.query('rollback');
    client.release();
  });

  it.each<[string, (page: { host: string; key: string }) => LinkRange]>([
    ['of every host', () => range],
    ['of every host, from a position', () => ({ ...range, from: { key: pageKey.key, link: 3 } })],
    ['of one host', ({ host }) => ({ ...range, host })],
    ['of one target', ({ host, key }) => ({ ...range, host, target: key })],
  ])('%s: reads contents in key order and targets by key', async (_, rangeOf) => {
    const [page] = await somePages(db, 'parse_mark is not null', 1);
    const tx = new Explained(client);
    await brokenLinks(tx, rangeOf(page!));
    const paths = accessPaths(tx.plans);
    expect(paths.map((path) => path.replace(/ \(.*/, ''))).toEqual(
      expect.arrayContaining(['page_content_pkey', 'webpage_pkey']),
    );
    expect(paths.filter((path) => !/^(?:page_content|webpage)_pkey /.test(path))).toEqual([]);
  });

  it('finds a full page of links when half of the pages are gone', async () => {
    const { links, next } = await brokenLinks(client, range);
    expect([links.length, next === null]).toEqual([100, false]);
  });
});

describe('GET /v1/hosts', () => {
  it.each([{}, { prefix: 'com.site01' }, { domain: 'com.site0100' }, { after: 'com.site0500' }])(
    '%j: reads no page',
    async (range) => {
      const { answer, paths } = await seenOn((pool) =>
        hostsOf(pool, { crawl: CRAWL, limit: 50, ...range }, { conf: defaults, job: null }),
      );
      expect(answer.length).toBeGreaterThan(0);
      expect(paths.filter((path) => !/^(?:robots|politeness)_pkey /.test(path))).toEqual([]);
    },
  );
});
