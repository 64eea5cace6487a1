/**
 * The fetch queues that a task holds, cluster-wide: leased when their first page is read, renewed while they are in use,
 * given back with what is left of their rest when they have been idle or the task ends. A queue that another task waits for
 * goes to it by turns, between two requests, so that a crawl with a million pages of a host does not keep it from the others.
 */
import type { Sql } from '../../db/sql.js';
import {
  QUEUE_VALID_SECONDS,
  QUEUE_LEASE_SECONDS,
  QUEUE_MIN_LEASE_SECONDS,
  type QueueLease,
  blockQueue,
  leaseQueues,
  noteDelay,
  releaseQueues,
  renewQueues,
  wantQueues,
} from './politeness.sql.js';

export interface LeaseParts {
  /** Statements that fail with the database are tried again. */
  db: Sql;
  /** They are not: a lease that cannot be given back now runs out, and released late it may belong to another task. */
  once: Sql;
  owner: string;
  /** Rest after a request, ms. */
  delayMs: number;
  /** Longest time for which servers are left alone (`fetcher.backoff.max`), ms; default: what the property may be at most. */
  maxBlockMs?: number;
}

interface Queue {
  /** Whether the lease is with this task, as far as it knows. */
  ours: boolean;
  /** Since when, ms by the monotonic clock. */
  since: number;
  /** Until then requests may begin: nobody else can have it, ms by the monotonic clock. */
  until: number;
  /** How often in a row another task had it. */
  refused: number;
  /** When this task last requested it from its holder, by the same clock. */
  requestedAt: number;
  /** Pages read for this queue and not yet done. */
  pages: number;
  /** End of its last request, ms by the monotonic clock; -Infinity before it. */
  lastEnd: number;
  /** No request before this, ms by the monotonic clock: its servers are in trouble, or have just been asked by others. */
  deferredUntil: number;
  delayMs: number;
  /** The delay that stands in the table, or a longer one does. */
  writtenMs: number;
}

/** A queue that another task holds is asked for again after this, twice that the next time, then four times. */
const AGAIN_MS = 1_000;
const MAX_DOUBLINGS = 2;
const LEASE_MS = QUEUE_LEASE_SECONDS * 1000;
const VALID_MS = QUEUE_VALID_SECONDS * 1000;
const RENEW_MS = LEASE_MS / 4;
const MIN_LEASE_MS = QUEUE_MIN_LEASE_SECONDS * 1000;
/** A queue that another task has is requested again after this (politeness.sql.ts), and not with each try to lease it. */
const REQUEST_MS = 2_000;

export class QueueLeases {
  private readonly queues = new Map<string, Queue>();
  /** Those that other tasks get as soon as no request is under way. */
  private readonly leaving = new Set<string>();
  private renewedAt = performance.now();
  /** Leases are given back until this is over. None is taken before: it might be one of them. */
  private releasing: Promise<void> = Promise.resolve();
  private readonly db: Sql;
  private readonly owner: string;
  private readonly delayMs: number;

  constructor(private readonly parts: LeaseParts) {
    ({ db: this.db, owner: this.owner, delayMs: this.delayMs } = parts);
  }

  hasLease(queueId: string, now = performance.now()): boolean {
    const queue = this.queues.get(queueId);
    return queue !== undefined && queue.ours && !this.leaving.has(queueId) && now < queue.until;
  }

  /**
   * Leases queues; returns those that are ours now, each with the milliseconds that it must still rest. Those that others hold
   * are released to us after their minimum time, if we request them again and again.
   */
  async lease(wanted: string[]): Promise<Map<string, QueueLease>> {
    const queueIds = wanted.filter((id) => !this.leaving.has(id));
    if (queueIds.length === 0) return new Map();
    await this.releasing;
    const until = performance.now() + VALID_MS;
    const delays = new Map(queueIds.map((id) => [id, this.queues.get(id)?.delayMs ?? this.delayMs]));
    const asked = [...delays].map(([queueId, delayMs]) => ({ queueId, delayMs }));
    const got = await leaseQueues(this.db, this.owner, asked, this.parts.maxBlockMs);
    const now = performance.now();
    for (const { queueId, waitMs } of got) {
      const queue = this.queueOf(queueId);
      if (!queue.ours) queue.since = now;
      queue.ours = true;
      queue.refused = 0;
      queue.until = until;
      queue.writtenMs = delays.get(queueId)!;
      // Given back before that, it still has the rest of what others have asked, or a block.
      queue.deferredUntil = Math.max(queue.deferredUntil, now + waitMs);
    }
    const leased = new Map(got.map((lease) => [lease.queueId, lease]));
    for (const id of queueIds) if (!leased.has(id)) this.queueOf(id).refused++;
    return leased;
  }

  /** Whether another task had a queue when it was last asked for. */
  isRefused(queueId: string): boolean {
    return (this.queues.get(queueId)?.refused ?? 0) > 0;
  }

  /** When a queue that is with another task is to be asked for again, in ms. */
  againMs(queueId: string): number {
    const { refused = 0 } = this.queues.get(queueId) ?? {};
    return AGAIN_MS * 2 ** Math.min(Math.max(0, refused - 1), MAX_DOUBLINGS);
  }

