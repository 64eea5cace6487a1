import { afterAll, beforeAll, expect, it } from 'vitest';
import type pg from 'pg';
import { openDataSource } from '../../src/db/data-source.js';
import { prepared, row, transaction } from '../../src/db/sql.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { socketOf, startTcpProxy } from '../support/tcp-proxy.js';

/** The connection of a transaction that fails, and prepared statements of a connection. */

let database: TestDatabase;
let pool: pg.Pool;
beforeAll(async () => {
  database = await testDatabase();
  pool = database.openPool({ max: 1 });
});
afterAll(() => database?.drop());

const backend = async (): Promise<number> => (await pool.query('select pg_backend_pid() as pid')).rows[0].pid;

it.each([
  [
    'a read-only server is closed, so that the next one may reach a writable server',
    '25006',
    'set transaction read only',
    false,
  ],
  ['a statement that fails is used again', '22012', 'select 1 / 0', true],
])('the connection of %s', async (_, code, first, kept) => {
  const before = await backend();
  const failing = transaction(pool, async (tx) => {
    await tx.query(first);
    await tx.query(`insert into crawl (name) values ('never')`);
  });
  await expect(failing).rejects.toMatchObject({ code });
  expect((await backend()) === before).toBe(kept);
  expect((await pool.query(`select from crawl where name = 'never'`)).rowCount).toBe(0);
});

it('a connection that breaks inside a transaction fails its next statement, and not the process', async () => {
  const killer = database.openPool({ max: 1 });
  const broken = transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ pid: number }>('select pg_backend_pid() as pid');
    const ended = new Promise((resolve) => tx.once('end', resolve));
    await killer.query('select pg_terminate_backend($1)', [rows[0]!.pid]);
    // Without a listener for its error the process would end here.
    await ended;
    await tx.query(`insert into crawl (name) values ('never')`);
  });
  await expect(broken).rejects.toThrow('Client has encountered a connection error and is not queryable');
  expect((await pool.query(`select from crawl where name = 'never'`)).rowCount).toBe(0);
});

it('a connection that breaks right after an answer fails who gets it next, and not the process', async () => {
  const proxy = await startTcpProxy(socketOf(database.url));
  const through = await openDataSource(proxy.databaseUrl(database.url), { max: 1 });
  proxy.shutDownAfterAnswer();
  const [answered, broken] = await Promise.allSettled([
    through.pool.query('select 1 as one'),
    transaction(through.pool, (tx) => tx.query('select 2')),
  ]);
  expect(answered).toMatchObject({ value: { rows: [{ one: 1 }] } });
  expect(broken).toMatchObject({ reason: { message: expect.stringContaining('not queryable') } });
  expect((await through.pool.query('select 3 as three')).rows).toEqual([{ three: 3 }]);
  await through.destroy();
  await proxy.close();
});

it('a prepared statement uses a generic plan from the sixth execution', async () => {
  const sum = (a: number, b: number) => row<{ sum: number }>(prepared(pool))`select ${a}::int + ${b}::int as sum`;
  for (let i = 1; i <= 7; i++) expect(await sum(i, 10)).toEqual({ sum: i + 10 });
  const { rows } = await pool.query(
    `select generic_plans::int as kept, custom_plans::int as made from pg_prepared_statements where statement like 'select $1::int + %'`,
  );
  expect(rows).toEqual([{ kept: 2, made: 5 }]);
});
