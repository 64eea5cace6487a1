/**
 * Adds pages to the queues of a task, and handles the end of their visits.
 *
 * A page leaves its queue visited, returned to the queue, excluded (its host is drained or blocked: it stays in its batch, not
 * fetched), or given up because its host failed too often in this run. The answer of its server determines how long the queue is
 * blocked. A block that the server asks for by 429, 503 or Retry-After, or one longer than this task would wait, is stored for
 * later jobs (`host.blocked_until`, with the visit) and other crawls (`politeness.blocked_until`).
 */
import type { Conf } from '../../core/conf/properties.js';
import { PROTOCOL_STATUS } from '../../core/page/protocol-status.js';
import { isThrottled, isTrouble, retryAfter } from '../../core/politeness/back-off.js';
import type { Dropped, FetchEnd, FetchQueues } from '../../core/politeness/fetch-queues.js';
import type { DatabaseClock } from '../../db/database-clock.js';
import type { HttpAnswer, HttpFailure, HttpFailureCode } from '../../net/http-answer.js';
import { MAX_TRIES } from '../../net/http-client.js';
import type { VisitOutcome, Visited } from './fetch.sql.js';
import { recordOutcomes } from '../../politeness/host-settings.store.js';
import type { ExclusionCounter, HostPacer } from '../../politeness/host-pace.js';
import type { Run } from '../step.js';
import { queueBlocks } from '../../politeness/queue-lease.sql.js';
import type { PageQueues } from '../../politeness/page-queues.js';
import type { QueueLeases } from '../../politeness/queue-leases.js';
import { unvisited } from './visit.js';
import type { VisitWriter } from './visit-writer.js';
import type { ChunkFeeder, FetchItem } from './chunk-feeder.js';
import { type ExcludedHost, ExcludedPages, batchHostId } from './excluded-pages.js';
import { EXCLUDED_HOST, WAITING } from '../../core/job/fetch-counters.js';

/** How often a request is sent again, if not once. `refused`: after challenges. */
const MAX_RESENT: Partial<Record<HttpFailureCode, number>> = { refused: MAX_TRIES - 1 };

export interface PageFlowOptions {
  conf: Conf;
  queues: PageQueues<FetchItem>;
  /** Takes the pages of hosts that failed too often. */
  writer: Pick<VisitWriter, 'add'>;
  clock: DatabaseClock;
}

export class PageFlow {
  /** Pages that stay in their batch because their host is excluded, or because the time limit has emptied their queue. */
  private readonly excludedPages = new ExcludedPages();
  /** Further pages that stay in their batch because of the time limit. */
  outOfTime = 0;
  /** Pages whose visit was aborted. */
  aborted = 0;
  /** Hosts that were excluded because of their queue, with the queue. */
  private readonly excludedByQueue = new Map<string, string>();
  /** Hosts that are not excluded any more. */
  private readonly readmitted = new Set<ExcludedHost>();
  /** The number of pages that are in a queue, or whose visit is running or not written yet, by batch and host. */
  private readonly unfinished = new Map<string, number>();
  private readonly queues: FetchQueues<FetchItem>;
  private readonly leases: QueueLeases;
  private readonly pace: HostPacer;

  constructor(private readonly options: PageFlowOptions) {
    ({ pages: this.queues, leases: this.leases, pace: this.pace } = options.queues);
  }

  /** These visits were written. */
  noteWritten(visits: readonly Visited[]): void {
    for (const { mark, host, outcome } of visits) {
      this.count({ batch: mark, page: { host } }, -1);
      if (outcome && outcome.blockedUntil !== null) this.pace.blockWritten(host);
    }
  }

  private count({ batch, page }: { batch: string; page: { host: string } }, change: 1 | -1): void {
    const id = batchHostId(batch, page.host);
    const unfinished = (this.unfinished.get(id) ?? 0) + change;
    if (unfinished > 0) this.unfinished.set(id, unfinished);
    else this.unfinished.delete(id);
  }

