import { afterAll, beforeAll, expect, it } from 'vitest';
import { CRAWL_TABLES, deleteNext } from '../../src/cycle/dropcrawl/dropcrawl.sql.js';
import type { TestDatabase } from '../support/database.js';
import { Explained, accessPaths, nodeTypes } from './explained.js';
import { CRAWL, rolledBack, seededDatabase } from './seeded.js';

/**
 * The statements of DROPCRAWL, planned on a table of 100,000 pages: the cost of a chunk depends on the rows it deletes, not on
 * its position.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await seededDatabase();
});
afterAll(() => db?.drop());

const half = 'com.site0500';

it.each([
  ['page_content', [half, ''], 'page_content_pkey (crawl, host, key)'],
  ['inlink', [half, '', ''], 'inlink_pkey (crawl, host, key, source)'],
  ['webpage', [half, '0'], 'webpage_pkey (crawl, host, key_hash)'],
])('DROPCRAWL reads and deletes chunks of %s by primary key', async (name, after, path) => {
  const table = CRAWL_TABLES.find((one) => one.name === name)!;
  for (const cursor of [null, after]) {
    const { deleted, plans } = await rolledBack(db, async (client) => {
      const tx = new Explained(client);
      const done = await deleteNext(tx, CRAWL, table, { after: cursor, limit: 500 });
      return { ...done, plans: tx.plans };
    });
    expect(deleted).toBe(500);
    expect(plans).toHaveLength(2);
    const paths = accessPaths(plans);
    expect(paths).toContain(path);
    expect(paths.every((one) => one.startsWith(path.split(' ')[0]!))).toBe(true);
    expect(nodeTypes(plans)).not.toContain('Seq Scan');
  }
});
