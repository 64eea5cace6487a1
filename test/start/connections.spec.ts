/** Connections to the database: what a server may open, beside what the database has. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ConnectionSettings,
  connectionsOf,
  enoughFor,
  tooFewConnections,
} from '../../src/commands/connections.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

const usual: ConnectionSettings = { role: 'all', workers: 2, apiConnections: 20, workerConnections: 12 };

describe('connections of a server', () => {
  it.each<[Partial<ConnectionSettings>, number]>([
    [{}, 20 + 1 + 2 * 14 + 3],
    [{ role: 'api' }, 24],
    [{ role: 'worker', workers: 4 }, 4 * 14 + 3],
    [{ apiConnections: 4, workerConnections: 4, workers: 1 }, 14],
  ])('%j are at most %i', (settings, most) => expect(connectionsOf({ ...usual, ...settings })).toBe(most));

  it('the embedded database has enough for its server, and some for others', () => {
    expect([enoughFor(usual), enoughFor({ ...usual, workers: 64 })]).toEqual([100, 20 + 1 + 64 * 14 + 3 + 10]);
  });
});

describe('a database with fewer connections than a server may open', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await testDatabase()));
  afterAll(() => database.drop());

  it('is told in one line that names the settings', async () => {
    expect(await tooFewConnections(database.pool, usual)).toBeUndefined();
    const [has] = await database.query<{ n: number }>(
      `select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int as n`,
    );
    const workers = Math.ceil(has!.n / 12);
    const opens = 20 + 1 + workers * 14 + 3;
    expect(await tooFewConnections(database.pool, { ...usual, workers })).toBe(
      `the database has ${has!.n} connections, and this server may open ${opens} (DB_POOL_API=20, WORKERS=${workers}, DB_POOL_WORKER=12): lower these, or raise max_connections`,
    );
  });
});
