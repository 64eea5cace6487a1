import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  hasPagesOf,
  readInspectedHost,
  originalOf,
  storedKeys,
  storedPage,
} from '../../src/api/inspect/inspect.query.js';
import { candidateOf, countOthers, hasUnpromoted } from '../../src/cycle/generate/candidates.sql.js';
import type { TestDatabase } from '../support/database.js';
import { Explained, nodeTypes } from './explained.js';
import { CRAWL, type SomePage, rolledBack, seededDatabase, somePages } from './seeded.js';

/** Statements of /v1/inspect, planned on a table of 100,000 pages: any client may send them, so none scans a whole table. */

let db: TestDatabase;
let page: SomePage;
beforeAll(async () => {
  db = await seededDatabase();
  page = (await somePages(db, 'rank is not null', 1))[0]!;
});
afterAll(() => db.drop());

const now = new Date();
const beyond = new Date(now.getTime() + 7_776_000_000);

describe('/v1/inspect scans no table sequentially to read', () => {
  it.each<[string, (tx: Explained) => Promise<unknown>]>([
    [
      'one page as a candidate of GENERATE',
      (tx) => candidateOf(tx, { crawl: CRAWL, ...page }, { curTime: now, beyond, maxWaitS: 60 }),
    ],
    ['whether pages wait for promotion', (tx) => hasUnpromoted(tx, CRAWL, { now, beyond })],
    [
      'the number of pages that are no candidates, up to a limit',
      (tx) => countOthers(tx, CRAWL, { curTime: now, beyond, max: 1_000 }),
    ],
    ['a host', (tx) => readInspectedHost(tx, CRAWL, page.host)],
    ['whether a host is known', (tx) => hasPagesOf(tx, CRAWL, { host: page.host })],
    ['whether a domain is known', (tx) => hasPagesOf(tx, CRAWL, { domain: 'test.none' })],
    ['the original of a duplicate', (tx) => originalOf(tx, CRAWL, { key: page.key, signature: 'a'.repeat(32) })],
    ['pages with content', (tx) => storedKeys(tx, CRAWL, { max: 20 })],
    ['pages with content of a host', (tx) => storedKeys(tx, CRAWL, { host: page.host, max: 20 })],
    ['one page with its content', (tx) => storedPage(tx, CRAWL, page)],
  ])('%s', async (_, work) => {
    await rolledBack(db, async (client) => {
      const tx = new Explained(client);
      await work(tx);
      expect(tx.plans).not.toEqual([]);
      expect(nodeTypes(tx.plans)).not.toContain('Seq Scan');
    });
  });
});
