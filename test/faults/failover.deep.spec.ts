import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TcpProxy, startTcpProxy } from '../support/tcp-proxy.js';
import { type Asked, Crawler, type Hosts, startHosts, until } from './crawl.js';
import { OwnPostgres } from './own-postgres.js';

/**
 * The primary crashes during a FETCH, and a physical replica replaces it under the same address (fault F8). The replica
 * was disconnected shortly before, so committed work is lost: pages missing in the replica are fetched again.
 */

const ALL = 10 * 30;
const fetched = `select count(*) as n from webpage where fetch_mark is not null`;

let hosts: Hosts;
let primary: OwnPostgres;
let replica: OwnPostgres;
let proxy: TcpProxy;
let crawler: Crawler<Asked>;
let target: { path: string };
beforeAll(async () => {
  hosts = await startHosts({ hosts: 10, pages: 30, pauseMs: 60 });
  primary = await OwnPostgres.make();
  replica = await primary.replica();
  target = primary.socket;
  proxy = await startTcpProxy(target);
  crawler = new Crawler<Asked>({ url: proxy.databaseUrl(primary.url), query: primary.query });
  await crawler.start();
  await crawler.configure();
});
afterAll(async () => {
  await crawler?.close();
  await proxy?.close();
  await replica?.close();
  await primary?.close();
  await hosts?.close();
});

it('a FETCH continues on the replica after its promotion, and each page is stored once', async () => {
  await crawler.finished('INJECT', { seed: hosts.seeds.join('\n') });
  await crawler.finished('GENERATE', { batch: 'b1' });
  const { id } = await crawler.create('FETCH', { batch: 'b1', threads: 4 });
  await until(primary, fetched, 20);
  await until(replica, fetched, 10);
  // From here on the replica receives no changes.
  await replica.admin(`alter system set primary_conninfo = ''`);
  await replica.admin('select pg_reload_conf()');
  const kept = Number((await replica.query<{ n: string }>(fetched))[0]!.n);
  await until(primary, fetched, kept + 60);
  await primary.end('immediate');
  target.path = replica.socket.path;
  const ready = async () => (await fetch(`${crawler.running.url}/health/ready`)).json();
  await expect
    .poll(async () => ((await ready()) as { detail: string }).detail)
    .toBe('The server is not ready: the database takes no writes: it is a replica, or read-only; retry in 2 s.');
  expect(Number((await replica.query<{ n: string }>(fetched))[0]!.n)).toBeLessThan(ALL);
  await replica.admin('select pg_promote()');

  await until(replica, `select count(*) as n from job where id = '${id}' and ended_at is not null`, 1);
  const [job] = await replica.query('select state, msg, result from job where id = $1', [id]);
  expect(job).toMatchObject({
    state: 'FINISHED',
    msg: 'OK',
    result: { counters: { FetcherStatus: { SUCCESS: ALL } } },
  });
  const [pages] = await replica.query(`select count(*)::int as n from webpage where status = 2 and fetch_mark = 'b1'`);
  expect(pages).toEqual({ n: ALL });
  const [visits] = await replica.query(
    'select count(*)::int as all, count(distinct key)::int as keys from fetch_history',
  );
  expect(visits).toEqual({ all: ALL, keys: ALL });
  // Only pages that the replica had not received are fetched again, not all.
  const requests = [...hosts.requests().values()].reduce((sum, n) => sum + n, 0);
  expect(requests).toBeGreaterThan(ALL);
  expect(requests).toBeLessThan(2 * ALL);
  expect(crawler.running.output()).not.toMatch(/another one starts/);
});