  /** Adds a page to its queue; it stays in the batch if its host is excluded, and is given up if the queue failed too often. */
  enqueue(item: FetchItem, { first = false } = {}): void {
    const counter = this.excludedNow(item);
    if (counter) return this.exclude(item, counter);
    this.pace.apply(item);
    this.count(item, 1);
    if (this.queues.add(item.queueId, item, { first })) this.leases.enqueued(item.queueId);
    else this.giveUp(item);
  }

  private excludedNow(item: FetchItem): ExclusionCounter | null {
    const { page, queueId } = item;
    return this.pace.excluded(page.host, queueId, performance.now()) ?? this.excludedPages.counterOf(item);
  }

  private exclude(item: FetchItem, counter: ExclusionCounter): void {
    const { queueId } = item;
    const { host } = item.page;
    const until = this.pace.excludedUntil(host, queueId);
    this.excludedPages.add(item, { counter, until }, performance.now());
    if (counter === EXCLUDED_HOST.blocked && this.pace.isExcludedByQueue(host, queueId))
      this.excludedByQueue.set(host, queueId);
  }

  /** The numbers of pages that stay in their batch, by reason. */
  get left(): Readonly<Record<string, number>> {
    const { counts } = this.excludedPages;
    return { ...counts, [WAITING.inQueue]: counts[WAITING.inQueue] + this.outOfTime };
  }

  /** Finds hosts that are not excluded any more, at intervals. */
  async checkExcluded(): Promise<void> {
    const due = this.excludedPages.due(performance.now());
    if (due.length === 0) return;
    await this.pace.load(due.map(({ queueId, host }) => ({ queueId, page: { host } })));
    const stored = await this.leases.storedBlocks(due.map(({ queueId }) => queueId));
    const now = performance.now();
    for (const excluded of due) {
      const { host, queueId } = excluded;
      const until = this.pace.excludedUntil(host, queueId, stored.get(queueId));
      if (until > now) this.readmitted.delete(excluded);
      else {
        this.readmitted.add(excluded);
        this.pace.liftReleased(queueId, now);
      }
      this.excludedPages.postpone(excluded, until, now);
    }
  }

  /** Whether pages of such hosts are to be read again. */
  get hasReadmitted(): boolean {
    return this.readmitted.size > 0;
  }

  /** Reads the pages of hosts that are not excluded any more again. Called while no page is on the way to its queue. */
  readAgain(feeder: Pick<ChunkFeeder, 'readAgain'>): void {
    // Their pages that are still in a queue, as another crawl had blocked it.
    for (const queueId of new Set([...this.readmitted].map((excluded) => excluded.queueId)))
      this.removeExcluded(queueId);
    for (const excluded of this.readmitted) {
      // A read would return its unfinished pages: the next check finds it again.
      if (this.unfinished.has(batchHostId(excluded.batch, excluded.host))) continue;
      this.excludedPages.remove(excluded);
      this.excludedByQueue.delete(excluded.host);
      feeder.readAgain(excluded);
    }
    this.readmitted.clear();
  }

  /** Returns a page to its queue; with `release` no server was reached, so no delay follows; `first`: before the others. */
  requeue(item: FetchItem, { release, first = false }: { release: boolean; first?: boolean }): void {
    const now = performance.now();
    this.count(item, -1);
    const dropped = this.queues.done(item.queueId, now, { release });
    this.leases.ended(item.queueId, now, { release });
    this.leaveQueue(item.queueId, dropped);
    this.enqueue(item, { first });
  }

  /**
   * Returns a page whose request may be sent again to its queue, before the others: the nonce of a challenge may be valid for one
   * request only, and another page may be of another realm. False: it was sent often enough.
   */
  resend(item: FetchItem, { code }: HttpFailure): boolean {
    const { resent = [] } = item;
    if (resent.filter((earlier) => earlier === code).length >= (MAX_RESENT[code] ?? 1)) return false;
    item.resent = [...resent, code];
    this.requeue(item, { release: false, first: true });
    return true;
  }

  /** Returns a page to its queue, to be requested without its validators. */
  askForContent(item: FetchItem): void {
    item.page = { ...item.page, etag: null, lastModified: null };
    this.requeue(item, { release: false });
  }

