/**
 * Planner statistics of the tables that grow with the web.
 *
 * Our statements join an array of keys with the table. Without statistics PostgreSQL estimates one row for a crawl and
 * scans the whole table once for each key (measured: 32 s instead of 0.2 s for 12,000 keys); autovacuum comes too late
 * for a table that a crawl has just begun to fill. So each task checks first: a table that has outgrown its statistics is
 * analyzed, which reads a sample of fixed size.
 */
import { type Sql, rows } from '../db/sql.js';

const TABLES = ['webpage', 'page_content', 'inlink', 'host', 'webgraph_node'];
/** Growth in pages since the last ANALYZE after which another one is run. */
const GROWTH = 1.3;

/** Analyzes the tables that have outgrown their statistics; returns their names. */
export async function keepStatistics(db: Sql): Promise<string[]> {
  const grown = await rows<{ name: string }>(db)`
    select relname as name from pg_class
     where oid = any (${TABLES}::text[]::regclass[])
       and pg_relation_size(oid) > 0
       and (reltuples < 0 or pg_relation_size(oid) / current_setting('block_size')::bigint > relpages * ${GROWTH}::float8)`;
  // The names are our own, from the list above. A table that is being vacuumed is skipped: a task can run without statistics.
  for (const { name } of grown) await db.query({ text: `analyze (skip_locked) ${name}`, values: [] });
  return grown.map(({ name }) => name);
}
