import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REQUEST_TIMEOUTS } from '../../src/api/database.js';
import { entities } from '../../src/cycle/entities.js';
import { openDataSource } from '../../src/db/data-source.js';
import { slowRows } from '../../src/db/slow-rows.js';
import { fragment, rows, sql } from '../../src/db/sql.js';
import { type ApiUnderTest, type RawAnswer, apiUnderTest, rawRequest } from '../api/api-under-test.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** No request can block the database: B4 of the threat list, `statement_timeout` on API connections. */

/** statement_timeout: longer than any other statement here takes on a busy machine. */
const MAX_STATEMENT_MS = 2_000;
const LONGER = fragment`pg_sleep(${(1.2 * MAX_STATEMENT_MS) / 1_000}::float)`;

let database: TestDatabase;
let api: ApiUnderTest;
let close: () => Promise<void>;
beforeAll(async () => {
  database = await testDatabase();
  const dataSource = await openDataSource(database.url, { max: 20, entities, statementTimeoutMs: MAX_STATEMENT_MS });
  close = () => dataSource.destroy();
  api = await apiUnderTest({}, { ...database, dataSource: () => Promise.resolve(dataSource) });
});
afterAll(async () => {
  await api?.close();
  await close?.();
  await database?.drop();
});

/** The answer to a request that reads a locked table. */
async function askedWhileLocked({ port }: ApiUnderTest): Promise<RawAnswer> {
  const holder = await database.pool.connect();
  await holder.query('begin');
  await holder.query('lock table crawl_conf in access exclusive mode');
  try {
    return await rawRequest(port, 'GET /config');
  } finally {
    await holder.query('rollback');
    holder.release();
  }
}

describe('a connection of the API', () => {
  it('cancels a statement after statement_timeout and can be used afterwards', async () => {
    const pool = (await openedForRequests()).pool;
    await expect(rows(pool, sql`select pg_sleep(20)`)).rejects.toMatchObject({ code: '57014' });
    expect(await rows(pool, sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });

  it('cancels a wait for a lock after lock_timeout: the request gets 503 DATA_LOCKED with Retry-After', async () => {
    const dataSource = await openDataSource(database.url, { entities, ...REQUEST_TIMEOUTS });
    const asInServer = await apiUnderTest({}, { ...database, dataSource: () => Promise.resolve(dataSource) });
    const answer = await askedWhileLocked(asInServer);
    await asInServer.close();
    await dataSource.destroy();
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'DATA_LOCKED' });
    expect(answer.headers.get('retry-after')).toBe('10');
  });

  it('cancels a statement during a wait, too: the request gets 503 QUERY_TOO_LONG with Retry-After', async () => {
    const answer = await askedWhileLocked(api);
    expect(answer.status).toBe(503);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'QUERY_TOO_LONG' });
    expect(answer.headers.get('retry-after')).toBe('10');
    expect((await rawRequest(api.port, 'GET /config')).status).toBe(200);
  });

  it('has a longer timeout for a slow statement only', async () => {
    const pool = (await openedForRequests()).pool;
    const slow = sql`select ${LONGER}, current_setting('statement_timeout') as longest`;
    expect(await slowRows(pool, slow)).toMatchObject([{ longest: '1min' }]);
    expect(await rows(pool, sql`select current_setting('statement_timeout') as longest`)).toEqual([{ longest: '2s' }]);
  });

  it('is available to other requests however many slow statements there are', async () => {
    const pool = (await openedForRequests()).pool;
    const many = Array.from({ length: 30 }, () => slowRows(pool, sql`select pg_sleep(0.2)`));
    const busy = await database.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity where datname = current_database() and query like '%pg_sleep(0.2)%'
         and state = 'active' and pid <> pg_backend_pid()`,
    );
    expect(busy[0]!.n).toBeLessThanOrEqual(8);
    expect((await rawRequest(api.port, 'GET /config')).status).toBe(200);
    expect(await Promise.all(many)).toHaveLength(30);
  });

  it.each([20, 2])('cancels a slow statement when its request is aborted (%s connections)', async (max) => {
    const dataSource = await openDataSource(database.url, { max, statementTimeoutMs: MAX_STATEMENT_MS });
    const pool = dataSource.pool;
    const gone = new AbortController();
    const slow = slowRows(pool, sql`select pg_sleep(20)`, gone.signal);
    const next = slowRows(pool, sql`select 1 as one`, max === 2 ? gone.signal : undefined);
    await sleeping();
    gone.abort();
    // Its timeout is a minute: it ends because it was cancelled.
    await expect(slow).rejects.toMatchObject({ code: '57014' });
    if (max === 2) await expect(next).rejects.toBe(gone.signal.reason);
    else expect(await next).toEqual([{ one: 1 }]);
    // The cancellation does not reach the next statement of the connection.
    for (let n = 0; n < 20; n++) expect(await slowRows(pool, sql`select ${n}::int as n`)).toEqual([{ n }]);
    await dataSource.destroy();
  });

  it('completes an aborted slow statement when the pool has no second connection to cancel it', async () => {
    const dataSource = await openDataSource(database.url, { max: 1, statementTimeoutMs: MAX_STATEMENT_MS });
    const pool = dataSource.pool;
    const gone = new AbortController();
    const slow = slowRows(pool, sql`select ${LONGER}::text as slept`, gone.signal);
    await sleeping();
    gone.abort();
    expect(await slow).toEqual([{ slept: '' }]);
    expect(await slowRows(pool, sql`select 1 as one`)).toEqual([{ one: 1 }]);
    await dataSource.destroy();
  });

  it('releases the permit of a slow statement that fails', async () => {
    const pool = (await openedForRequests()).pool;
    for (let n = 0; n < 12; n++) await expect(slowRows(pool, sql`select 1 / 0`)).rejects.toThrow('division by zero');
    expect(await slowRows(pool, sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });
});

/** Resolves when a statement sleeps. */
const sleeping = () =>
  expect
    .poll(() =>
      database.query(
        `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep' and state = 'active'`,
      ),
    )
    .not.toEqual([]);

const openedForRequests = async () => api.database.dataSource();
