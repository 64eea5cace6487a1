/**
 * The leases of a task on fetch queues, valid for all servers: leased before the first request, renewed while requests wait for
 * them, released with their remaining delay when they are idle or the task ends. A queue for which another task waits is
 * released between two requests, and is returned the same way: a crawl with a million pages of a host does not keep the host
 * from other crawls.
 */
import type { Sql } from '../db/sql.js';
import {
  QUEUE_VALID_S,
  QUEUE_LEASE_S,
  MIN_QUEUE_LEASE_S,
  type QueueLease,
  blockQueue,
  leaseQueues,
  recordDelay,
  queueBlocks,
  releaseQueues,
  renewQueues,
  wantQueues,
} from './queue-lease.sql.js';

export interface QueueLeasesOptions {
  /** Retries statements after failures of the database. */
  db: Sql;
  /** Does not retry: a lease that cannot be released now expires, and after a retry another task may own it. */
  once: Sql;
  owner: string;
  /** Delay after a request, ms. */
  delayMs: number;
  /** Longest block (`fetcher.backoff.max`), ms; default: the maximum of the property. */
  maxBlockMs?: number;
  /** How long an idle queue is kept, ms; default: until the next renewal of leases. */
  idleMs?: number;
  /** Minimum time that a queue is kept while another task waits for it, ms. */
  minLeaseMs?: number;
}

interface LeasedQueue {
  /** Whether this task has the lease, as far as it knows. */
  leased: boolean;
  /** Since when, ms by the monotonic clock. */
  since: number;
  /** Until then requests may begin, as no other task can have the lease, ms by the monotonic clock. */
  until: number;
  /** Number of attempts in a row that failed because another task had it. */
  refused: number;
  /** When this task last told its holder that it wants it, by the same clock. */
  wantedAt: number;
  /** Pages and other requests that wait for this queue, or are running. */
  uses: number;
  /** Since when there are none, ms by the monotonic clock. */
  idleSince: number;
  /** End of its last request, ms by the monotonic clock; -Infinity before it. */
  lastEnd: number;
  /** No request before this, ms by the monotonic clock: the queue is blocked, or another task has just used it. */
  deferredUntil: number;
  /** End of its block (back-off, Retry-After), set by this or another task, by the same clock. */
  blockedUntil: number;
  delayMs: number;
  /** The delay in the table, which may be longer. */
  writtenMs: number;
}

/** Pause before another attempt to lease a queue of another task; doubled for the second, and again for the third. */
const AGAIN_MS = 1_000;
const MAX_DOUBLINGS = 2;
const LEASE_MS = QUEUE_LEASE_S * 1000;
const VALID_MS = QUEUE_VALID_S * 1000;
const RENEW_MS = LEASE_MS / 4;
/** Pause between two calls of `wantQueues` for a queue, longer than that between attempts to lease it. */
const WANT_MS = 2_000;

export class QueueLeases {
  private readonly queues = new Map<string, LeasedQueue>();
  /** Queues to be released for other tasks as soon as no request is running. */
  private readonly releasing = new Set<string>();
  private renewedAt = performance.now();
  /** Pending renewals and releases. A new lease waits for them, as they may concern the same queue. */
  private changing: Promise<unknown> = Promise.resolve();
  private readonly db: Sql;
  private readonly owner: string;
  private readonly delayMs: number;
  private readonly idleMs: number;
  private readonly minLeaseMs: number;
  private readonly maintainMs: number;

  constructor(private readonly options: QueueLeasesOptions) {
    ({ db: this.db, owner: this.owner, delayMs: this.delayMs, idleMs: this.idleMs = 0 } = options);
    this.minLeaseMs = options.minLeaseMs ?? MIN_QUEUE_LEASE_S * 1000;
    this.maintainMs = Math.min(RENEW_MS, this.idleMs > 0 ? this.idleMs / 2 : Infinity);
  }

  hasLease(queueId: string, now = performance.now()): boolean {
    const queue = this.queues.get(queueId);
    return queue !== undefined && queue.leased && !this.releasing.has(queueId) && now < queue.until;
  }

  /**
   * Leases queues; returns those that were leased, each with its remaining delay. Other tasks release their queues to us after
   * the minimum time, if we keep wanting them (`wantQueues`).
   */
  async lease(wantedIds: string[]): Promise<Map<string, QueueLease>> {
    const queueIds = wantedIds.filter((id) => !this.releasing.has(id));
    if (queueIds.length === 0) return new Map();
    // In use: a release that begins meanwhile would end the new lease.
    for (const id of queueIds) this.queueOf(id).uses++;
    try {
      return await this.leaseNow(queueIds);
    } finally {
      for (const id of queueIds) this.queueOf(id).uses--;
    }
  }

