/**
 * The leases of a task on fetch queues, valid for all servers: leased before the first request, renewed while something waits for
 * them, given back with what is left of their delay when they have been idle or the task ends. A queue that another task waits
 * for goes to it between two requests, and comes back the same way: a crawl with a million pages of a host does not keep the
 * host from other crawls.
 */
import type { Sql } from '../db/sql.js';
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
} from './queue-lease.sql.js';

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
  /** For so long a queue is kept for which nothing waits, ms; default: until the leases are renewed next. */
  idleMs?: number;
  /** For so long at least a queue is kept that another task waits for, ms. */
  minLeaseMs?: number;
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
  /** Pages and other requests that wait for this queue, or are under way. */
  uses: number;
  /** Since when there are none, ms by the monotonic clock. */
  idleSince: number;
  /** End of its last request, ms by the monotonic clock; -Infinity before it. */
  lastEnd: number;
  /** No request before this, ms by the monotonic clock: its servers are in trouble, or have just been asked by others. */
  deferredUntil: number;
  /** Its servers have asked to be left alone until then (back-off, Retry-After), or others have, by the same clock. */
  blockedUntil: number;
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
/** A queue that another task has is requested again after this (queue-lease.sql.ts), and not with each try to lease it. */
const REQUEST_MS = 2_000;

export class QueueLeases {
  private readonly queues = new Map<string, Queue>();
  /** Those that other tasks get as soon as no request is under way. */
  private readonly leaving = new Set<string>();
  private renewedAt = performance.now();
  /** Leases are renewed and given back until this is over. None is taken before: it might be one of them. */
  private changing: Promise<unknown> = Promise.resolve();
  private readonly db: Sql;
  private readonly owner: string;
  private readonly delayMs: number;
  private readonly idleMs: number;
  private readonly minLeaseMs: number;
  private readonly tendMs: number;

