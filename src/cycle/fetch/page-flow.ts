/**
 * Pages on their way into the queues of a task and out again.
 *
 * A page leaves its queue visited, put back into the queue, excluded (its host is drained or left alone: it stays in its
 * batch, not fetched), or given up because its host failed too often in this run. How its server answered decides how long
 * the host rests: what it asks for by 429, 503 or Retry-After, or what is longer than this task would wait, is written down
 * for later jobs (`host.blocked_until`, with the visit) and other crawls (`politeness.blocked_until`).
 */
import type { Conf } from '../../conf/properties.js';
import { PROTOCOL_STATUS } from '../../core/page/protocol-status.js';
import { isThrottled, isTrouble, retryAfter } from '../../core/politeness/back-off.js';
import type { Dropped, FetchEnd, FetchQueues } from '../../core/politeness/fetch-queues.js';
import type { DatabaseClock } from '../../db/database-clock.js';
import type { HttpAnswer } from '../../net/http-answer.js';
import type { Visited } from './fetch.sql.js';
import { noteOutcomes } from '../../politeness/host-settings.store.js';
import type { HostExclusion, HostPace } from '../../politeness/host-pace.js';
import type { Run } from '../step.js';
import { queueBlocks } from '../../politeness/queue-lease.sql.js';
import type { PageQueues } from '../../politeness/page-queues.js';
import type { QueueLeases } from '../../politeness/queue-leases.js';
import { unvisited } from './visit.js';
import type { VisitWriter } from './visit-writer.js';
import type { Item } from './chunk-feeder.js';

export interface FlowParts {
  conf: Conf;
  queues: PageQueues<Item>;
  writer: VisitWriter;
  clock: DatabaseClock;
}

/** Nutch's names for what the time limit leaves in its batch: pages in the queues, and pages that were not read yet. */
export const HIT_BY_TIME_LIMIT = { queues: 'HitByTimeLimit-Queues', feeder: 'HitByTimeLimit-QueueFeeder' } as const;

export class PageFlow {
  /** Pages that stay in their batch because their host is excluded. */
  readonly excluded: Record<HostExclusion, number> = { host_blocked: 0, host_drained: 0 };
  /** Pages that stay in their batch because the time limit is reached first. */
  outOfTime = 0;
  /** Pages whose visit was cut. */
  cut = 0;
  /** Hosts that were excluded for their queue's sake, with it. */
  private readonly excludedByQueue = new Map<string, string>();
  private readonly queues: FetchQueues<Item>;
  private readonly leases: QueueLeases;
  private readonly pace: HostPace;

  constructor(private readonly parts: FlowParts) {
    ({ pages: this.queues, leases: this.leases, pace: this.pace } = parts.queues);
  }

  /** Into its queue; a page of a host that is excluded stays in the batch, one of a queue that failed too often is given up. */
  enqueue(item: Item): void {
    const { host } = item.page;
    const excluded = this.pace.excluded(host, item.queueId, performance.now());
    if (excluded) {
      this.excluded[excluded]++;
      if (excluded === 'host_blocked' && this.pace.isExcludedByQueue(host, item.queueId))
        this.excludedByQueue.set(host, item.queueId);
      return;
    }
    this.pace.apply(item);
    if (this.queues.add(item.queueId, item)) this.leases.enqueued(item.queueId);
    else this.giveUp(item);
  }

  /** Back into its queue; with `release` the server was not troubled and needs no rest. */
  putBack(item: Item, { release }: { release: boolean }): void {
    const now = performance.now();
    const dropped = this.queues.done(item.queueId, now, { release });
    this.leases.ended(item.queueId, now, !release);
    this.letGo(item.queueId, dropped);
    this.enqueue(item);
  }

