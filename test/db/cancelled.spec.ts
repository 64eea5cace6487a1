import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDataSource } from '../../src/db/data-source.js';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { sql } from '../../src/db/sql.js';
import { isTransient } from '../../src/db/transient.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** PostgreSQL has one code (57014) for a statement that an operator cancels and for one that exceeds its time limit. */

let database: TestDatabase;
/** Statements of the one are cancelled long before their limit; those of the other reach it. */
let unhurried: PooledDataSource;
let limited: PooledDataSource;
beforeAll(async () => {
  database = await testDatabase();
  unhurried = await openDataSource(database.url, { max: 2, statementTimeoutMs: 3_600_000 });
  limited = await openDataSource(database.url, { max: 2, statementTimeoutMs: 3_000 });
});
afterAll(async () => {
  await Promise.all([unhurried?.destroy(), limited?.destroy()]);
  await database?.drop();
});

const failureOf = (dataSource: PooledDataSource, statement: { text: string; values: unknown[] }): Promise<unknown> =>
  dataSource.pool.query(statement).then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a statement with code 57014', () => {
  it('may be tried again if it was cancelled before its time was over', async () => {
    const failing = failureOf(unhurried, sql`select pg_sleep(3600)`);
    await expect
      .poll(() =>
        database.query(`
          select pg_cancel_backend(pid) as done from pg_stat_activity
          where datname = current_database() and query like 'select pg_sleep(3600)%'`),
      )
      .toEqual([{ done: true }]);
    const error = await failing;
    expect(error).toMatchObject({ code: '57014' });
    expect(isTransient(error)).toBe(true);
  });

  it('may be tried again if a server of another language says so', async () => {
    const words = 'storniere Anfrage wegen Benutzeraufforderung';
    const raise = `do $$ begin raise exception using errcode = '57014', message = '${words}'; end $$`;
    const error = await failureOf(unhurried, { text: raise, values: [] });
    expect(error).toMatchObject({ code: '57014', message: words });
    expect(isTransient(error)).toBe(true);
  });

  it('is not tried again if its time was over', async () => {
    const error = await failureOf(limited, sql`select pg_sleep(3600)`);
    expect(error).toMatchObject({ code: '57014' });
    expect(isTransient(error)).toBe(false);
  });

  it('is not tried again if its time was over after other statements of the connection', async () => {
    await limited.pool.query('select 1');
    const client = await limited.pool.connect();
    await client.query('begin');
    await client.query('select 1');
    const error: unknown = await client.query('select pg_sleep(3600)').catch((failure: unknown) => failure);
    await client.query('rollback');
    client.release();
    expect(error).toMatchObject({ code: '57014' });
    expect(isTransient(error)).toBe(false);
  });
});
