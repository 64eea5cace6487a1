import { afterAll, beforeAll, expect, it } from 'vitest';
import { loopback } from '../support/cycle.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { FaultOrders } from '../support/fault-orders.js';
import { PATIENCE_MS } from '../support/patience.js';
import { type Server, startServer } from '../support/server.js';
import { type Site, page, startSite } from '../support/site.js';

/** DELETE /v1/crawls/{id} on a server whose processes end during it: others continue the job and delete the rest. */

let db: TestDatabase;
let server: Server;
let site: Site;
let orders: FaultOrders;
beforeAll(async () => {
  orders = await FaultOrders.open();
  site = await startSite({
    '/': page('<title>home</title><a href="/a">a</a> <a href="/b">b</a>'),
    '/a': page('<title>a</title>one'),
    '/b': page('<title>b</title>two'),
  });
  db = await testDatabase();
  server = await startServer({ databaseUrl: db.url, env: { ...orders.env, WORKERS: '2' } });
});
afterAll(async () => {
  await server?.stop();
  await site?.close();
  await db?.drop();
  await orders?.remove();
});

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await fetch(server.url + path, {
    method,
    ...(body && { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return (answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T;
}

interface Job {
  id: string;
  state: string;
  result: { reason: string; pages: number };
}
const ended = (path: string) =>
  expect
    .poll(async () => (await call<Job>('GET', path)).state, { timeout: PATIENCE_MS })
    .toMatch(/FINISHED|FAILED|KILLED/);

it('DELETE /v1/crawls/{id} is completed after two workers were killed during it, and deletes no other crawl', async () => {
  await call('POST', '/config/create', { configId: 'c1', params: loopback });
  for (const crawlId of ['gone', 'kept']) {
    await call('POST', '/v1/crawls', { crawlId, confId: 'c1', seeds: [`${site.url}/`], invertLinks: true });
    await ended(`/v1/crawls/${crawlId}`);
  }
  const pages = async (crawlId: string) =>
    (await call<{ pages?: { url: string }[] }>('GET', `/v1/crawls/${crawlId}/pages`)).pages?.length;
  expect([await pages('gone'), await pages('kept')]).toEqual([3, 3]);
  const [{ crawl } = { crawl: 0 }] = await db.query<{ crawl: number }>(
    `select id as crawl from crawl where name = 'gone'`,
  );

  orders.order('dropcrawl.beforeCommit', 'exit', 6);
  orders.order('dropcrawl.afterCommit', 'exit', 9);
  const { id } = await call<Job>('DELETE', '/v1/crawls/gone');
  await ended(`/job/${id}`);
  expect(orders.carriedOut.toSorted()).toEqual(['dropcrawl.afterCommit exit', 'dropcrawl.beforeCommit exit']);
  expect(await call<Job>('GET', `/job/${id}`)).toMatchObject({
    state: 'FINISHED',
    result: { reason: 'done', pages: 3 },
  });

  expect([await pages('gone'), await pages('kept')]).toEqual([undefined, 3]);
  for (const table of ['webpage', 'page_content', 'host', 'fetch_history', 'batch', 'status_count'])
    expect([table, await db.query(`select from ${table} where crawl = ${crawl}`)]).toEqual([table, []]);
  expect(await db.query<{ id: string }>(`select id from job where crawl_id = 'gone'`)).toEqual([{ id }]);

  await call('POST', '/v1/crawls', { crawlId: 'gone', confId: 'c1', seeds: [`${site.url}/`] });
  await ended('/v1/crawls/gone');
  expect(await pages('gone')).toBe(3);
});
