import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MigrationLock } from '../../src/db/migration-lock.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { IN_THIS_DATABASE } from '../support/locks.js';

/** Servers that start together migrate one after another, also when one of them is killed meanwhile. */

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

/** A server that starts: its one connection has a lock_timeout of 30 ms. */
function server(): { pool: pg.Pool; lock: MigrationLock } {
  const pool = new pg.Pool({ connectionString: db.url, max: 1, options: '-c lock_timeout=30' });
  pool.on('error', () => undefined);
  const lock = new MigrationLock(pool);
  pools.push(pool);
  locks.push(lock);
  return { pool, lock };
}

const inDatabase = `datname = current_database() and pid <> pg_backend_pid()`;
/** Number of sessions that wait for the lock. */
const waiting = async () =>
  (await db.query(`select from pg_stat_activity where ${inDatabase} and wait_event = 'advisory'`)).length;
/** Sessions that hold the lock: the view contains those of all databases, and other specs run migrations. */
const holders = async () =>
  (
    await db.query<{ pid: number }>(
      `select pid from pg_locks where locktype = 'advisory' and granted and ${IN_THIS_DATABASE}`,
    )
  ).map(({ pid }) => pid);

describe('the migration lock', () => {
  it('is waited for longer than lock_timeout, until the other server releases it', async () => {
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

  it('restores lock_timeout of its connection', async () => {
    const { pool, lock } = server();
    await lock.acquire();
    await lock.release();
    expect((await pool.query('show lock_timeout')).rows).toEqual([{ lock_timeout: '30ms' }]);
  });

  it('is acquired once by repeated calls', async () => {
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

    it('can be acquired by another server', async () => {
      await cut();
      await server().lock.acquire();
      expect(await holders()).toHaveLength(1);
    });

    it('is acquired again by its former owner when the other one releases it', async () => {
      const { lock } = await cut();
      const other = server();
      await other.lock.acquire();
      const again = lock.acquire();
      await expect.poll(waiting).toBe(1);
      await other.lock.release();
      await again;
      expect(await holders()).toHaveLength(1);
    });

    it('releases its connection: the next statement gets another one', async () => {
      const { pool, lock } = await cut();
      await lock.release();
      expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    });
  });
});
