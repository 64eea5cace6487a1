import { describe, expect, it } from 'vitest';
import { ConnectionLimits, ConnectionsTaken, asLimitedClient } from '../../src/db/connection-limits.js';
import { openDataSource } from '../../src/db/data-source.js';
import { poolOf } from '../../src/db/sql.js';
import { testDatabase } from '../support/database.js';

describe('limits of connections for clients', () => {
  it('hold for one client and for all, and what is given back goes to the first whose client may have it', () => {
    const limits = new ConnectionLimits(3, 2, 0);
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

  it('end the wait of one that gets none in time, and nobody else loses by it', async () => {
    const limits = new ConnectionLimits(2, 1, 10);
    limits.take('a', () => undefined);
    const error = await new Promise((given) => limits.take('a', given));
    expect(error).toBeInstanceOf(ConnectionsTaken);
    limits.giveBack('a');
    expect(await new Promise((given) => limits.take('a', given))).toBeUndefined();
  });

  it('count connections that broke, and tries that failed, as given back', async () => {
    const database = await testDatabase();
    const source = await openDataSource(database.url, { max: 4 });
    const pool = poolOf(source);
    const asked = (statement: string) => asLimitedClient('a', () => pool.query(statement));
    for (let n = 0; n < 6; n++) await expect(asked('select pg_terminate_backend(pg_backend_pid())')).rejects.toThrow();
    for (let n = 0; n < 6; n++) await expect(asked('select nothing')).rejects.toThrow();
    expect((await Promise.all([asked('select 1'), asked('select 1'), asked('select 1')])).length).toBe(3);
    await source.destroy();
    await database.drop();
  });
});
