/**
 * Row locks of statements that touch many rows.
 *
 * PostgreSQL locks rows in the order in which SELECT … FOR UPDATE finds them, so writers that sort by key cannot deadlock,
 * and rows stay as they were read until the transaction ends. (UPDATEDB locks its sources before their targets: together with
 * another writer of both it may have to be retried.) On a Citus cluster FOR UPDATE works for one host at a time:
 * there the clause is left out, rows that must stay as they were read are locked host by host before, and deadlocks of writers
 * are detected by the cluster (40P01) and retried.
 */
import { type Fragment, type Sql, type Statement, fragment, sql } from './sql.js';

let manyNodes = false;

/** Called once when the database is opened (data-source.ts): a process uses one database. */
export function setManyNodes(they: boolean): void {
  manyNodes = they;
}

/**
 * `for update`, or `for update of` an alias: for statements in which only the order of the rows, or rows locked by
 * `lockByHost`, depend on it. The comment in the SQL shows the check of the test suite that the clause may be missing.
 */
export const lockInOrder = (alias?: Fragment): Fragment => {
  if (manyNodes) return fragment``;
  return alias === undefined ? fragment`/* in order */ for update` : fragment`/* in order */ for update of ${alias}`;
};

/**
 * `for key share of` an alias: waits for transactions that lock these rows `for update`, and makes them wait, but not those
 * that add cash to them, which lock rows in an order of their own.
 */
export const keepInOrder = (alias: Fragment): Fragment =>
  manyNodes ? fragment`` : fragment`/* in order */ for key share of ${alias}`;

/**
 * A condition that rows are still as they were read, for a database in which `lockInOrder` cannot lock them. Otherwise the
 * condition would only mislead the planner: it makes the table look like the smaller side of the join, which is then
 * quadratic.
 */
export const whereNotLocked = (condition: Fragment): Fragment => (manyNodes ? condition : fragment``);

/** What a statement says on one node, and what on many, where a subquery cannot depend on the rows of a CTE. */
export const byNodes = <T extends Fragment | Statement>({ one, many }: { one: T; many: T }): T =>
  manyNodes ? many : one;

/**
 * Locks rows until the transaction ends, before a statement with `lockInOrder` or `keepInOrder` reads them; does nothing if
 * that statement locks them itself.
 * @param lock locks the rows of one host
 */
export async function lockByHost<Row extends { host: string }>(
  tx: Sql,
  rows: readonly Row[],
  lock: (host: string, ofHost: readonly Row[]) => Statement,
): Promise<void> {
  if (!manyNodes) return;
  const byHost = [...Map.groupBy(rows, ({ host }) => host)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [host, ofHost] of byHost) await tx.query(lock(host, ofHost));
}

/**
 * On many nodes a statement has another snapshot on each node: one that must see of every transaction all or nothing takes
 * `alone` the lock that each of them takes with others. Kept until the transaction ends; nothing on one node, where a
 * statement has one snapshot.
 * @param key of the advisory lock, in two parts
 */
export async function lockOnManyNodes(
  tx: Sql,
  how: 'alone' | 'with others',
  [kind, id]: [number, number],
): Promise<void> {
  if (!manyNodes) return;
  const lock = how === 'alone' ? fragment`pg_advisory_xact_lock` : fragment`pg_advisory_xact_lock_shared`;
  await tx.query(sql`select ${lock}(${kind}::int, ${id}::int)`);
}
