/** Requests with an `Idempotency-Key`: which are running, and the answers. The only writer of `request`. */
import type { Pool } from 'pg';
import { count, row, sql } from '../db/sql.js';
import { KEY_HOURS, type KeyedRequest } from './idempotency.js';

/**
 * Seconds after which a request whose process died may be run again: longer than any creating request takes, which may be a
 * minute of heavy work, and then some seconds until a worker claims the job.
 */
const RUN_S = 75;

export interface KeptAnswer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * What to do with a request: run it, repeat its answer, or refuse it (it is still running, or its key was used for another
 * one).
 */
export type RequestClaim =
  { kind: 'run'; token: number } | { kind: 'answered'; answer: KeptAnswer } | { kind: 'running' } | { kind: 'reused' };

export class IdempotencyStore {
  constructor(private readonly pool: Pool) {}

  /** Claims the request to run it, unless it was claimed before. */
  async begin({ key, hash }: KeyedRequest): Promise<RequestClaim> {
    for (;;) {
      const taken = await row<{ token: number }>(this.pool)`
        insert into request (key, hash, running_until)
        values (${key}, ${hash}, now() + make_interval(secs => ${RUN_S}))
        on conflict (key) do update
           set hash = excluded.hash, running_until = excluded.running_until, turn = request.turn + 1,
               status = null, headers = null, body = null, created_at = now()
         where request.created_at < now() - make_interval(hours => ${KEY_HOURS})
            -- Later than it can have been set: by a clock that was ahead.
            or ((request.running_until < now() or request.running_until > now() + make_interval(secs => ${RUN_S * 2}))
                and request.hash = excluded.hash)
        returning turn as token`;
      if (taken) return { kind: 'run', token: taken.token };
      const known = await row<KeptAnswer & { hash: string }>(
        this.pool,
      )`select hash, status, headers, body from request where key = ${key}`;
      // Abandoned between the two statements: it is free again.
      if (!known) continue;
      const { hash: knownHash, ...answer } = known;
      if (knownHash !== hash) return { kind: 'reused' };
      return answer.status === null ? { kind: 'running' } : { kind: 'answered', answer };
    }
  }

  /** Stores the answer of a request that this process ran. */
  async keep(key: string, token: number, { status, headers, body }: KeptAnswer): Promise<void> {
    await this.pool.query(sql`
      update request set status = ${status}, headers = ${headers}, body = ${body}, running_until = null
       where key = ${key} and turn = ${token} and status is null`);
  }

  /** Deletes a request whose answer is not to be repeated. */
  async giveUp(key: string, token: number): Promise<void> {
    await this.pool.query(sql`delete from request where key = ${key} and turn = ${token} and status is null`);
  }

  /** Deletes requests whose keys have expired; returns how many. */
  purge(): Promise<number> {
    return count(this.pool)`delete from request where created_at < now() - make_interval(hours => ${KEY_HOURS})`;
  }
}
