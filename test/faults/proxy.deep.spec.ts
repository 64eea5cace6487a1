import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import pg from 'pg';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TcpProxy, socketOf, startTcpProxy } from '../support/tcp-proxy.js';

/** The proxy that tests put before the database. */

let db: TestDatabase;
let proxy: TcpProxy;
let clients: pg.Client[];

beforeAll(async () => (db = await testDatabase()));
afterAll(() => db.drop());
beforeEach(async () => {
  proxy = await startTcpProxy(socketOf(inject('cluster').templateUrl));
  clients = [];
});
afterEach(async () => {
  await proxy.close();
  await Promise.all(clients.map((client) => client.end().catch(() => undefined)));
});

async function client(): Promise<pg.Client> {
  const one = new pg.Client({ connectionString: proxy.databaseUrl(db.url) });
  one.on('error', () => undefined);
  clients.push(one);
  await one.connect();
  return one;
}

const one = { rows: [{ n: 1 }] };
const silent = (answer: Promise<unknown>): Promise<unknown> =>
  Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 200, 'silence'))]);

describe('the TCP proxy before the database', () => {
  it('passes any number of bytes', async () => {
    const { rows } = await (await client()).query<{ x: string }>(`select repeat('x', 10000000) as x`);
    expect([rows[0]!.x.length, proxy.open(), proxy.accepted()]).toEqual([10_000_000, 1, 1]);
  });

  it('reset() cuts open connections and accepts new ones', async () => {
    const old = await client();
    const asked = old.query('select pg_sleep(10)');
    proxy.reset();
    await expect(asked).rejects.toThrow(/ECONNRESET|terminated/);
    expect(await (await client()).query('select 1 as n')).toMatchObject(one);
  });

  it('refuse() rejects connections until heal()', async () => {
    proxy.refuse();
    await expect(client()).rejects.toThrow(/ECONNRESET|terminated/);
    proxy.heal();
    expect(await (await client()).query('select 1 as n')).toMatchObject(one);
  });

  it('blackHole() withholds all bytes until heal()', async () => {
    const open = await client();
    proxy.blackHole();
    const asked = open.query('select 1 as n');
    const newcomer = client();
    expect(await silent(Promise.race([asked, newcomer]))).toBe('silence');
    proxy.heal();
    expect(await asked).toMatchObject(one);
    await newcomer;
  });

  it('halfOpen() closes the side of the server and leaves that of the client open without response', async () => {
    const open = await client();
    const [{ pid }] = (await open.query<{ pid: number }>('select pg_backend_pid() as pid')).rows as [{ pid: number }];
    proxy.halfOpen();
    expect(await silent(open.query('select 1'))).toBe('silence');
    await expect.poll(() => db.query('select 1 from pg_stat_activity where pid = $1', [pid])).toEqual([]);
    expect(await (await client()).query('select 1 as n')).toMatchObject(one);
  });

  it('delay() delays each direction and keeps the order', async () => {
    const open = await client();
    proxy.delay(40);
    const begin = performance.now();
    const answers = await Promise.all([1, 2, 3].map((n) => open.query('select $1::int as n', [n])));
    expect(answers.map(({ rows }) => (rows[0] as { n: number }).n)).toEqual([1, 2, 3]);
    expect(performance.now() - begin).toBeGreaterThan(75);
  });

  it('cutAtCommit() lets the COMMIT take effect and cuts its response, once', async () => {
    await db.query('create table t (n int)');
    const open = await client();
    const cut = proxy.cutAtCommit();
    await open.query('begin');
    await open.query('insert into t values (1)');
    await expect(open.query('commit')).rejects.toThrow(/ECONNRESET|terminated/);
    await cut;
    expect(await db.query('select n from t')).toEqual([{ n: 1 }]);
    const next = await client();
    await next.query('begin');
    await next.query('commit');
  });
});
