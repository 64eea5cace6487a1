/**
 * A connection that explains each statement before it runs it. The real functions are called with it, so that
 * the plans are those of the statements of the program, values included.
 */
import type { PoolClient, QueryResult } from 'pg';
import type { Sql } from '../../src/db/sql.js';

/** A node of `explain (format json)`, the fields that we read. */
export interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  'Index Cond'?: string;
  'Conflict Arbiter Indexes'?: string[];
  /** Per loop, like the next field. */
  'Rows Removed by Join Filter'?: number;
  'Rows Removed by Filter'?: number;
  'Actual Rows'?: number;
  /** As the planner expected. */
  'Plan Rows': number;
  'Actual Loops': number;
  Plans?: PlanNode[];
}

export class Explained implements Sql {
  /** The plans of the statements sent so far, in order. */
  readonly plans: PlanNode[] = [];

  constructor(private readonly db: PoolClient) {}

  async query(statement: { text: string; values: unknown[]; name?: string }): Promise<QueryResult> {
    // FETCH and CLOSE have no plan: that of the DECLARE was recorded.
    if (!/^\s*(fetch|close)\b/i.test(statement.text)) this.plans.push(await this.planOf(statement));
    if (statement.name !== undefined) this.plans.push(await this.keptPlanOf(statement.text));
    return this.db.query(statement);
  }

  /** Generic plan of a prepared statement (`explain (generic_plan)` needs PostgreSQL 16). */
  private async keptPlanOf(text: string): Promise<PlanNode> {
    const parameters = new Set(text.match(/\$\d+/g)).size;
    await this.db.query(`set local plan_cache_mode = force_generic_plan`);
    await this.db.query(`prepare kept as ${text}`);
    const { rows } = await this.db.query(
      `explain (format json) execute kept${parameters > 0 ? `(${Array(parameters).fill('null').join()})` : ''}`,
    );
    await this.db.query('deallocate kept');
    await this.db.query('set local plan_cache_mode = auto');
    return (rows[0]['QUERY PLAN'][0] as { Plan: PlanNode }).Plan;
  }

  /** Executes the statement once more and rolls that back, to get the actual numbers of the plan. */
  private async planOf({ text, values }: { text: string; values: unknown[] }): Promise<PlanNode> {
    await this.db.query('savepoint explained');
    const { rows } = await this.db.query({ text: `explain (analyze, timing off, format json) ${text}`, values });
    await this.db.query('rollback to explained');
    const { Plan: plan } = rows[0]['QUERY PLAN'][0] as { Plan: PlanNode };
    for (const node of nodesOf([plan])) {
      const compared = (node['Rows Removed by Join Filter'] ?? 0) * node['Actual Loops'];
      if (compared > MAX_COMPARED) throw new Error(`${compared} pairs compared: ${JSON.stringify(node)}`);
    }
    return plan;
  }
}

/**
 * Pairs of rows that a node of a plan may compare without a match. A chunk joined with itself by a nested loop would be a
 * million.
 */
const MAX_COMPARED = 20_000;

/** Every node of some plans, parents first. */
export function nodesOf(plans: readonly PlanNode[]): PlanNode[] {
  return plans.flatMap((plan) => [plan, ...nodesOf(plan.Plans ?? [])]);
}

/** Tables that grow with the web and must not be scanned sequentially. */
const LARGE: readonly (string | undefined)[] = ['webpage', 'page_content', 'inlink', 'simhash_band'];

/**
 * Access paths of the large tables, without duplicates: `webpage_pkey (crawl, host, key_hash)` for an index with the columns
 * that its condition compares, `webpage` for a sequential scan.
 */
export function accessPaths(plans: readonly PlanNode[]): string[] {
  const scans = nodesOf(plans).filter(
    (node) =>
      node['Node Type'] === 'Bitmap Index Scan' ||
      (node['Node Type'].endsWith('Scan') &&
        // The rows of a bitmap heap scan are determined by the index scan below it.
        node['Node Type'] !== 'Bitmap Heap Scan' &&
        LARGE.includes(node['Relation Name'])),
  );
  return [...new Set(scans.map(pathOf))].sort();
}

const COLUMNS = [
  'crawl',
  'generate_mark',
  'batch_id',
  'hashtext',
  'signature',
  'status',
  'host',
  'key',
  'key_hash',
  'source',
  'rank',
  'fetch_time',
  'update_mark',
  'last_inlink',
  'place',
  'band',
];

function pathOf(node: PlanNode): string {
  const index = node['Index Name'];
  if (index === undefined) return node['Relation Name']!;
  // `(host = page.host)`: the index column is unqualified, those of other tables follow a dot.
  const condition = (node['Index Cond'] ?? '').replace(/hashtext\((key|signature)\)/g, 'hashtext');
  return `${index} (${COLUMNS.filter((name) => new RegExp(`(?<![.\\w])${name}\\b`).test(condition)).join(', ')})`;
}

/** Arbiter indexes of upserts. */
export const arbiters = (plans: readonly PlanNode[]): string[] =>
  [...new Set(nodesOf(plans).flatMap((node) => node['Conflict Arbiter Indexes'] ?? []))].sort();

/** Indexes that the plans use, of all tables. */
export const indexesOf = (plans: readonly PlanNode[]): string[] => [
  ...new Set(nodesOf(plans).flatMap((node) => node['Index Name'] ?? [])),
];

/** Node types of the plans. */
export const nodeTypes = (plans: readonly PlanNode[]): string[] => nodesOf(plans).map((node) => node['Node Type']);
