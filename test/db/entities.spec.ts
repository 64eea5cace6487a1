import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { entities } from '../../src/cycle/entities.js';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { WebpageEntity } from '../../src/webpage/webpage.entity.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** Every entity, compared with the catalog of a migrated database. */

interface Column {
  name: string;
  /** As `format_type` writes it. */
  type: string;
  nullable: boolean;
  /** Part of the primary key. */
  key: boolean;
  /** `C`, or null: that of the database, or none. */
  collation: string | null;
  identity: 'ALWAYS' | 'BY DEFAULT' | null;
}

let database: TestDatabase;
let dataSource: PooledDataSource;
let inCatalog: Map<string, Column[]>;

beforeAll(async () => {
  database = await testDatabase();
  dataSource = await database.dataSource();
  const found = await database.query<Column & { table: string }>(`
    select c.relname as table, a.attname as name, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
           a.attnum = any (i.indkey) as key, nullif(l.collname, 'default') as collation,
           case a.attidentity when 'a' then 'ALWAYS' when 'd' then 'BY DEFAULT' end as identity
      from pg_class c
      join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      join pg_index i on i.indrelid = c.oid and i.indisprimary
      left join pg_collation l on l.oid = a.attcollation
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'migrations'
     order by 1, 2`);
  inCatalog = Map.groupBy(found, ({ table }) => table) as Map<string, Column[]>;
});
afterAll(() => database.drop());

const byName = (one: { name: string }, other: { name: string }): number => (one.name < other.name ? -1 : 1);

/** Columns of an entity, in the terms of the catalog. */
function declared(entity: (typeof entities)[number]): Column[] {
  const { columns } = dataSource.getMetadata(entity);
  return columns
    .map((column) => ({
      name: column.databaseName,
      type: dataSource.driver.normalizeType(column) + (column.isArray ? '[]' : ''),
      nullable: column.isNullable,
      key: column.isPrimary,
      collation: column.collation ?? null,
      identity: column.generatedIdentity ?? null,
    }))
    .sort(byName);
}

it('every table has an entity, and every entity has a table', () => {
  const tables = dataSource.entityMetadatas.map(({ tableName }) => tableName);
  expect(tables.sort()).toEqual([...inCatalog.keys()]);
  expect(entities).toHaveLength(tables.length);
});

describe('the columns of an entity are those of its table', () => {
  it.each(entities.map((entity) => [entity.name, entity] as const))('%s', (_, entity) => {
    const columns = inCatalog.get(dataSource.getMetadata(entity).tableName) ?? [];
    expect(declared(entity)).toEqual(
      columns
        .map(({ name, type, nullable, key, collation, identity }) => ({
          name,
          type,
          nullable,
          key,
          collation,
          identity,
        }))
        .sort(byName),
    );
  });
});

it.each(entities.map((entity) => [entity.name, entity] as const))('%s has a comment for each column', (_, entity) => {
  const uncommented = dataSource.getMetadata(entity).columns.filter(({ comment }) => !comment);
  expect(uncommented.map(({ databaseName }) => databaseName)).toEqual([]);
});

it('a page is read through its repository with the types of its entity', async () => {
  await database.query(`
    insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, source_kind, protocol_args, metadata)
    values (7, 'org.example', 'org.example:https/', '2026-01-02 03:04:05.678+00', 60, 0.5, 1, 'seed', '{a,"b c"}', '{"language": "en"}')`);
  const page = await dataSource.getRepository(WebpageEntity).findOneByOrFail({ crawl: 7, host: 'org.example' });
  expect(page).toBeInstanceOf(WebpageEntity);
  expect(page).toMatchObject({
    key: 'org.example:https/',
    status: 1,
    fetchTime: new Date('2026-01-02T03:04:05.678Z'),
    score: 0.5,
    sourceKind: 'seed',
    protocolArgs: ['a', 'b c'],
    metadata: { language: 'en' },
    generateMark: null,
  });
});

it('repositories and statements use one pool', async () => {
  const { pool } = dataSource;
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  const read = dataSource.getRepository(WebpageEntity).countBy({ crawl: 8 });
  await expect.poll(() => pool.waitingCount).toBe(1);
  taken.forEach((connection) => connection.release());
  expect(await read).toBe(0);
});

it('opening the database does not create or change tables', async () => {
  const empty = await testDatabase({ empty: true });
  try {
    await empty.dataSource();
    expect(await empty.query(`select relname from pg_class where relnamespace = 'public'::regnamespace`)).toEqual([]);
  } finally {
    await empty.drop();
  }
});
