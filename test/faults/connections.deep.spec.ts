import { setTimeout as sleep } from 'node:timers/promises';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Socket, createConnection } from 'node:net';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { DatabasePool } from '../../src/db/database-pool.js';
import { rows, sql, transaction } from '../../src/db/sql.js';
import { isTransient } from '../../src/db/transient.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { temporaryFolder } from '../support/folders.js';
import { type TcpProxy, socketOf, startTcpProxy } from '../support/tcp-proxy.js';

/**
 * The connection pool with a network that drops, cuts and delays, and a server that is full, unavailable or read-only
 * (faults F7, F8, F19). The timeouts of a response are small here.
 */

const silence = { look: 50, late: 200, probe: 500 };
const one = (pool: DatabasePool) => rows<{ one: number }>(pool, sql`select 1 as one`);

let db: TestDatabase;
let proxy: TcpProxy;
let pool: DatabasePool;
beforeAll(async () => {
  db = await testDatabase({ empty: true });
  proxy = await startTcpProxy(socketOf(db.url));
  await db.query('create table note (n integer)');
});
beforeEach(() => {
  pool = open();
});
afterEach(async () => {
  proxy.heal();
  proxy.reset();
  await pool.end();
  await db.query('truncate note');
});
afterAll(async () => {
  await proxy.close();
  await db.drop();
});

function open(more: { fullPatienceMs?: number; awayPatienceMs?: number; max?: number } = {}): DatabasePool {
  const opened = new DatabasePool({
    connectionString: proxy.databaseUrl(db.url),
    connectionTimeoutMillis: 500,
    silence,
    ...more,
  });
  opened.on('error', () => undefined);
  return opened;
}

/** Runs a statement with the superuser's rights, outside of the database under test. */
async function asAdmin(statement: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inject('cluster').adminUrl });
  await admin.connect();
  await admin.query(statement).finally(() => admin.end());
}

describe('a statement without a response', () => {
  it('fails soon with a transient error when the network drops all packets; the pool works again afterwards', async () => {
    await one(pool);
    proxy.blackHole();
    const error: unknown = await one(pool).catch((why: unknown) => why);
    expect(isTransient(error)).toBe(true);
    proxy.heal();
    expect(await one(pool)).toEqual([{ one: 1 }]);
  });

  it('fails soon when the server has dropped the connection, and the next statement gets a new one', async () => {
    await one(pool);
    proxy.halfOpen();
    const error: unknown = await one(pool).catch((why: unknown) => why);
    expect(isTransient(error)).toBe(true);
    expect(await one(pool)).toEqual([{ one: 1 }]);
  });

  it('in a transaction rolls it back', async () => {
    const work = transaction(pool, async (tx) => {
      await tx.query('insert into note values (1)');
      proxy.halfOpen();
      await tx.query('insert into note values (2)');
    });
    expect(isTransient(await work.catch((why: unknown) => why))).toBe(true);
    await expect.poll(() => db.query('select n from note')).toEqual([]);
  });

  it('is not waited for when it is the first of a new connection, which sends settings', async () => {
    await pool.end();
    pool = open();
    proxy.delay(150);
    const asked = one(pool).catch((why: unknown) => why);
    const begun = `select count(*)::int as n from pg_stat_activity where datname = '${db.name}' and query = ''`;
    await expect.poll(async () => (await db.query<{ n: number }>(begun))[0]!.n).toBeGreaterThan(0);
    // Its reply is on the way for 150 ms, the settings for as long, and their reply again.
    await sleep(200);
    proxy.blackHole();
    expect(isTransient(await asked)).toBe(true);
    proxy.heal();
  });

  it('is waited for without limit while the server executes it', async () => {
    const looked = proxy.accepted();
    expect(await rows(pool, sql`select pg_sleep(1) is null as done`)).toEqual([{ done: false }]);
    // The server was probed several times, on separate connections.
    expect(proxy.accepted() - looked).toBeGreaterThan(2);
  });

  it('is waited for when the network is slow', async () => {
    await one(pool);
    proxy.delay(60);
    expect(await one(pool)).toEqual([{ one: 1 }]);
    proxy.heal();
  });
});

