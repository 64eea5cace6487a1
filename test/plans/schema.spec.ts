import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SPREAD_TABLES } from '../../src/db/citus.js';
import { ensureHistoryPartitions } from '../../src/webpage/fetch-history.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/**
 * Rules of the schema, read from the catalog: they allow several nodes, among which rows are distributed by host.
 * They apply to future tables, too: a table with a column `host` grows with the web.
 */

let db: TestDatabase;
/** Tables with `host`, and their columns of the primary key in order. */
let large: { name: string; key: string[] }[];

beforeAll(async () => {
  db = await testDatabase();
  await ensureHistoryPartitions(db.pool);
  large = await db.query(`
    select c.relname as name,
           array(select a.attname::text from pg_index i
                   cross join unnest(i.indkey::int[]) with ordinality as k (attnum, position)
                   join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
                  where i.indrelid = c.oid and i.indisprimary order by k.position) as key
      from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
       and exists (select from pg_attribute where attrelid = c.oid and attname = 'host' and not attisdropped)
     order by c.relname`);
});
afterAll(() => db.drop());

const LARGE = `(select attrelid from pg_attribute where attname = 'host' and not attisdropped)`;

describe('tables that grow with the web', () => {
  it('are those that a cluster distributes by host', () => {
    const names = large.map(({ name }) => name).filter((name) => !/^fetch_history_\d/.test(name));
    expect(names).toEqual(SPREAD_TABLES.toSorted());
  });

  it('have a primary key that begins with crawl, if present, and host', async () => {
    const crawls = await db.query<{ name: string }>(
      `select relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'crawl' where c.relkind in ('r', 'p')`,
    );
    for (const { name, key } of large) {
      const head = crawls.some((table) => table.name === name) ? ['crawl', 'host'] : ['host'];
      expect([name, ...key.slice(0, head.length)]).toEqual([name, ...head]);
    }
  });

  it('have no other unique index', async () => {
    const others = await db.query(
      `select indexrelid::regclass::text as name from pg_index where indisunique and not indisprimary and indrelid in ${LARGE}
          and indrelid in (select oid from pg_class where relnamespace = 'public'::regnamespace)`,
    );
    expect(others).toEqual([]);
  });

  it('have no foreign keys to or from other tables', async () => {
    const foreign = await db.query(
      `select conname from pg_constraint where contype = 'f' and (conrelid in ${LARGE} or confrelid in ${LARGE})`,
    );
    expect(foreign).toEqual([]);
  });

  it('have host and key columns of type not null text with collation "C"', async () => {
    const columns = await db.query<{ name: string; type: string; collation: string; filled: boolean }>(`
      select c.relname || '.' || a.attname as name, a.atttypid::regtype::text as type, l.collname as collation,
             a.attnotnull and a.attgenerated = '' as filled
        from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_collation l on l.oid = a.attcollation
       where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.oid in ${LARGE}
         and a.attname in ('host', 'key', 'source', 'origin')`);
    expect(columns.length).toBeGreaterThanOrEqual(2 * 4 + 2);
    for (const column of columns)
      expect(column).toEqual({ name: column.name, type: 'text', collation: 'C', filled: true });
  });

  it('have the same type for crawl numbers', async () => {
    const types = await db.query(
      `select distinct format_type(atttypid, atttypmod) as type from pg_attribute where attname = 'crawl' and attrelid in ${LARGE}
          and attrelid in (select oid from pg_class where relkind in ('r', 'p'))`,
    );
    expect(types).toEqual([{ type: 'integer' }]);
  });
});

describe('the schema', () => {
  it('has no triggers and no rules except views', async () => {
    const triggers = await db.query(
      `select tgname from pg_trigger join pg_class c on c.oid = tgrelid where not tgisinternal and c.relnamespace = 'public'::regnamespace`,
    );
    const rules = await db.query(
      `select r.rulename from pg_rewrite r join pg_class c on c.oid = r.ev_class
        where c.relnamespace = 'public'::regnamespace and c.relkind <> 'v'`,
    );
    expect({ triggers, rules }).toEqual({ triggers: [], rules: [] });
  });

  it('stores columns that are already compressed out of line and uncompressed', async () => {
    const columns = await db.query(`
      select attname::text as name, attstorage::text as storage from pg_attribute
       where attrelid = 'page_content'::regclass and attname in ('content', 'text') order by attname`);
    expect(columns).toEqual([
      { name: 'content', storage: 'e' },
      { name: 'text', storage: 'e' },
    ]);
  });

  it('stores visits in partitions by time', async () => {
    const [found] = await db.query<{ n: number; strategy: string }>(`
      select count(*)::int as n, min(partstrat::text) as strategy from pg_inherits
        join pg_partitioned_table on partrelid = inhparent where inhparent = 'fetch_history'::regclass`);
    // Last, current and next month.
    expect(found).toEqual({ n: 3, strategy: 'r' });
  });

  it.each([
    ['a host that is not that of the key', `host = 'org.other'`, 'webpage_host'],
    ['an unknown status', 'status = 10', 'webpage_status'],
    ['a page that is both selectable and in a batch', `rank = 1, generate_mark = 'b'`, 'webpage_one_place'],
    ['a fetch mark without a batch', `fetch_mark = 'b'`, 'webpage_marks'],
    ['a parse mark without a fetch mark', `generate_mark = 'b', parse_mark = 'b'`, 'webpage_marks'],
    ['an unknown source kind', `source_kind = 'guess'`, 'webpage_source'],
    ['a negative interval', 'fetch_interval = -1', 'webpage_interval'],
  ])('rejects %s', async (_, change, constraint) => {
    await db.query(`
      insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, source_kind)
      values (0, 'test.site', 'test.site:http/', now(), 1, 1, 1, 'seed') on conflict do nothing`);
    await expect(db.query(`update webpage set ${change} where crawl = 0`)).rejects.toMatchObject({ constraint });
  });
});
