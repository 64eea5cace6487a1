/** The keys of requests in the rows that the requests created. */
import { type Sql, fragment, row, sql } from '../db/sql.js';

const tables = { job: fragment`job`, webhook: fragment`webhook` };
export type KeyedTable = keyof typeof tables;

/** Until the transaction ends, no other request with this key continues. */
export async function lockKey(tx: Sql, key: string): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`);
}

/** Removes a key from a row that is older than this, in hours. */
export async function forgetKey(
  tx: Sql,
  table: KeyedTable,
  { key, olderThan }: { key: string; olderThan: number },
): Promise<void> {
  await tx.query(sql`
    update ${tables[table]} set idempotency_key = null
     where idempotency_key = ${key} and created_at < now() - make_interval(hours => ${olderThan})`);
}

/** The row that was created with a key, and the hash of the request. */
export const madeWithKey = (
  tx: Sql,
  table: KeyedTable,
  key: string,
): Promise<{ id: string; hash: string } | undefined> =>
  row<{ id: string; hash: string }>(tx)`
    select id, request_hash as hash from ${tables[table]} where idempotency_key = ${key}`;

/** Writes the key and the hash of a request into the row that it has created. */
export async function recordKey(
  tx: Sql,
  table: KeyedTable,
  id: string,
  { key, hash }: { key: string; hash: string },
): Promise<void> {
  await tx.query(sql`update ${tables[table]} set idempotency_key = ${key}, request_hash = ${hash} where id = ${id}`);
}