  constructor(private readonly parts: LeaseParts) {
    ({ db: this.db, owner: this.owner, delayMs: this.delayMs, idleMs: this.idleMs = 0 } = parts);
    this.minLeaseMs = parts.minLeaseMs ?? QUEUE_MIN_LEASE_SECONDS * 1000;
    this.tendMs = Math.min(RENEW_MS, this.idleMs > 0 ? this.idleMs / 2 : Infinity);
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
    await this.changing;
    const until = performance.now() + VALID_MS;
    const delays = new Map(queueIds.map((id) => [id, this.queues.get(id)?.delayMs ?? this.delayMs]));
    const asked = [...delays].map(([queueId, delayMs]) => ({ queueId, delayMs }));
    const got = await leaseQueues(this.db, this.owner, asked, this.parts.maxBlockMs);
    const now = performance.now();
    for (const { queueId, waitMs, blockedMs } of got) {
      const queue = this.queueOf(queueId);
      if (!queue.ours) queue.since = now;
      queue.ours = true;
      queue.refused = 0;
      queue.until = until;
      queue.writtenMs = delays.get(queueId)!;
      // Given back before that, it still has the rest of what others have asked, or a block.
      queue.deferredUntil = Math.max(queue.deferredUntil, now + waitMs);
      if (blockedMs > 0) queue.blockedUntil = Math.max(queue.blockedUntil, now + blockedMs);
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
    const queue = this.queues.get(queueId);
    return queue ? Math.max(0, queue.lastEnd + queue.delayMs - now, queue.deferredUntil - now) : 0;
  }

  /** Until when the servers of a queue are left alone, ms by the monotonic clock; -Infinity: they are not. */
  blockedUntil(queueId: string): number {
    return this.queues.get(queueId)?.blockedUntil ?? -Infinity;
  }

  /** Whether something is remembered of the queue: it is ours, or was of late, or something waits for it. */
  knows(queueId: string): boolean {
    return this.queues.has(queueId);
  }

  /** No request to a queue before an instant (monotonic, ms). */
  defer(queueId: string, until: number): void {
    const queue = this.queueOf(queueId);
    queue.deferredUntil = Math.max(queue.deferredUntil, until);
  }

  /** Leaves the servers of a queue alone until an instant (monotonic, ms): this task, and all who have it after us. */
  async block(queueId: string, until: number, now: number): Promise<void> {
    const queue = this.queueOf(queueId);
    this.defer(queueId, until);
    queue.blockedUntil = Math.max(queue.blockedUntil, until);
    if (queue.ours && until > now) await blockQueue(this.db, this.owner, queueId, until - now);
  }

  /** The queue need not be put off any longer. */
  lift(queueId: string): void {
    const queue = this.queueOf(queueId);
    queue.deferredUntil = queue.blockedUntil = -Infinity;
  }

  /** A page or another request waits for a queue from now on. It counts whoever has the lease: that may come back meanwhile. */
  enqueued(queueId: string): void {
    this.queueOf(queueId).uses++;
  }

  /** The end of what was enqueued. @param asked whether a server was asked, so that the delay begins */
  ended(queueId: string, now: number, asked: boolean): void {
    const queue = this.queueOf(queueId);
    queue.uses--;
    queue.idleSince = now;
    if (asked) queue.lastEnd = now;
  }

  delayOf(queueId: string): number {
    return this.queues.get(queueId)?.delayMs ?? this.delayMs;
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

  /** Renews what is in use and gives back what is not, from time to time. @returns queues that were lost to others */
  async tend(now: number): Promise<string[]> {
    if (now - this.renewedAt < this.tendMs) return [];
    this.renewedAt = now;
    const idleSince = now - this.idleMs;
    await this.release(
      [...this.queues].filter(([, queue]) => queue.idleSince <= idleSince).map(([id]) => id),
      now,
    );
    const mine = [...this.queues].filter(([, queue]) => queue.ours).map(([id]) => id);
    if (mine.length === 0) return [];
    const renewed = await this.change(renewQueues(this.db, this.owner, mine));
    const kept = new Map(renewed.map(({ queueId, isWanted }) => [queueId, isWanted]));
    for (const [id, isWanted] of kept) {
      const queue = this.queueOf(id);
      queue.until = now + VALID_MS;
      // Where a request has kept it from leaving since the last time, others of ours go on until the next.
      if (isWanted && this.mayLeave(queue, now) && !this.leaving.has(id)) this.leaving.add(id);
      else this.leaving.delete(id);
    }
    const lost = mine.filter((id) => !kept.has(id));
    for (const id of lost) this.notOurs(id);
    return lost;
  }

  /** Gives back and forgets those of some queues that nothing waits for. */
  async release(queueIds: readonly string[], now: number): Promise<void> {
    const unused = queueIds.filter((id) => (this.queues.get(id)?.uses ?? 1) <= 0);
    // What only we know of a queue that is not ours holds until it is over.
    const known = unused.filter((id) => this.queueOf(id).ours || this.rest(id, now) === 0);
    const given = this.giveBack(unused, now);
    for (const id of known) this.queues.delete(id);
    await given;
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
    await this.changing;
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
        blockedUntil: -Infinity,
      };
      const idleSince = performance.now();
      queue = { ours: false, uses: 0, refused: 0, ...never, idleSince, delayMs, writtenMs: delayMs };
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
    await this.change(releaseQueues(this.parts.once, this.owner, given)).catch(() => undefined);
  }

  private change<T>(changing: Promise<T>): Promise<T> {
    this.changing = Promise.allSettled([this.changing, changing]);
    return changing;
  }

  /** Whether a queue was here for a while and its servers were asked. Where they are not, for a whole lease, it is kept for nothing. */
  private mayLeave({ since, lastEnd, delayMs }: Queue, now: number): boolean {
    const leasedMs = now - since;
    return leasedMs >= this.minLeaseMs && (lastEnd >= since || leasedMs >= LEASE_MS + delayMs);
  }
}
