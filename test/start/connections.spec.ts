/** Connections to the database: how many a server may open, compared with max_connections. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import {
  type ConnectionSettings,
  connectionsOf,
  enoughFor,
  tooFewConnections,
} from '../../src/commands/connections.js';
import { checkDatabase } from '../../src/commands/check.js';
import { openDatabase } from '../../src/commands/database.js';
import { readEnv } from '../../src/conf/env.js';
import { type TestDatabase, onCluster, testDatabase } from '../support/database.js';

const usual: ConnectionSettings = { role: 'all', workers: 2, apiConnections: 20, workerConnections: 12 };

describe('database connections of a server', () => {
  it.each<[Partial<ConnectionSettings>, number]>([
    [{}, 20 + 1 + 14 + 2 * 14 + 3],
    [{ role: 'api' }, 38],
    [{ role: 'worker', workers: 4 }, 4 * 14 + 3],
    [{ apiConnections: 4, workerConnections: 4, workers: 1 }, 28],
  ])('with %j are at most %i', (settings, most) => expect(connectionsOf({ ...usual, ...settings })).toBe(most));

  it('are covered by the embedded database with a reserve of ten', () => {
    expect([enoughFor(usual), enoughFor({ ...usual, workers: 64 })]).toEqual([100, 20 + 1 + 14 + 64 * 14 + 3 + 10]);
  });
});

describe('an opened database', () => {
  it('has DB_POOL_API connections at most for an API', async () => {
    const database = await testDatabase();
    const env = readEnv({ DATABASE_URL: database.url, DB_POOL_API: '5' });
    const opened = await openDatabase(
      env,
      () => undefined,
      () => undefined,
    );
    expect(opened.dataSource.pool.options.max).toBe(5);
    await opened.close();
    await database.drop();
  });
});

describe('a database that the role of DATABASE_URL does not own', () => {
  it('is refused with what to change, as after a restore by a superuser', async () => {
    const database = await testDatabase({ empty: true });
    const admin = new pg.Client({ connectionString: inject('cluster').adminUrl });
    await admin.connect();
    await admin.query(`alter database ${database.name} owner to current_user`);
    const opened = openDatabase(
      readEnv({ DATABASE_URL: database.url }),
      () => undefined,
      () => undefined,
    );
    await expect(opened).rejects.toMatchObject({
      failure: 'database',
      message: 'no schema can be made in the database: the role of DATABASE_URL must own the database and its tables',
    });
    await admin.end();
    await database.drop();
  });
});

describe('a command that starts no server', () => {
  it('does not tell how many connections a server may open', async () => {
    const database = await testDatabase();
    const env = readEnv({ DATABASE_URL: database.url, DB_POOL_API: '200', DB_POOL_WORKER: '200', WORKERS: '64' });
    const lines: string[] = [];
    await checkDatabase(env, (line) => lines.push(line), []);
    expect(lines).toEqual(['all is in order']);
    await database.drop();
  });
});

describe('a database with fewer connections than a server may open', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await testDatabase()));
  afterAll(() => database.drop());

  // A cluster given to the tests has its own max_connections.
  it(
    'is reported in one line that names the settings',
    onlyWhere(!onCluster, 'tells the connections of our own PostgreSQL'),
    async () => {
      expect(await tooFewConnections(database.pool, usual)).toBeUndefined();
      expect(await tooFewConnections(database.pool, { ...usual, workers: 8 })).toBe(
        'the database has 97 connections, and this server may open 150 (DB_POOL_API=20, WORKERS=8, DB_POOL_WORKER=12): lower these, or raise max_connections',
      );
    },
  );
});
