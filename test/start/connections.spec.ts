/** Connections to the database: what a server may open, beside what the database has. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import {
  type ConnectionSettings,
  connectionsOf,
  enoughFor,
  tooFewConnections,
} from '../../src/commands/connections.js';
import { type TestDatabase, onCluster, testDatabase } from '../support/database.js';

const usual: ConnectionSettings = { role: 'all', workers: 2, apiConnections: 20, workerConnections: 12 };

describe('connections of a server', () => {
  it.each<[Partial<ConnectionSettings>, number]>([
    [{}, 20 + 1 + 14 + 2 * 14 + 3],
    [{ role: 'api' }, 38],
    [{ role: 'worker', workers: 4 }, 4 * 14 + 3],
    [{ apiConnections: 4, workerConnections: 4, workers: 1 }, 28],
  ])('%j are at most %i', (settings, most) => expect(connectionsOf({ ...usual, ...settings })).toBe(most));

  it('the embedded database has enough for its server, and some for others', () => {
    expect([enoughFor(usual), enoughFor({ ...usual, workers: 64 })]).toEqual([100, 20 + 1 + 14 + 64 * 14 + 3 + 10]);
  });
});

describe('a database with fewer connections than a server may open', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await testDatabase()));
  afterAll(() => database.drop());

  // How many a given cluster has is its own affair.
  it(
    'is told in one line that names the settings',
    onlyWhere(!onCluster, 'tells the connections of our own PostgreSQL'),
    async () => {
      expect(await tooFewConnections(database.pool, usual)).toBeUndefined();
      expect(await tooFewConnections(database.pool, { ...usual, workers: 8 })).toBe(
        'the database has 97 connections, and this server may open 150 (DB_POOL_API=20, WORKERS=8, DB_POOL_WORKER=12): lower these, or raise max_connections',
      );
    },
  );
});
