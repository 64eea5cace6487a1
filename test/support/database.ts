import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { inject } from 'vitest';
import { openDataSource } from '../../src/db/data-source.js';

/** A database of its own for a spec file: a clone of the migrated template, gone after `drop()`. */

export interface TestDatabase {
  readonly name: string;
  /** Connection string as the role that owns the database; for servers and workers under test. */
  readonly url: string;
  readonly pool: pg.Pool;
  /** Runs a statement and answers its rows. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  /** A TypeORM data source on this database, opened at the first call and closed by `drop`. */
  dataSource(): Promise<DataSource>;
  /** Closes what was opened here, cuts all other connections and removes the database. */
  drop(): Promise<void>;
}

/** Clones the template; `empty: true` gives a database without any table. */
export async function testDatabase(options: { empty?: boolean } = {}): Promise<TestDatabase> {
  const { adminUrl, templateUrl } = inject('cluster');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = options.empty ? 'template0' : 'orbweaver';
  await asAdmin(adminUrl, `create database ${name} template ${template} owner orbweaver`);
  const url = templateUrl.replace(/\/orbweaver\?/, `/${name}?`);
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  // Dropping the database cuts idle connections; that is no failure of a test.
  pool.on('error', () => undefined);
  let opened: Promise<DataSource> | undefined;
  return {
    name,
    url,
    pool,
    query: async (text, values) => (await pool.query(text, values)).rows,
    dataSource: () => (opened ??= openDataSource(url)),
    drop: async () => {
      await (await opened)?.destroy();
      await pool.end();
      await asAdmin(adminUrl, `drop database ${name} with (force)`);
    },
  };
}

async function asAdmin(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
