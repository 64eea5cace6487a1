import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { inlinkRows, nodeRows, outlinkRows } from '../../src/api/legacy/webgraph-rows.query.js';
import { updateScores } from '../../src/cycle/webgraph/scoreupdate.sql.js';
import { deleteStaleNodes, nextLinks, nextNodes, nextHashedPages } from '../../src/cycle/webgraph/webgraph.sql.js';
import { ensureHistoryPartitions } from '../../src/webpage/fetch-history.store.js';
import type { TestDatabase } from '../support/database.js';
import { Explained, type PlanNode, accessPaths, indexesOf, nodesOf } from './explained.js';
import { CRAWL, rolledBack, seededDatabase } from './seeded.js';

/**
 * The statements of LINKRANK and SCOREUPDATE, planned on a table of 100,000 pages: the cost of a chunk depends on its rows, not
 * on its position.
 */

let db: TestDatabase;
beforeAll(async () => {
  db = await seededDatabase();
  await db.query(
    'insert into webgraph_node (crawl, host, key, link_rank) select crawl, host, key, 1 from webpage where crawl = $1',
    [CRAWL],
  );
  await ensureHistoryPartitions(db.pool);
  await db.query(
    `insert into fetch_history (crawl, host, key, time, status, protocol_code)
     select crawl, host, key, now(), 2, 1 from webpage where crawl = $1`,
    [CRAWL],
  );
  await db.query('analyze webgraph_node, fetch_history');
});
afterAll(() => db?.drop());

const after = { host: 'com.site0500', keyHash: '0' };
const walk = { crawl: CRAWL, seed: '7', after, limit: 500 };
/** For one chunk: the largest is that of listed nodes. */
const MAX_ROWS = 1_000;
const byKey = { ...walk, after: { host: 'com.site0500', key: '' } };
const shown = (tx: Explained) => ({ pool: tx as unknown as Pool, crawl: CRAWL, signal: new AbortController().signal });
const last = { host: 'com.site0501', keyHash: '0' };

it.each<[string, (tx: Explained) => Promise<unknown>, string]>([
  ['pages to number', (tx) => nextNodes(tx, walk, true), 'webpage_pkey'],
  ['links', (tx) => nextLinks(tx, byKey, false), 'page_content_pkey'],
  ['links of pages that are not gone', (tx) => nextLinks(tx, byKey, true), 'page_content_pkey'],
  ['pages to write', (tx) => nextHashedPages(tx, walk), 'webpage_pkey'],
  ['nodes without a page', (tx) => deleteStaleNodes(tx, CRAWL, after, last), 'webpage_pkey'],
  ['nodes to list', (tx) => nodeRows(shown(tx)).next(), 'webgraph_node_pkey'],
  ['outlinks to list', (tx) => outlinkRows(shown(tx)).next(), 'page_content_pkey'],
  ['inlinks to list', (tx) => inlinkRows(shown(tx)).next(), 'inlink_pkey'],
  ['scores', (tx) => updateScores(tx, CRAWL, { after, limit: 500, clearScore: 0 }), 'webpage_pkey'],
])('LINKRANK and SCOREUPDATE read %s by key, at most one chunk', async (_, work, path) => {
  const plans = await rolledBack(db, async (client) => {
    const tx = new Explained(client);
    await work(tx);
    return tx.plans;
  });
  expect(indexesOf(plans)).toContain(path);
  const large = accessPaths(plans).filter((one) => !one.includes('(crawl, host'));
  expect(large).toEqual([]);
  // Partitions of the history of further months are empty.
  const read = (node: PlanNode) =>
    (node['Actual Rows'] ?? 0) + ((node as { 'Rows Removed by Filter'?: number })['Rows Removed by Filter'] ?? 0);
  expect(nodesOf(plans).filter((node) => node['Node Type'] === 'Seq Scan' && read(node) > 0)).toEqual([]);
  // No node reads or sorts more than the chunk, however many rows follow it.
  for (const node of nodesOf(plans).filter((one) => one['Index Name'] ?? one['Node Type'].endsWith('Sort')))
    expect((node['Actual Rows'] ?? 0) * node['Actual Loops'], JSON.stringify(node)).toBeLessThanOrEqual(MAX_ROWS);
});
