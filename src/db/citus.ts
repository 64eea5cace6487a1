/**
 * Distributes the tables that grow with the web over the nodes of a Citus cluster.
 *
 * All but those of the index have the column `host`, of one type and collation, in their primary key; rows of one host are on
 * one node, in every table, so what the steps do host by host stays there. Small tables that statements join with them are
 * copied to all nodes. Everything else (jobs, tasks, configurations, seed lists, the queue) stays on the coordinator, which
 * is the one node to which servers and workers connect. Without the extension nothing is done.
 */
import type { DataSource } from 'typeorm';

/** Tables with `host` in their key, in the order in which they are distributed: the first one determines the shards. */
export const SPREAD_TABLES = [
  'webpage',
  'page_content',
  'inlink',
  'host',
  'fetch_history',
  'signature_due',
  'url_template',
  'sitemap',
  'robots',
  'webgraph_node',
  'removed_document',
  'document_due',
] as const;

/** Tables of the index: a query reads the terms of one crawl, so that its rows are on one node. */
export const SPREAD_BY_CRAWL = ['search_segment', 'search_posting', 'search_stored', 'search_doc'] as const;

/** Small tables that are joined with those: a copy on every node. */
export const COPIED_TABLES = ['crawl', 'batch'] as const;

export interface CitusDistribution {
  /** Tables that were distributed or copied by this call. */
  changed: string[];
  /** Number of nodes with shards. */
  nodes: number;
}

/** Whether the database has the Citus extension. */
export async function hasCitus(dataSource: DataSource): Promise<boolean> {
  const extensions = await dataSource.query<unknown[]>(`select from pg_extension where extname = 'citus'`);
  return extensions.length > 0;
}

/** Whether the tables of a database with the extension are distributed. */
export async function isDistributed(dataSource: DataSource): Promise<boolean> {
  return (await hasCitus(dataSource)) && (await distributedTables(dataSource)).has(SPREAD_TABLES[0]);
}

/**
 * Distributes the tables that are not distributed yet, with their rows. Each table is one transaction, so it may be aborted and
 * repeated; writers of a table wait for it.
 * @returns undefined without Citus
 */
export async function distribute(dataSource: DataSource): Promise<CitusDistribution | undefined> {
  if (!(await hasCitus(dataSource))) return undefined;
  const done = await distributedTables(dataSource);
  const changed: string[] = [];
  for (const table of [...COPIED_TABLES, ...SPREAD_TABLES, ...SPREAD_BY_CRAWL].filter((name) => !done.has(name))) {
    await dataSource.query(spreading(table));
    changed.push(table);
  }
  return { changed, nodes: await shardNodes(dataSource) };
}

/** The statement that distributes a table, or copies it. Rows of tables of one kind are colocated. */
function spreading(table: string): string {
  if ((COPIED_TABLES as readonly string[]).includes(table)) return `select create_reference_table('${table}')`;
  const isOfIndex = (SPREAD_BY_CRAWL as readonly string[]).includes(table);
  const first = isOfIndex ? SPREAD_BY_CRAWL[0] : SPREAD_TABLES[0];
  const column = isOfIndex ? 'crawl' : 'host';
  return `select create_distributed_table('${table}', '${column}', colocate_with => '${table === first ? 'none' : first}')`;
}

/** Names of tables that Citus knows. */
async function distributedTables(dataSource: DataSource): Promise<Set<string>> {
  const tables = await dataSource.query<{ name: string }[]>(`
    select c.relname as name from pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
     where p.partmethod = 'h' or p.repmodel = 't'`);
  return new Set(tables.map(({ name }) => name));
}

async function shardNodes(dataSource: DataSource): Promise<number> {
  const [counted] = await dataSource.query<{ n: number }[]>(
    `select count(*)::int as n from pg_dist_node where shouldhaveshards and noderole = 'primary'`,
  );
  return counted?.n ?? 0;
}
