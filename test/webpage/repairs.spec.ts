import type { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkConsistency } from '../../src/webpage/consistency.sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** What `orbweaver check --repair` sends, in this process: so the rules for SQL on a cluster are checked, too. */

let db: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  db = await testDatabase();
  ({ pool } = await db.dataSource());
  await db.query(`insert into crawl (id, name) overriding system value values (1, 'k')`);
  await db.query(`insert into host (crawl, host, domain) values (1, 'test.a', 'a.test')`);
});
afterAll(() => db.drop());

const addPage = (key: string, columns: string, values: string) =>
  db.query(
    `insert into webpage (crawl, host, key, source_kind, fetch_interval, ${columns}) values (1, split_part($1, ':', 1), $1, 'seed', 1, ${values})`,
    [key],
  );

describe('a repair of', () => {
  it('pages with infinite times makes those due whose next visit never comes, and keeps finite times', async () => {
    const times = 'score, cash, fetch_time, modified_time, last_inlink';
    await addPage('test.a:http/never', times, `1, 1, 'infinity', '2026-01-02Z', '-infinity'`);
    await addPage('test.a:http/later', times, `1, 1, '2026-01-03Z', 'infinity', '2026-01-04Z'`);
    const [finding] = await checkConsistency(pool, { repair: true });
    expect(finding).toMatchObject({ rows: 2, repaired: '2 emptied of them, or due now' });
    const pages = await db.query(
      `select key, fetch_time <= now() and fetch_time > now() - interval '1 hour' as due, fetch_time = '2026-01-03Z' as kept,
              modified_time, last_inlink from webpage where key like 'test.a:http/%er' order by key`,
    );
    const modified = new Date('2026-01-02');
    const linked = new Date('2026-01-04');
    expect(pages).toEqual([
      { key: 'test.a:http/later', due: false, kept: true, modified_time: null, last_inlink: linked },
      { key: 'test.a:http/never', due: true, kept: false, modified_time: modified, last_inlink: null },
    ]);
  });

  it('all else that may be wrong says how many rows were repaired', async () => {
    const columns = 'fetch_time, score, cash, metadata, generate_mark, index_mark';
    await addPage('nonsense', columns, `now(), 1, 1, null, null, 'b1'`);
    await addPage('test.a:http/list', columns, `now(), 1, 1, '[]', null, null`);
    await addPage('test.a:http/score', columns, `now(), 'NaN', '-Infinity', null, null, null`);
    await addPage('test.a:http/batch', columns, `now(), 1, 1, null, 'nobody', null`);
    await db.query(`insert into page_content (crawl, host, key) values (1, 'test.a', 'test.a:http/gone')`);
    await db.query(`update host set n_fetched = 5`);
    const findings = await checkConsistency(pool, { repair: true });
    expect(findings.map(({ rule, repaired }) => `${rule}: ${repaired}`)).toEqual([
      'pages whose key is no URL: 1 deleted',
      'pages whose metadata is no object: 1 emptied of it',
      'pages with scores that are infinite or NaN: 1 set to 0',
      'pages in batches that nobody generated: 1 taken out',
      'contents without a page: 1 deleted',
      'hosts whose numbers of pages are wrong: 1 counted again',
    ]);
    expect(await checkConsistency(pool, { repair: false })).toEqual([]);
  });
});