  /**
   * Ends a visit whose request was sent: a failing host is blocked for longer each time. Returns the outcome for the host, if the
   * request has reached it: the caller writes it with the visit, and then calls `block`.
   */
  answered(item: FetchItem, answer: HttpAnswer): VisitOutcome | undefined {
    if (!answer.ok && answer.code === 'blocked') {
      this.end(item, { release: true });
      return undefined;
    }
    const { host } = item.page;
    // An answer that exceeds the total time of a fetch counts as a failure: it occupies a thread all that time.
    if (answer.ok && !isTrouble(answer.status) && answer.truncated !== 'time') {
      this.pace.answered(host);
      this.end(item, {});
      return { failed: false, blockedUntil: null };
    }
    const { conf, clock } = this.options;
    const max = conf['fetcher.backoff.max'] * 1000;
    const retryAfterMs = answer.ok ? retryAfter(answer.headers['retry-after'], clock(), max) : null;
    const failuresBefore = this.pace.failuresBefore(host);
    const end = { exception: true, failuresBefore, retryAfter: retryAfterMs ?? 0 };
    const isRequested = retryAfterMs !== null || (answer.ok && isThrottled(answer.status));
    const now = performance.now();
    this.end(item, end);
    const until = this.queues.deferredUntil(item.queueId);
    const lasts = until > now && (isRequested || this.pace.isTooLong(until - now));
    return { failed: true, blockedUntil: lasts ? until : null };
  }

  /** A block that the server requested, or one longer than we would wait, is stored for later jobs and other crawls. */
  async block(item: FetchItem, until: number): Promise<void> {
    await this.pace.block(item, until, performance.now());
    this.removeExcluded(item.queueId);
  }

  /** Ends a page: visited, or not to be visited. */
  end({ queueId }: FetchItem, how: FetchEnd): void {
    const now = performance.now();
    const dropped = this.queues.done(queueId, now, how);
    this.leases.ended(queueId, now, how);
    this.leaveQueue(queueId, dropped);
  }

  /** Handles pages that left their queue unfetched. Those dropped by the time limit stay in the batch. */
  private leaveQueue(queueId: string, { items, reason }: Dropped<FetchItem>): void {
    for (const item of items) {
      this.leases.ended(queueId, performance.now(), { release: true });
      if (reason === 'exceptions') this.giveUp(item);
      if (reason === 'time-limit') this.endOutOfTime(item);
    }
  }

  private endOutOfTime(item: FetchItem): void {
    this.count(item, -1);
    this.excludedPages.addOutOfTime(item);
  }

  /** Ends an aborted visit: its page stays in the batch. With `release` no server was reached, so no delay follows. */
  endAborted({ queueId }: FetchItem, { release }: { release: boolean }): void {
    this.leases.ended(queueId, performance.now(), { release });
    this.aborted++;
  }

  /** Checks the waiting pages of a queue again: those of hosts that are excluded now leave it. */
  removeExcluded(queueId: string): void {
    const items = this.queues.purge(queueId);
    for (const item of items) {
      this.leases.ended(queueId, performance.now(), { release: true });
      this.count(item, -1);
      this.enqueue(item);
    }
  }

  /** Stores blocks of hosts that were excluded because of their queue: GENERATE reads hosts only, and would select them again. */
  async recordExcludedByQueue(run: Run): Promise<void> {
    if (this.excludedByQueue.size === 0) return;
    await run.write(async (tx) => {
      // Without those that were lifted meanwhile.
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
      await recordOutcomes(tx, run.job.crawl, outcomes);
    });
  }

  /** Gives up a page of a host that failed too often: it is retried in a later run. */
  private giveUp(item: FetchItem): void {
    this.options.writer.add(
      unvisited(item.page, item.url, {
        code: PROTOCOL_STATUS.RETRY,
        args: [`too many failures of its host in this run (fetcher.max.exceptions.per.queue)`],
        skipped: 'above_exception_threshold',
      }),
    );
  }
}
