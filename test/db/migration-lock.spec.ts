import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MigrationLock } from '../../src/db/migration-lock.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { IN_THIS_DATABASE } from '../support/locks.js';

/** Servers that start together migrate one after the other, also where one of them dies at it. */

let db: TestDatabase;
const pools: pg.Pool[] = [];
const locks: MigrationLock[] = [];
beforeAll(async () => {
  db = await testDatabase({ empty: true });
});
afterEach(async () => {
  for (const lock of locks.splice(0)) await lock.release();
  for (const pool of pools.splice(0)) await pool.end();
});
afterAll(() => db.drop());

/** A server that begins: its one connection gives up waiting for a lock after 30 ms. */
function server(): { pool: pg.Pool; lock: MigrationLock } {
  const pool = new pg.Pool({ connectionString: db.url, max: 1, options: '-c lock_timeout=30' });
  pool.on('error', () => undefined);
  const lock = new MigrationLock(pool);
  pools.push(pool);
  locks.push(lock);
  return { pool, lock };
}

const inDatabase = `datname = current_database() and pid <> pg_backend_pid()`;
/** How many wait for the lock; those that give up are gone. */
const waiting = async () =>
  (await db.query(`select from pg_stat_activity where ${inDatabase} and wait_event = 'advisory'`)).length;
/** The sessions that have the lock: the view shows those of all databases, and other specs migrate theirs. */
const holders = async () =>
  (
    await db.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and granted and ${IN_THIS_DATABASE}`,
    )
  ).map(({ pid }) => pid);

describe('the lock of migrations', () => {
  it('is waited for, however long another server takes, and longer than a statement waits for a lock', async () => {
    const [first, second] = [server(), server()];
    await first.lock.acquire();
    const order: string[] = [];
    const waits = second.lock.acquire().then(() => order.push('second'));
    await expect.poll(waiting).toBe(1);
    await db.query('select pg_sleep(0.1)');
    expect(await waiting()).toBe(1);
    order.push('first is done');
    await first.lock.release();
    await waits;
    expect(order).toEqual(['first is done', 'second']);
  });

  it('leaves its connection as it was: other statements give up waiting again', async () => {
    const { pool, lock } = server();
    await lock.acquire();
    await lock.release();
    expect((await pool.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '30ms' }]);
  });

  it('is taken once, however often it is asked for', async () => {
    const { lock } = server();
    await lock.acquire();
    await lock.acquire();
    expect(await holders()).toHaveLength(1);
    await lock.release();
    expect(await holders()).toEqual([]);
  });

  describe('whose connection is cut', () => {
    async function cut(): Promise<ReturnType<typeof server>> {
      const ours = server();
      await ours.lock.acquire();
      const [pid] = await holders();
      await db.query('select pg_terminate_backend($1)', [pid]);
      await expect.poll(holders).toEqual([]);
      return ours;
    }

    it('is free for another server', async () => {
      await cut();
      await server().lock.acquire();
      expect(await holders()).toHaveLength(1);
    });

    it('is taken anew by the one that had it, before it goes on', async () => {
      const { lock } = await cut();
      const other = server();
      await other.lock.acquire();
      const again = lock.acquire();
      await expect.poll(waiting).toBe(1);
      await other.lock.release();
      await again;
      expect(await holders()).toHaveLength(1);
    });

    it('gives its connection back: the next statement has another', async () => {
      const { pool, lock } = await cut();
      await lock.release();
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    });
  });
});
