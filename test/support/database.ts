import { randomBytes } from 'node:crypto';
import pg from 'pg';
import type { DataSource } from 'typeorm';
import { inject } from 'vitest';
import { openDataSource } from '../../src/db/data-source.js';
import { asAdmin, ofDatabase } from './cluster.js';
import { logSql } from './sql-log.js';

logSql(inject('sqlLog'));

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
  const { adminUrl, workerUrls, templateUrl } = inject('cluster');
  const name = `test_${randomBytes(6).toString('hex')}`;
  const template = options.empty ? 'template0' : new URL(templateUrl).pathname.slice(1);
  // An empty one belongs to no cluster.
  const nodes = options.empty ? [adminUrl] : [adminUrl, ...workerUrls];
  await onEach(nodes, `create database ${name} template ${template} owner orbweaver`);
  const url = ofDatabase(templateUrl, name);
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
      await onEach(nodes, `drop database ${name} with (force)`);
    },
  };
}

async function onEach(nodes: readonly string[], statement: string): Promise<void> {
  await Promise.all(nodes.map((url) => asAdmin(url, statement)));
}