  /** The end of a visit whose server was asked: a host in trouble is left alone for longer each time. */
  async answered(item: Item, visit: Visited, answer: HttpAnswer): Promise<void> {
    if (!answer.ok && answer.code === 'blocked') return this.end(item, visit, { release: true });
    const { host } = item.page;
    // Who takes longer than the whole time of a fetch holds a thread all that while.
    if (answer.ok && !isTrouble(answer.status) && answer.truncated !== 'time') {
      this.pace.answered(host);
      visit.outcome = { failed: false, blockedUntil: null };
      return this.end(item, visit, {});
    }
    const { conf, clock } = this.parts;
    const max = conf['fetcher.backoff.max'] * 1000;
    const asked = answer.ok ? retryAfter(answer.headers['retry-after'], clock(), max) : null;
    const failuresBefore = this.pace.failuresBefore(host);
    const end = { exception: true, failuresBefore, retryAfter: asked ?? 0 };
    const isRequested = asked !== null || (answer.ok && isThrottled(answer.status));
    await this.backOff(item, visit, { end, isRequested });
  }

  /** Ends a visit that failed; a rest that is asked for, or longer than we would wait, is for later jobs and other crawls too. */
  private async backOff(
    item: Item,
    visit: Visited,
    { end, isRequested }: { end: FetchEnd; isRequested: boolean },
  ): Promise<void> {
    const { queueId } = item;
    const now = performance.now();
    const dropped = this.queues.done(queueId, now, end);
    this.leases.ended(queueId, now, true);
    const until = this.queues.deferredUntil(queueId);
    const lasts = until > now && (isRequested || this.pace.isTooLong(until - now));
    visit.outcome = { failed: true, blockedUntil: lasts ? until : null };
    this.parts.writer.add(visit, lasts ? () => this.pace.blockWritten(item.page.host) : undefined);
    this.letGo(queueId, dropped);
    if (!lasts) return;
    await this.pace.block(item, until, now);
    this.removeExcluded(queueId);
  }

  /** The end of a page: visited, or not to be visited. */
  end({ queueId }: Item, visit: Visited, how: FetchEnd): void {
    const now = performance.now();
    const dropped = this.queues.done(queueId, now, how);
    this.leases.ended(queueId, now, !how.release);
    this.parts.writer.add(visit);
    this.letGo(queueId, dropped);
  }

  /** Pages that left their queue unfetched. Those that the end of time has dropped stay in the batch. */
  private letGo(queueId: string, { items, reason }: Dropped<Item>): void {
    for (const item of items) {
      this.leases.ended(queueId, performance.now(), false);
      if (reason === 'exceptions') this.giveUp(item);
      if (reason === 'time-limit') this.outOfTime++;
    }
  }

  /** The end of a visit that was cut: its page stays in the batch. `asked`: its server was asked, and rests. */
  endCut({ queueId }: Item, asked: boolean): void {
    this.leases.ended(queueId, performance.now(), asked);
    this.cut++;
  }

  /** Looks at the waiting pages of a queue again: those of hosts that are excluded now leave it. */
  removeExcluded(queueId: string): void {
    const items = this.queues.purge(queueId);
    for (const item of items) {
      this.leases.ended(queueId, performance.now(), false);
      this.enqueue(item);
    }
  }

  /** Notes which hosts were excluded because of their queue: GENERATE, which does not know queues, would select them again. */
  async noteExcludedByQueue(run: Run): Promise<void> {
    if (this.excludedByQueue.size === 0) return;
    await run.write(async (tx) => {
      // What was lifted meanwhile, is so.
      const blocks = await queueBlocks(
        tx,
        [...new Set(this.excludedByQueue.values())],
        run.conf['fetcher.backoff.max'] * 1000,
      );
      const hosts = [...this.excludedByQueue].filter(([, queueId]) => blocks.has(queueId));
      const outcomes = hosts.map(([host, queueId]) => ({
        host,
        answered: false,
        failures: 0,
        blockedMs: blocks.get(queueId)!,
      }));
      await noteOutcomes(tx, run.job.crawl, outcomes);
    });
  }

  /** A host that fails again and again is left alone: its other pages are tried again another day. */
  private giveUp(item: Item): void {
    this.parts.writer.add(
      unvisited(item.page, item.url, {
        code: PROTOCOL_STATUS.RETRY,
        args: [`too many failures of its host in this run (fetcher.max.exceptions.per.queue)`],
        skipped: 'above_exception_threshold',
      }),
    );
  }
}
