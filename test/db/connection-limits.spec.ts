import { describe, expect, it } from 'vitest';
import { ConnectionLimiter, ConnectionsTaken, asLimitedClient } from '../../src/db/connection-limits.js';
import { openDataSource } from '../../src/db/data-source.js';
import { slowRows } from '../../src/db/slow-rows.js';
import { sql } from '../../src/db/sql.js';
import { testDatabase } from '../support/database.js';
import { IN_THIS_DATABASE } from '../support/locks.js';

describe('connection limits of clients', () => {
  it('apply to each client and to all; a released connection goes to the first client below its limit', () => {
    const limits = new ConnectionLimiter(3, 2, 0);
    const given: string[] = [];
    const take = (client: string, name: string) => limits.take(client, () => given.push(name));
    for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1']) take(name[0]!, name);
    expect(given).toEqual(['a1', 'a2', 'b1']);
    limits.giveBack('b');
    expect(given.slice(3)).toEqual(['b2']);
    limits.giveBack('a');
    limits.giveBack('a');
    expect(given.slice(4)).toEqual(['a3', 'c1']);
  });

  it('end a wait with ConnectionsTaken after the timeout, without losing a connection', async () => {
    const limits = new ConnectionLimiter(2, 1, 10);
    limits.take('a', () => undefined);
    const error = await new Promise((given) => limits.take('a', given));
    expect(error).toBeInstanceOf(ConnectionsTaken);
    limits.giveBack('a');
    expect(await new Promise((given) => limits.take('a', given))).toBeUndefined();
  });

  it('count broken connections and failed statements as released', async () => {
    const database = await testDatabase();
    const source = await openDataSource(database.url, { max: 4 });
    const pool = source.pool;
    const asked = (statement: string) => asLimitedClient('a', () => pool.query(statement));
    for (let n = 0; n < 6; n++)
      await expect(asked('select pg_terminate_backend(pg_backend_pid())')).rejects.toMatchObject({ code: '57P01' });
    for (let n = 0; n < 6; n++) await expect(asked('select nothing')).rejects.toMatchObject({ code: '42703' });
    const answers = await Promise.all([1, 2, 3].map((n) => asked(`select ${n} as n`)));
    expect(answers.map(({ rows }) => rows)).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
    await source.destroy();
    await database.drop();
  });

  it('apply to slow statements: a client runs two of nine at once, and others do not wait for its queue', async () => {
    const database = await testDatabase();
    const source = await openDataSource(database.url, { max: 10 });
    const pool = source.pool;
    const gate = await database.pool.connect();
    await gate.query('begin; select pg_advisory_xact_lock(7)');
    const waiting = async () =>
      (await database.query(`select from pg_locks where locktype = 'advisory' and not granted and ${IN_THIS_DATABASE}`))
        .length;
    const asked = asLimitedClient('a', () =>
      Array.from({ length: 9 }, () => slowRows(pool, sql`select pg_advisory_xact_lock_shared(7)::text as got`)),
    );
    await expect.poll(waiting).toBe(2);
    expect(await asLimitedClient('b', () => slowRows(pool, sql`select 1 as one`))).toEqual([{ one: 1 }]);
    expect(await slowRows(pool, sql`select 1 as one`)).toEqual([{ one: 1 }]);
    expect(await waiting()).toBe(2);
    await gate.query('rollback');
    gate.release();
    expect(await Promise.all(asked)).toHaveLength(9);
    await source.destroy();
    await database.drop();
  });

  it('do not prevent the cancellation of a statement of a client at its limit', async () => {
    const database = await testDatabase();
    const source = await openDataSource(database.url, { max: 2 });
    const gone = new AbortController();
    const slow = asLimitedClient('a', () => slowRows(source.pool, sql`select pg_sleep(60)`, gone.signal));
    const asleep = async () =>
      (
        await database.query(
          `select from pg_stat_activity where datname = current_database() and query = 'select pg_sleep(60)' and state = 'active'`,
        )
      ).length;
    await expect.poll(asleep).toBe(1);
    asLimitedClient('a', () => gone.abort());
    await expect(slow).rejects.toMatchObject({ code: '57014' });
    await source.destroy();
    await database.drop();
  });
});
