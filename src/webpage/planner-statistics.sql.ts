/**
 * Planner statistics of the tables that grow with the web.
 *
 * Our statements join an array of keys with the table. Without statistics PostgreSQL estimates one row for a crawl and
 * scans the whole table once for each key (measured: 32 s instead of 0.2 s for 12,000 keys); autovacuum comes too late
 * for a table that a crawl has just begun to fill. So each task checks first: a table that has outgrown its statistics is
 * analyzed, which reads a sample of fixed size.
 *
 * On a Citus cluster the table itself is empty. Each node looks at its shards, which have the name of the table and a number; ANALYZE
 * of the table reaches all of them.
 */
import { byNodes } from '../db/row-locks.js';
import { type Sql, type Statement, rows } from '../db/sql.js';

const TABLES = ['webpage', 'page_content', 'inlink', 'host', 'webgraph_node'];
/** Growth in pages since the last ANALYZE after which another one is run. */
const GROWTH = 1.3;

/** A condition on rows of pg_class, as text: it is sent to other nodes, too. */
const HAS_GROWN = `pg_relation_size(oid) > 0
       and (reltuples < 0 or pg_relation_size(oid) / current_setting('block_size')::bigint > relpages * ${GROWTH}::float8)`;

const GROWN_TABLES: Statement = {
  text: `
    select relname as name from pg_class
     where oid = any ($1::text[]::regclass[]) and ${HAS_GROWN}`,
  values: [TABLES],
};

/** A node that does not answer has no result. */
const TABLES_OF_GROWN_SHARDS: Statement = {
  text: `
    select distinct name from run_command_on_all_nodes($1::text) node, unnest(string_to_array(node.result, ',')) name
     where node.success`,
  values: [
    `select string_agg(distinct regexp_replace(relname, '_[0-9]+$', ''), ',') from pg_class
      where relkind = 'r' and relname ~ '^(${TABLES.join('|')})_[0-9]+$' and ${HAS_GROWN}`,
  ],
};

/** Analyzes the tables that have outgrown their statistics; returns their names. */
export async function keepStatistics(db: Sql): Promise<string[]> {
  const grown = await rows<{ name: string }>(db, byNodes({ one: GROWN_TABLES, many: TABLES_OF_GROWN_SHARDS }));
  // The names are our own, from the list above. A table that is being vacuumed is skipped: a task can run without statistics.
  for (const { name } of grown) await db.query({ text: `analyze (skip_locked) ${name}`, values: [] });
  return grown.map(({ name }) => name);
}