  private async leaseNow(queueIds: readonly string[]): Promise<Map<string, QueueLease>> {
    await this.changing;
    const until = performance.now() + VALID_MS;
    const delays = new Map(queueIds.map((id) => [id, this.queues.get(id)?.delayMs ?? this.delayMs]));
    const queues = [...delays].map(([queueId, delayMs]) => ({ queueId, delayMs }));
    const got = await leaseQueues(this.db, this.owner, queues, this.options.maxBlockMs);
    const now = performance.now();
    for (const { queueId, waitMs, blockedMs } of got) {
      const queue = this.queueOf(queueId);
      if (!queue.leased) queue.since = now;
      queue.leased = true;
      queue.refused = 0;
      queue.until = until;
      queue.writtenMs = delays.get(queueId)!;
      // Kept in memory, so that an early release still writes the remaining delay of other tasks' requests, or a block.
      queue.deferredUntil = Math.max(queue.deferredUntil, now + waitMs);
      if (blockedMs > 0) queue.blockedUntil = Math.max(queue.blockedUntil, now + blockedMs);
    }
    const leased = new Map(got.map((lease) => [lease.queueId, lease]));
    for (const id of queueIds) if (!leased.has(id)) this.queueOf(id).refused++;
    return leased;
  }

  /** Whether the last attempt to lease a queue failed because another task had it. */
  isRefused(queueId: string): boolean {
    return (this.queues.get(queueId)?.refused ?? 0) > 0;
  }

  /** Pause before the next attempt to lease a queue of another task, ms. */
  againMs(queueId: string): number {
    const { refused = 0 } = this.queues.get(queueId) ?? {};
    return AGAIN_MS * 2 ** Math.min(Math.max(0, refused - 1), MAX_DOUBLINGS);
  }

  /**
   * Tells other tasks that this one wants queues that they have. Separate from `lease`: the caller must defer the queues that it
   * got before it awaits anything else.
   */
  async wantQueues(queueIds: readonly string[], now: number): Promise<void> {
    const due = queueIds.map((id) => [id, this.queueOf(id)] as const).filter(([, q]) => now - q.wantedAt >= WANT_MS);
    if (due.length === 0) return;
    for (const [, queue] of due) queue.wantedAt = now;
    await wantQueues(
      this.db,
      this.owner,
      due.map(([id]) => id),
    );
  }

  /** Remaining delay of a queue, ms. */
  remainingDelay(queueId: string, now: number): number {
    const queue = this.queues.get(queueId);
    return queue ? Math.max(0, queue.lastEnd + queue.delayMs - now, queue.deferredUntil - now) : 0;
  }

  /** End of the block of a queue, ms by the monotonic clock; -Infinity: not blocked. */
  blockedUntil(queueId: string): number {
    return this.queues.get(queueId)?.blockedUntil ?? -Infinity;
  }

  /** The ends of the blocks of queues that are not in memory, from the table, ms by the monotonic clock. */
  async storedBlocks(queueIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const unknown = [...new Set(queueIds)].filter((id) => !this.knows(id));
    if (unknown.length === 0) return new Map();
    const blocks = await queueBlocks(this.db, unknown, this.options.maxBlockMs);
    const now = performance.now();
    return new Map([...blocks].map(([id, ms]) => [id, now + ms]));
  }

  /** Whether the queue is in memory: it is leased, was recently, or requests wait for it. */
  knows(queueId: string): boolean {
    return this.queues.has(queueId);
  }

  /** No request to a queue before a time (monotonic, ms). */
  defer(queueId: string, until: number): void {
    const queue = this.queueOf(queueId);
    queue.deferredUntil = Math.max(queue.deferredUntil, until);
  }

  /** Blocks a queue until a time (monotonic, ms), for this task and later holders. */
  async block(queueId: string, until: number, now: number): Promise<void> {
    const queue = this.queueOf(queueId);
    this.defer(queueId, until);
    queue.blockedUntil = Math.max(queue.blockedUntil, until);
    if (queue.leased && until > now) await blockQueue(this.db, this.owner, queueId, until - now);
  }

  /** Removes the block of a queue. At most one delay remains, as another task may have sent a request just before the lease. */
  lift(queueId: string, now: number): void {
    const queue = this.queueOf(queueId);
    queue.blockedUntil = -Infinity;
    queue.deferredUntil = Math.min(queue.deferredUntil, now + queue.delayMs);
  }

  /** Counts a page or another request that waits for a queue, also while another task has the lease. */
  enqueued(queueId: string): void {
    this.queueOf(queueId).uses++;
  }

  /** Ends what `enqueued` counted. `release`: no server was reached, so no delay follows. */
  ended(queueId: string, now: number, { release = false }: { release?: boolean } = {}): void {
    const queue = this.queueOf(queueId);
    queue.uses--;
    queue.idleSince = now;
    if (!release) queue.lastEnd = now;
  }

