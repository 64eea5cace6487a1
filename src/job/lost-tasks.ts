/** Tasks whose worker has died, and the pages that crashed it: how many deaths are tolerated. */
import { STORED_LENGTHS } from '../core/page/stored-lengths.js';
import { unreverseUrl } from '../core/url/row-key.js';
import { type Sql, storableStart } from '../db/sql.js';
import { logEvent } from './job-event.store.js';
import type { TaskMessage } from './job-queue.js';

/** Attempts in a row that may be lost without a write. */
export const MAX_LOST = 3;
/** Attempts in a row that may end with their server without a write: the task might be what crashes the server. */
export const MAX_KILLED = 30;

/** Pages of a task that may be given up, each after crashing MAX_LOST workers: with more of them the cause is another one. */
export const MAX_GIVEN_UP = 10;

/** Workers that are known to have died. */
export interface DeadOwners {
  /** Whether expired leases count (default): not while the other workers could not renew them. */
  readonly expired?: boolean;
  readonly owners?: readonly string[];
  /** Those of them whose server is dead too. */
  readonly withServer?: readonly string[];
  /** The pages they were parsing, of those that left a crash marker. A death counts for the page if its server is alive. */
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
  /** Row key of the page that has now crashed as many workers as allowed. */
  deadly: string | null;
  /** How many of its pages are given up. */
  givenUp: number;
}

/** Writes to the log of the job which worker has lost the task, and which page is given up because of it. */
export async function recordLoss(tx: Sql, { job, part, owner, deadly }: Lost): Promise<void> {
  await logEvent(tx, job, 'task', { part, state: 'WAITING', lost: true, msg: `lost by ${owner}` });
  if (deadly === null) return;
  await logEvent(tx, job, 'warning', { part, message: GIVEN_UP, url: unreverseUrl(deadly) });
}

/** Why a task that has lost workers is given up, and its job with it; null: it is attempted again. */
export function whyGivenUp({
  lost,
  killed,
  givenUp,
  deadly,
}: Pick<Lost, 'lost' | 'killed' | 'givenUp' | 'deadly'>): string | null {
  if (lost >= MAX_LOST || killed >= MAX_KILLED)
    return `was lost ${Math.max(lost, killed)} times in a row without any progress`;
  if (givenUp <= MAX_GIVEN_UP) return null;
  const last =
    deadly === null ? '' : `, the last one ${storableStart(unreverseUrl(deadly), STORED_LENGTHS.urlInMessage)}`;
  return `has ${givenUp} pages that have ended ${MAX_LOST} workers each${last}`;
}
