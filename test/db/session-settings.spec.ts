import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDataSource } from '../../src/db/data-source.js';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { rows, sql, transaction } from '../../src/db/sql.js';
import { JobQueue } from '../../src/job/job-queue.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** A database whose owner has set other defaults: `alter database … set`. */
const DEFAULTS = {
  datestyle: `'German, DMY'`,
  intervalstyle: 'sql_standard',
  timezone: `'America/St_Johns'`,
  extra_float_digits: '-3',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  transform_null_equals: 'on',
  default_transaction_isolation: 'serializable',
  array_nulls: 'off',
  idle_session_timeout: '1000',
};

let database: TestDatabase;
let dataSource: PooledDataSource;
beforeAll(async () => {
  database = await testDatabase();
  for (const [name, value] of Object.entries(DEFAULTS))
    await database.query(`alter database ${database.name} set ${name} = ${value}`);
  await database.query(`
    do $$ begin
      if current_setting('server_version_num')::int >= 170000 then
        alter database ${database.name} set transaction_timeout = 1000;
      end if;
    end $$`);
  vi.stubEnv('PGCLIENT_ENCODING', 'LATIN1');
  dataSource = await openDataSource(database.url, { max: 3 });
});
afterAll(async () => {
  await dataSource?.destroy();
  await database?.drop();
});

describe('with other defaults of the database', () => {
  it('times are read, to the millisecond', async () => {
    const [time] = await rows(dataSource.pool)`select '2026-03-08T02:30:15.123Z'::timestamptz as at`;
    expect(time).toEqual({ at: new Date('2026-03-08T02:30:15.123Z') });
  });

  it('numbers keep all their digits', async () => {
    const [score] = await rows(dataSource.pool)`select 0.1::float8 + 0.2::float8 as score`;
    expect(score).toEqual({ score: 0.1 + 0.2 });
  });

  it('a backslash in a literal is one', async () => {
    const [text] = await rows(dataSource.pool)`select 'a\\nb' as text, ${'a\\nb'}::text as given`;
    expect(text).toEqual({ text: 'a\\nb', given: 'a\\nb' });
  });

  it('letters arrive as they are', async () => {
    const [text] = await rows(dataSource.pool)`select ${'ä日'}::text as text, length(${'ä日'}::text) as n`;
    expect(text).toEqual({ text: 'ä日', n: 2 });
  });

  it('the month of a time is that of UTC', async () => {
    const [month] = await rows(
      dataSource.pool,
    )`select extract(month from '2026-11-30T23:59:00Z'::timestamptz)::int as n`;
    expect(month).toEqual({ n: 11 });
    const [next] = await rows(
      dataSource.pool,
    )`select extract(month from '2026-12-01T00:01:00Z'::timestamptz)::int as n`;
    expect(next).toEqual({ n: 12 });
  });

  it('a transaction sees what others have committed meanwhile, and may write over it', async () => {
    await dataSource.pool.query(`insert into crawl (name) values ('one')`);
    await transaction(dataSource.pool, async (tx) => {
      expect(await rows(tx)`select newest_batch from crawl where name = 'one'`).toEqual([{ newest_batch: null }]);
      await dataSource.pool.query(`update crawl set newest_batch = 'a' where name = 'one'`);
      expect(await rows(tx)`select newest_batch from crawl where name = 'one'`).toEqual([{ newest_batch: 'a' }]);
      await tx.query(sql`update crawl set newest_batch = newest_batch || 'b' where name = 'one'`);
    });
    expect(await rows(dataSource.pool)`select newest_batch from crawl where name = 'one'`).toEqual([
      { newest_batch: 'ab' },
    ]);
  });

  it('a list may lack values', async () => {
    const [list] = await rows(dataSource.pool)`select unnest(${[null, 'null']}::text[]) is null as missing limit 1`;
    expect(list).toEqual({ missing: true });
  });

  it('no session and no transaction ends because it takes its time', async () => {
    const names = ['idle_session_timeout', 'transaction_timeout'];
    const limits = await rows(dataSource.pool)`
      select name, setting from pg_settings where name = any (${names}) order by name`;
    const [version] = await rows<{ n: number }>(
      dataSource.pool,
    )`select current_setting('server_version_num')::int as n`;
    const known = version!.n >= 170_000 ? names : names.slice(0, 1);
    expect(limits).toEqual(known.map((name) => ({ name, setting: '0' })));
  });

  it('the queue of jobs opens', async () => {
    const queue = await JobQueue.open(dataSource.pool, { maintain: false, onError: () => undefined });
    await queue.close();
  });
});