  delayOf(queueId: string): number {
    return this.queues.get(queueId)?.delayMs ?? this.delayMs;
  }

  setDelay(queueId: string, delayMs: number): void {
    this.queueOf(queueId).delayMs = delayMs;
  }

  /** Called before a request: if this task dies, the next holder keeps the delay of the queue, too. */
  async writeDelay(queueId: string): Promise<void> {
    const queue = this.queueOf(queueId);
    const { delayMs } = queue;
    if (delayMs === queue.writtenMs) return;
    await recordDelay(this.db, this.owner, { queueId, delayMs });
    queue.writtenMs = delayMs;
  }

  /** Renews leases in use and releases others, at intervals. @returns queues that were lost to others */
  async maintain(now: number): Promise<string[]> {
    if (now - this.renewedAt < this.maintainMs) return [];
    this.renewedAt = now;
    const idleSince = now - this.idleMs;
    await this.release(
      [...this.queues].filter(([, queue]) => queue.idleSince <= idleSince).map(([id]) => id),
      now,
    );
    const mine = [...this.queues].filter(([, queue]) => queue.leased).map(([id]) => id);
    if (mine.length === 0) return [];
    const renewed = await this.change(renewQueues(this.db, this.owner, mine));
    const kept = new Map(renewed.map(({ queueId, isWanted }) => [queueId, isWanted]));
    for (const [id, isWanted] of kept) {
      const queue = this.queueOf(id);
      queue.until = now + VALID_MS;
      // If a request has delayed the release since the last renewal, our other requests may use the queue until the next.
      if (isWanted && this.mayRelease(queue, now) && !this.releasing.has(id)) this.releasing.add(id);
      else this.releasing.delete(id);
    }
    const lost = mine.filter((id) => !kept.has(id));
    for (const id of lost) this.noteReleased(id);
    return lost;
  }

  /** Releases and forgets the unused ones of the given queues. */
  async release(queueIds: readonly string[], now: number): Promise<void> {
    const unused = queueIds.filter((id) => (this.queues.get(id)?.uses ?? 1) <= 0);
    // The remaining delay of a queue that is not leased is kept in memory only: it is not forgotten before it is over.
    const known = unused.filter((id) => this.queueOf(id).leased || this.remainingDelay(id, now) === 0);
    const released = this.releaseLeased(unused, now);
    for (const id of known) this.queues.delete(id);
    await released;
  }

  /** Releases the queues for which other tasks wait, once no request of theirs is running. */
  async releaseWanted(now: number, hasRequest: (queueId: string) => boolean): Promise<void> {
    if (this.releasing.size === 0) return;
    await this.releaseLeased(
      [...this.releasing].filter((id) => !hasRequest(id)),
      now,
    );
  }

  async releaseAll(now: number): Promise<void> {
    const released = this.releaseLeased([...this.queues.keys()], now);
    this.queues.clear();
    await released;
    await this.changing;
  }

  private queueOf(queueId: string): LeasedQueue {
    let queue = this.queues.get(queueId);
    if (!queue) {
      const { delayMs } = this;
      const never = {
        since: -Infinity,
        until: -Infinity,
        wantedAt: -Infinity,
        lastEnd: -Infinity,
        deferredUntil: -Infinity,
        blockedUntil: -Infinity,
      };
      const idleSince = performance.now();
      queue = { leased: false, uses: 0, refused: 0, ...never, idleSince, delayMs, writtenMs: delayMs };
      this.queues.set(queueId, queue);
    }
    return queue;
  }

  private noteReleased(queueId: string): void {
    this.queueOf(queueId).leased = false;
    this.releasing.delete(queueId);
  }

  private async releaseLeased(queueIds: string[], now: number): Promise<void> {
    const released: { queueId: string; remainingMs: number }[] = [];
    for (const queueId of queueIds) {
      if (!this.queues.get(queueId)?.leased) continue;
      released.push({ queueId, remainingMs: this.remainingDelay(queueId, now) });
      this.noteReleased(queueId);
    }
    if (released.length === 0) return;
    await this.change(releaseQueues(this.options.once, this.owner, released)).catch(() => undefined);
  }

  private change<T>(changing: Promise<T>): Promise<T> {
    this.changing = Promise.allSettled([this.changing, changing]);
    return changing;
  }

  /** Whether a queue was leased for the minimum time and used. If it is not used for a whole lease, keeping it has no use. */
  private mayRelease({ since, lastEnd, delayMs }: LeasedQueue, now: number): boolean {
    const leasedMs = now - since;
    return leasedMs >= this.minLeaseMs && (lastEnd >= since || leasedMs >= LEASE_MS + delayMs);
  }
}