  /**
   * Says that this task waits for queues that others have. Apart from `lease`: what that gave must be put off for its rest
   * before anything else is waited for.
   */
  async requestQueues(queueIds: readonly string[], now: number): Promise<void> {
    const unrequested = queueIds
      .map((id) => [id, this.queueOf(id)] as const)
      .filter(([, q]) => now - q.requestedAt >= REQUEST_MS);
    if (unrequested.length === 0) return;
    for (const [, queue] of unrequested) queue.requestedAt = now;
    await wantQueues(
      this.db,
      this.owner,
      unrequested.map(([id]) => id),
    );
  }

  /** Milliseconds that a queue of ours must still rest after its last request. */
  rest(queueId: string, now: number): number {
    const { lastEnd, deferredUntil, delayMs } = this.queueOf(queueId);
    return Math.max(0, lastEnd + delayMs - now, deferredUntil - now);
  }

  /** Whether this task has pages of the queue. */
  knows(queueId: string): boolean {
    return this.queues.has(queueId);
  }

  /** Puts a queue off until an instant (monotonic, ms), here and for all who have it after us. */
  async block(queueId: string, until: number, now: number): Promise<void> {
    const queue = this.queueOf(queueId);
    queue.deferredUntil = Math.max(queue.deferredUntil, until);
    if (queue.ours && until > now) await blockQueue(this.db, this.owner, queueId, until - now);
  }

  /** The queue need not be put off any longer. */
  lift(queueId: string): void {
    this.queueOf(queueId).deferredUntil = -Infinity;
  }

  /** Pages are counted whoever holds the lease: it may come back while they wait. */
  pageRead(queueId: string): void {
    this.queueOf(queueId).pages++;
  }

  pageDone(queueId: string, now: number, troubled: boolean): void {
    const queue = this.queueOf(queueId);
    queue.pages--;
    if (troubled) queue.lastEnd = now;
  }

  setDelay(queueId: string, delayMs: number): void {
    this.queueOf(queueId).delayMs = delayMs;
  }

  /** Before a request: when this task dies, who comes next keeps the delay of the queue, too. */
  async writeDelay(queueId: string): Promise<void> {
    const queue = this.queueOf(queueId);
    const { delayMs } = queue;
    if (delayMs === queue.writtenMs) return;
    await noteDelay(this.db, this.owner, { queueId, delayMs });
    queue.writtenMs = delayMs;
  }

  /** Renews what is in use and gives back what is not, from time to time. Answers queues that were lost to others. */
  async tend(now: number): Promise<string[]> {
    if (now - this.renewedAt < RENEW_MS) return [];
    this.renewedAt = now;
    const unused = [...this.queues].filter(([, queue]) => queue.pages <= 0).map(([id]) => id);
    const given = this.giveBack(unused, now);
    for (const id of unused) this.queues.delete(id);
    await given;
    const mine = [...this.queues].filter(([, queue]) => queue.ours).map(([id]) => id);
    if (mine.length === 0) return [];
    const kept = new Map(
      (await renewQueues(this.db, this.owner, mine)).map(({ queueId, isWanted }) => [queueId, isWanted]),
    );
    for (const [id, isWanted] of kept) {
      const queue = this.queueOf(id);
      queue.until = now + VALID_MS;
      // Where a request has kept it from leaving since the last time, others of ours go on until the next.
      if (isWanted && mayRelease(queue, now) && !this.leaving.has(id)) this.leaving.add(id);
      else this.leaving.delete(id);
    }
    const lost = mine.filter((id) => !kept.has(id));
    for (const id of lost) this.notOurs(id);
    return lost;
  }

  /** Gives those queues over that other tasks wait for, once no request is under way. */
  async giveWay(now: number, isAsked: (queueId: string) => boolean): Promise<void> {
    if (this.leaving.size === 0) return;
    await this.giveBack(
      [...this.leaving].filter((id) => !isAsked(id)),
      now,
    );
  }

  async releaseAll(now: number): Promise<void> {
    const given = this.giveBack([...this.queues.keys()], now);
    this.queues.clear();
    await given;
  }

  private queueOf(queueId: string): Queue {
    let queue = this.queues.get(queueId);
    if (!queue) {
      const { delayMs } = this;
      const never = {
        since: -Infinity,
        until: -Infinity,
        requestedAt: -Infinity,
        lastEnd: -Infinity,
        deferredUntil: -Infinity,
      };
      queue = { ours: false, pages: 0, refused: 0, ...never, delayMs, writtenMs: delayMs };
      this.queues.set(queueId, queue);
    }
    return queue;
  }

  private notOurs(queueId: string): void {
    this.queueOf(queueId).ours = false;
    this.leaving.delete(queueId);
  }

  private async giveBack(queueIds: string[], now: number): Promise<void> {
    const given: { queueId: string; restMs: number }[] = [];
    for (const queueId of queueIds) {
      if (!this.queues.get(queueId)?.ours) continue;
      given.push({ queueId, restMs: this.rest(queueId, now) });
      this.notOurs(queueId);
    }
    if (given.length === 0) return;
    this.releasing = releaseQueues(this.parts.once, this.owner, given).catch(() => undefined);
    await this.releasing;
  }
}

/** Whether a queue was here for a while and its servers were asked. Where they are not, for a whole lease, it is kept for nothing. */
function mayRelease({ since, lastEnd, delayMs }: Queue, now: number): boolean {
  const leasedMs = now - since;
  return leasedMs >= MIN_LEASE_MS && (lastEnd >= since || leasedMs >= LEASE_MS + delayMs);
}
