/** Tasks whose worker has died, and the pages that ended it: how often either is borne. */
import { unreverseUrl } from '../core/url/row-key.js';
import { type Sql, sql } from '../db/sql.js';
import { logEvent } from './job-events.js';
import type { TaskMessage } from './job-queue.js';

/** Attempts in a row that may be lost without a write. */
export const MAX_LOST = 3;
/** Attempts in a row that may end with their server without a write: a task might be what ends the server. */
export const MAX_KILLED = 30;

/** Pages of a task that may be given up, each for the lives of its workers: whoever meets more of them has another trouble. */
export const MAX_GIVEN_UP = 10;

/** Workers that are known to have died. */
export interface DeadOwners {
  /** Whether leases that ran out count (default): not while the others had no chance to renew them. */
  readonly expired?: boolean;
  readonly owners?: readonly string[];
  /** Those of them whose server is dead, too. */
  readonly withServer?: readonly string[];
  /** What they had in hand, those that left word. It counts for a page when its server lives. */
  readonly pages?: readonly DeadlyPage[];
}

export interface DeadlyPage {
  readonly owner: string;
  readonly task: string;
  readonly token: number;
  /** Row key. */
  readonly key: string;
}

/** Why a page is given up. */
export const GIVEN_UP = `given up: it has ended ${MAX_LOST} workers`;

export interface Lost extends TaskMessage {
  lost: number;
  killed: number;
  part: number;
  owner: string;
  /** Row key of the page that has now ended as many workers as one may. */
  deadly: string | null;
  /** How many of its pages are given up. */
  givenUp: number;
}

/**
 * A lease that lasts longer than any may was written by a clock that was ahead: it becomes a usual one. Not one that is over: its
 * holder may be at work, and renews it with its next beat.
 */
export async function shortenLeases(tx: Sql, seconds: number): Promise<void> {
  await tx.query(sql`
    update job_task set lease_until = now() + make_interval(secs => ${seconds})
     where id in (select id from job_task
                   where state = 'RUNNING' and lease_until > now() + make_interval(secs => ${seconds * 2})
                   order by id for update skip locked)`);
}

/** Into the log of the job: who has lost the task, and which page is given up for it. */
export async function recordLoss(tx: Sql, { job, part, owner, deadly }: Lost): Promise<void> {
  await logEvent(tx, job, 'task', { part, state: 'WAITING', msg: `lost by ${owner}` });
  if (deadly === null) return;
  await logEvent(tx, job, 'warning', { part, message: GIVEN_UP, url: unreverseUrl(deadly) });
}

/** Why a task of which workers were lost is given up, and its job with it; null: it is tried again. */
export function whyGivenUp({ lost, killed, givenUp }: Pick<Lost, 'lost' | 'killed' | 'givenUp'>): string | null {
  if (lost >= MAX_LOST || killed >= MAX_KILLED)
    return `was lost ${Math.max(lost, killed)} times in a row without any progress`;
  return givenUp > MAX_GIVEN_UP ? `has ${givenUp} pages that have ended ${MAX_LOST} workers each` : null;
}
