/**
 * Row locks of statements that touch many rows.
 *
 * PostgreSQL locks rows in the order in which SELECT … FOR UPDATE finds them, so writers that sort by key cannot deadlock,
 * and what was read stays as it is until the transaction ends. (UPDATEDB holds its sources before it locks their targets: beside
 * another writer of both it may be told to try again.) On a Citus cluster FOR UPDATE is for one host at a time:
 * there the clause is left out, rows that must stay as they were read are locked host by host before, and writers that get
 * in each other's way are found out by the cluster (40P01) and tried again.
 */
import { type Sql, type Statement, fragment, sql } from './sql.js';

type Fragment = ReturnType<typeof fragment>;

let manyNodes = false;

/** Called once when the database is opened (data-source.ts): a process uses one database. */
export function rowsLieOnManyNodes(they: boolean): void {
  manyNodes = they;
}

/**
 * `for update`, or `for update of` an alias: only the order of the rows, or rows that `lockByHost` has locked, depend on it.
 * The comment tells the check of the suite's SQL that the clause may be missing.
 */
export const lockInOrder = (alias?: Fragment): Fragment => {
  if (manyNodes) return fragment``;
  return alias === undefined ? fragment`/* in order */ for update` : fragment`/* in order */ for update of ${alias}`;
};

/**
 * `for key share of` an alias: waits for transactions that lock these rows `for update`, and makes them wait, but not those that add cash
 * to them, who lock rows in an order of their own.
 */
export const keepInOrder = (alias: Fragment): Fragment =>
  manyNodes ? fragment`` : fragment`/* in order */ for key share of ${alias}`;

/**
 * A condition that rows are still as they were read, for where `lockInOrder` could not lock them. Where it does, the condition
 * would only mislead the planner: it makes the table look like the smaller side of the join, which is then quadratic.
 */
export const whereNotLocked = (condition: Fragment): Fragment => (manyNodes ? condition : fragment``);

/**
 * Locks rows until the transaction ends, before a statement with `lockInOrder` or `keepInOrder` reads them; does nothing where that statement
 * locks them itself.
 * @param lock locks the rows of one host
 */
export async function lockByHost<Row extends { host: string }>(
  tx: Sql,
  all: readonly Row[],
  lock: (host: string, ofHost: readonly Row[]) => Statement,
): Promise<void> {
  if (!manyNodes) return;
  const byHost = [...Map.groupBy(all, ({ host }) => host)].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [host, ofHost] of byHost) await tx.query(lock(host, ofHost));
}

/**
 * On many nodes a statement sees each node at a moment of its own: what must see of every transaction all or nothing takes
 * `alone` the lock that each of them takes with others. Kept until the transaction ends; nothing on one node, where a
 * statement sees one moment.
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
