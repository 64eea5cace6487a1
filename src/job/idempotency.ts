/**
 * Requests that may be repeated: what a request creates is created once.
 *
 * A request with an `Idempotency-Key` runs inside `asRequest`, and the row that it creates has the request's key in a unique
 * column, written in the same transaction. So when the process dies after that transaction, and before the answer was
 * stored (idempotency.store.ts), the repeated request finds what the first one created.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Sql } from '../db/sql.js';
import { type KeyedTable, forgetKey, lockKey, madeWithKey, recordKey } from './idempotency.sql.js';

/** Hours for which a key is valid. */
export const KEY_HOURS = 24;

export interface KeyedRequest {
  /** Hash of the caller, the address, and the key as it was given. */
  key: string;
  /** Hash of the request itself. */
  hash: string;
}

/** The same key was sent with another request. */
export class KeyReused extends Error {}

const current = new AsyncLocalStorage<KeyedRequest>();

/** Runs `work` on behalf of a request with a key. */
export const asRequest = <T>(request: KeyedRequest, work: () => Promise<T>): Promise<T> => current.run(request, work);

/**
 * The id of what this request created before, or undefined; undefined too when no request with a key is running. Of equal
 * requests only one at a time continues from here until its transaction ends. Throws KeyReused.
 */
export async function earlierResult(tx: Sql, table: KeyedTable): Promise<string | undefined> {
  const request = current.getStore();
  if (request === undefined) return undefined;
  const { key, hash } = request;
  await lockKey(tx, key);
  await forgetKey(tx, table, { key, olderThan: KEY_HOURS });
  const earlier = await madeWithKey(tx, table, key);
  if (earlier && earlier.hash !== hash) throw new KeyReused();
  return earlier?.id;
}

/** Records, in the row itself, that this request created it. */
export async function recordResult(tx: Sql, table: KeyedTable, id: string): Promise<void> {
  const request = current.getStore();
  if (request === undefined) return;
  await recordKey(tx, table, id, request);
}
