/**
 * A crawl of 100,000 known URLs on 1,000 hosts, in the middle of a round: half of them selectable, one batch
 * generated, one fetched and one parsed, some pages that have become due.
 *
 * The ratios of batch, chunk and table are those of a crawl of one or two million pages: the cheapest plan depends
 * on them, and a chunk as large as the whole table is correctly joined by a sequential scan.
 */
import { zstdCompressSync } from 'node:zlib';
import type { PoolClient } from 'pg';
import { ensureHistoryPartitions } from '../../src/webpage/fetch-history.store.js';
import { type Filling, type TestDatabase, testDatabase } from '../support/database.js';
import { isNewerThanStatistics } from './newer-than-statistics.js';

const OLDER = 1;
/** An equal crawl, which the statistics do not cover (`beside`). */
const NEWER = 3;
export const CRAWL = isNewerThanStatistics() ? NEWER : OLDER;
export const PAGES = 100_000;
const HOSTS = 1_000;
/** Pages of each batch. */
export const BATCH = 5_000;
/** Pages that UPDATEDB closes at once. */
export const CHUNK = 200;
/** Batches: generated; fetched too; parsed too. */
export const BATCHES = { generated: '10-1', fetched: '10-2', parsed: '10-3' };

/** Row key number i. */
const KEY = `'com.site' || lpad((i % ${HOSTS})::text, 4, '0') || ':https/section-' || i % 7 || '/page-' || lpad(i::text, 6, '0')`;

const PLACES = `case when i < ${BATCH} then '${BATCHES.generated}' when i < ${2 * BATCH} then '${BATCHES.fetched}'
  when i < ${3 * BATCH} then '${BATCHES.parsed}' end`;

const compressed = zstdCompressSync('content').toString('hex');

const FILL = [
  `insert into crawl (id, name) overriding system value values (${OLDER}, 'older')`,
  `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, rank, generate_mark, batch_id,
                        fetch_mark, parse_mark, partition_hash, spend, spend_distance, source_kind, signature, update_mark)
   select ${OLDER}, split_part(key, ':', 1), key, case when due or mark = '${BATCHES.generated}' then 1 else 2 end,
          case when due or mark is not null or i % 50 = 1 then now() - interval '1 hour'
               else now() + make_interval(hours => 1 + i % 700) end,
          2592000, score, score, case when due then (ln(score) * 16777216)::int end, mark, mark,
          case when mark > '${BATCHES.generated}' then mark end, case when mark = '${BATCHES.parsed}' then mark end,
          case when mark is not null then abs(hashtext(split_part(key, ':', 1)) / 2) end,
          case when mark is not null then score end, case when mark is not null then 1 end, 'link', md5(key), case when mark is null and not due then '9-' || i % 20 end
     from (select i, ${KEY} as key, 0.001 + (i * 7919 % 10007) / 100.0 as score, ${PLACES} as mark,
                  i >= ${3 * BATCH} and i % 2 = 0 as due
             from generate_series(0, ${PAGES - 1}) i) made`,
  // The parsed pages have twenty links each: half to known pages, half to new ones.
  `insert into page_content (crawl, host, key, content_length, content, headers, outlink_keys, outlink_anchors)
   select crawl, host, key, 9, '\\x${compressed}'::bytea, '{}',
          case when parse_mark is not null then array(
            select case when k % 2 = 0 then host || ':https/new/' || md5(key || k)
                   else (select ${KEY} from (values (abs(hashtext(key || k)::bigint) % ${PAGES})) at (i)) end
              from generate_series(1, 20) k) end,
          case when parse_mark is not null then array_fill('anchor'::text, array[20]) end
     from webpage where fetch_mark is not null`,
  `insert into inlink (crawl, host, key, source, anchor, score)
   select crawl, host, key, 'org.example:https/' || n, 'anchor', n from webpage, generate_series(1, 3) n
    where hashtext(key) % 5 = 0`,
  `insert into host (crawl, host, domain, n_unfetched) select crawl, host, host, count(*) from webpage group by crawl, host`,
];

const TABLES = ['webpage', 'page_content', 'inlink', 'host'];

async function fill(db: TestDatabase): Promise<void> {
  await ensureHistoryPartitions(db.pool);
  for (const statement of FILL) await db.query(statement);
  for (const table of TABLES) await db.query(`analyze ${table}`);
}

const seeded: Filling = { name: 'seeded', fill };

/** The same rows again, of another crawl, inserted after ANALYZE. */
const beside: Filling = {
  name: 'beside',
  on: seeded,
  fill: async (db) => {
    await db.query(`insert into crawl (id, name) overriding system value values (${NEWER}, 'newer')`);
    for (const table of TABLES) {
      const columns = await db.query<{ names: string }>(
        `select string_agg(quote_ident(attname), ', ') as names from pg_attribute
          where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attname <> 'crawl'`,
        [table],
      );
      const { names } = columns[0]!;
      await db.query(`insert into ${table} (crawl, ${names}) select ${NEWER}, ${names} from ${table}`);
    }
  },
};

export const seededDatabase = (): Promise<TestDatabase> =>
  testDatabase({ filled: isNewerThanStatistics() ? beside : seeded });

/** Runs `work` in a transaction that is rolled back. */
export async function rolledBack<T>(db: TestDatabase, work: (tx: PoolClient) => Promise<T>): Promise<T> {
  const tx = await db.pool.connect();
  try {
    await tx.query('begin');
    return await work(tx);
  } finally {
    await tx.query('rollback');
    tx.release();
  }
}

export interface SomePage {
  host: string;
  key: string;
  /** Batch, or empty. */
  mark: string;
}

/** Pages that match `where`, in an order that no index has. */
export function somePages(
  db: TestDatabase,
  where: string,
  limit: number,
): Promise<(SomePage & { [name: string]: unknown })[]> {
  return db.query(
    `select host, key, coalesce(generate_mark, '') as mark from webpage
      where crawl = ${CRAWL} and ${where} order by md5(key) limit ${limit}`,
  );
}