describe('a new connection', () => {
  it('to a server without free connections is waited for, and fails with 53300 after fullPatienceMs', async () => {
    await pool.end();
    pool = open({ fullPatienceMs: 20_000 });
    await asAdmin(`alter database ${db.name} connection limit 0`);
    const waiting = one(pool);
    const bounded = open({ fullPatienceMs: 100 });
    await expect(one(bounded)).rejects.toMatchObject({ code: '53300' });
    await asAdmin(`alter database ${db.name} connection limit -1`);
    expect(await waiting).toEqual([{ one: 1 }]);
    await bounded.end();
  });

  it('to a server that is down is waited for', async () => {
    await pool.end();
    pool = open({ awayPatienceMs: 20_000 });
    proxy.refuse();
    const waiting = one(pool);
    const before = proxy.accepted();
    await expect.poll(() => proxy.accepted() - before).toBeGreaterThan(3);
    proxy.heal();
    expect(await waiting).toEqual([{ one: 1 }]);
  });

  it('with a login that is refused is waited for: a password is changed while tasks run', async () => {
    const role = `${db.name}_login`;
    await asAdmin(`create role ${role} login`);
    const login = new URL(db.url);
    login.username = role;
    const refused = new DatabasePool({ connectionString: login.href, awayPatienceMs: 20_000, silence });
    await asAdmin(`alter role ${role} nologin`);
    const waiting = one(refused);
    await expect.poll(() => refused.connectFailure).toMatchObject({ code: '28000' });
    await asAdmin(`alter role ${role} login`);
    expect(await waiting).toEqual([{ one: 1 }]);
    expect(refused.connectFailure).toBeUndefined();
    await refused.end();
    await asAdmin(`drop role ${role}`);
  });

  it('to a database that is maintained is waited for', async () => {
    await pool.end();
    pool = open({ awayPatienceMs: 20_000 });
    await asAdmin(`alter database ${db.name} allow_connections false`);
    const waiting = one(pool);
    await expect.poll(() => pool.connectFailure).toMatchObject({ code: '55000' });
    await asAdmin(`alter database ${db.name} allow_connections true`);
    expect(await waiting).toEqual([{ one: 1 }]);
  });

  it('to a stopped server whose queue of connections is full fails with a transient error', async () => {
    const folder = await temporaryFolder();
    const path = join(folder.path, '.s.PGSQL.5432');
    // Listens, and never accepts.
    const stopped = spawn(process.execPath, [
      '-e',
      `require('node:net').createServer().listen({ path: ${JSON.stringify(path)}, backlog: 1 }, () => {
        require('node:fs').writeSync(1, 'listens');
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
      })`,
    ]);
    await once(stopped.stdout, 'data');
    const inQueue: Socket[] = [];
    const filled = new Promise<Error>((full) => {
      for (let i = 0; i < 10; i++) inQueue.push(createConnection(path).once('error', full));
    });
    expect(await filled).toMatchObject({ syscall: 'connect' });
    const refused = new DatabasePool({
      connectionString: `postgresql://orbweaver@localhost/orbweaver?host=${folder.path}`,
    });
    const error = await one(refused).catch((why: unknown) => why);
    expect(error).toMatchObject({ syscall: 'connect' });
    expect(isTransient(error)).toBe(true);
    await refused.end();
    for (const socket of inQueue) socket.destroy();
    stopped.kill('SIGKILL');
    await once(stopped, 'exit');
    await folder.remove();
  });

  it('to a read-only server is not used; one is opened when it accepts writes', async () => {
    await pool.end();
    pool = open({ awayPatienceMs: 20_000 });
    await asAdmin(`alter database ${db.name} set default_transaction_read_only = on`);
    const waiting = one(pool);
    const bounded = open();
    await expect(one(bounded)).rejects.toMatchObject({ code: '25006' });
    await asAdmin(`alter database ${db.name} reset default_transaction_read_only`);
    expect(await waiting).toEqual([{ one: 1 }]);
    await bounded.end();
  });

  it('whose server became read-only is discarded after the first failed write', async () => {
    await pool.end();
    pool = open({ max: 1 });
    const write = () => transaction(pool, (tx) => tx.query('insert into note values (1)'));
    await rows(pool, sql`set default_transaction_read_only = on`);
    await expect(write()).rejects.toMatchObject({ code: '25006' });
    await write();
    expect(await db.query('select n from note')).toEqual([{ n: 1 }]);
  });

  it('that breaks while idle is replaced, without an error for callers', async () => {
    await one(pool);
    const broken = once(pool, 'error');
    proxy.reset();
    await broken;
    expect(await one(pool)).toEqual([{ one: 1 }]);
  });
});

describe('isTransient distinguishes transient from lasting errors', () => {
  it.each<[string, unknown, boolean]>([
    ['deadlock', { code: '40P01' }, true],
    ['serialization', { code: '40001' }, true],
    ['connection lost', { code: '08006' }, true],
    ['shutdown', { code: '57P01' }, true],
    ['crash of another session', { code: '57P02' }, true],
    ['starting', { code: '57P03' }, true],
    ['no connection left', { code: '53300' }, true],
    ['disk full', { code: '53100' }, true],
    ['read-only', { code: '25006' }, true],
    ['a password that is no longer right', { code: '28P01' }, true],
    ['a role that may not log in', { code: '28000' }, true],
    ['lock_timeout', { code: '55P03' }, true],
    ['idle in transaction', { code: '25P03' }, true],
    [
      'both addresses of localhost refused',
      new AggregateError([{ code: 'ECONNREFUSED' }, { code: 'ECONNREFUSED' }]),
      true,
    ],
    ['no socket', { code: 'ENOENT', syscall: 'connect' }, true],
    ['no file', { code: 'ENOENT', syscall: 'open' }, false],
    ['the queue of a socket is full', { code: 'EAGAIN', syscall: 'connect' }, true],
    ['no file descriptor for a connection', { code: 'EMFILE', syscall: 'connect' }, true],
    ['no port for a connection', { code: 'EADDRNOTAVAIL', syscall: 'connect' }, true],
    ['no file descriptor for a file', { code: 'EMFILE', syscall: 'open' }, false],
    ['a database that accepts no connections', { code: '55000', severity: 'FATAL' }, true],
    ['a table in another state than needed', { code: '55000', severity: 'ERROR' }, false],
    ['statement_timeout', { code: '57014' }, false],
    ['unique', { code: '23505' }, false],
    ['syntax', { code: '42601' }, false],
    ['undefined', undefined, false],
  ])('%s', (_name, error, passes) => expect(isTransient(error)).toBe(passes));
});
