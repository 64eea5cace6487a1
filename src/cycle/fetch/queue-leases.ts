/**
 * The fetch queues that a task holds, cluster-wide: leased when their first page is read, renewed while they are in use,
 * given back with what is left of their rest when they have been idle or the task ends.
 */
import type { Sql } from '../../db/sql.js';
import { QUEUE_LEASE_SECONDS, leaseQueues, releaseQueues, renewQueues } from './politeness.sql.js';

interface Held {
  /** Pages read for this queue and not yet done. */
  pages: number;
  /** End of its last request, ms by the monotonic clock; -Infinity before it. */
  lastEnd: number;
  delayMs: number;
}

const RENEW_MS = (QUEUE_LEASE_SECONDS * 1000) / 4;

export class QueueLeases {
  private readonly held = new Map<string, Held>();
  private renewedAt = performance.now();

  constructor(
    private readonly db: Sql,
    private readonly owner: string,
    private readonly delayMs: number,
  ) {}

  holds(queueId: string): boolean {
    return this.held.has(queueId);
  }

  /** Leases queues; answers those that are ours now, each with the milliseconds that it must still rest. */
  async lease(queueIds: string[]): Promise<Map<string, number>> {
    if (queueIds.length === 0) return new Map();
    const got = await leaseQueues(this.db, this.owner, queueIds, this.delayMs / 1000);
    for (const { queueId } of got) this.held.set(queueId, { pages: 0, lastEnd: -Infinity, delayMs: this.delayMs });
    return new Map(got.map(({ queueId, waitMs }) => [queueId, waitMs]));
  }

  pageRead(queueId: string): void {
    const queue = this.held.get(queueId);
    if (queue) queue.pages++;
  }

  pageDone(queueId: string, now: number, troubled: boolean): void {
    const queue = this.held.get(queueId);
    if (!queue) return;
    queue.pages--;
    if (troubled) queue.lastEnd = now;
  }

  setDelay(queueId: string, delayMs: number): void {
    const queue = this.held.get(queueId);
    if (queue) queue.delayMs = delayMs;
  }

  /** Renews what is in use and gives back what is not, from time to time. Answers queues that were lost to others. */
  async tend(now: number): Promise<string[]> {
    if (now - this.renewedAt < RENEW_MS) return [];
    this.renewedAt = now;
    const idle = [...this.held].filter(([, queue]) => queue.pages <= 0).map(([id]) => id);
    await this.giveBack(idle, now);
    const mine = [...this.held.keys()];
    if (mine.length === 0) return [];
    const kept = new Set(await renewQueues(this.db, this.owner, mine));
    const lost = mine.filter((id) => !kept.has(id));
    for (const id of lost) this.held.delete(id);
    return lost;
  }

  /** Gives all queues back. */
  releaseAll(now: number): Promise<void> {
    return this.giveBack([...this.held.keys()], now);
  }

  private async giveBack(queueIds: string[], now: number): Promise<void> {
    if (queueIds.length === 0) return;
    const queues = queueIds.map((queueId) => {
      const { lastEnd, delayMs } = this.held.get(queueId)!;
      return { queueId, restMs: Math.max(0, lastEnd + delayMs - now) };
    });
    for (const id of queueIds) this.held.delete(id);
    await releaseQueues(this.db, this.owner, queues);
  }
}
