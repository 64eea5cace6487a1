/**
 * Sequential requests to each fetch queue, for a task that keeps no pages in memory (SITEMAP): each request waits until the
 * queue is leased and its delay is over. A queue is released when its host is done, or when it is idle for a while: redirects
 * and robots.txt files lead to hosts that are never reported as done. A queue that is leased again keeps its delay.
 */
import { type BackOffRules, backOff } from '../core/politeness/back-off.js';
import type { Sql } from '../db/sql.js';
import type { HttpAnswer } from '../net/http-answer.js';
import { pause } from '../net/pause.js';
import { withSlack } from './host-pace.js';
import { QueueIds } from './queue-ids.js';
import { QueueLeases } from './queue-leases.js';
import { type Client, QueueRequests } from './queue-requests.js';

export interface OrderedRequestRules {
  /** Task and attempt. */
  owner: string;
  /** `fetcher.queue.mode`. */
  mode: string;
  /** Delay after a request, ms. */
  delayMs: number;
  /** Back-off after failures in a row. */
  backOff: BackOffRules;
  /** Longest wait for a blocked queue, ms (`fetcher.backoff.max.wait`); default: no limit. */
  maxWaitMs?: number;
  signal: AbortSignal;
  /** How long an idle queue is kept, ms; default 15 s. */
  idleMs?: number;
  /** Minimum time that a queue is kept while another task waits for it, ms. */
  minLeaseMs?: number;
}

/** Result of a request. `reached` false: no server was reached, so no delay follows. */
export interface RequestEnd<T> {
  value: T;
  reached: boolean;
  /** Set if the server failed or refused to serve us: its Retry-After, ms; 0 without. */
  trouble?: number;
}

/**
 * Work that runs while the queue is leased and its delay is over.
 * @param setDelay sets the delay of the queue, ms, if it is longer than the present one; written to the table before the
 * request, so that the next holder keeps it even if this process dies during the request
 * @param mayAsk whether a request may still begin: the lease may have expired during earlier work, an exclusive request may have
 * used the queue meanwhile, or `setDelay` may have set a longer delay
 */
export type RequestWork<T> = (setDelay: (ms: number) => Promise<void>, mayAsk: () => boolean) => Promise<RequestEnd<T>>;

interface QueuedRequest<T> {
  work: RequestWork<T>;
  onBlocked: () => T | undefined;
  /** Whether a server was reached, so that the delay follows; true after an error, too. */
  asked: boolean;
}

interface RequestQueue {
  delayMs: number;
  /** Whether `delayMs` was set by one of its hosts, and is not the default. */
  paced: boolean;
  failures: number;
  tail: Promise<unknown>;
  waiting: number;
}

/** Time without requests after which the lease of a queue is released. */
const IDLE_MS = 15_000;
/** Interval at which leases are renewed and released. */
const MAINTAIN_MS = 1_000;
/** Pause after an attempt to lease a queue that another task holds. */
const AGAIN_MS = 500;
/** Maximum of queues whose delay is remembered while they are not leased; for others the table has only the remaining delay. */
const MAX_REMEMBERED = 10_000;
/** Attempts to lease a queue that another task holds, before the caller is told to continue without it. */
const MAX_ATTEMPTS = 10;

const nothing = (): void => undefined;

export class OrderedRequests {
  private readonly queues = new Map<string, RequestQueue>();
  private readonly ids: QueueIds;
  private readonly leases: QueueLeases;
  private readonly requests: QueueRequests;
  private readonly defaultDelayMs: number;
  private readonly maintenance: NodeJS.Timeout;

  constructor(
    db: Sql,
    private readonly rules: OrderedRequestRules,
  ) {
    const { owner, signal, minLeaseMs, idleMs = IDLE_MS, maxWaitMs = Infinity } = rules;
    this.ids = new QueueIds(rules.mode);
    this.defaultDelayMs = withSlack(rules.delayMs);
    this.leases = new QueueLeases({
      db,
      once: db,
      owner,
      idleMs,
      delayMs: this.defaultDelayMs,
      maxBlockMs: rules.backOff.max,
      ...(minLeaseMs !== undefined && { minLeaseMs }),
    });
    this.ids.keepWhile((queueId) => this.leases.knows(queueId) || this.queues.has(queueId));
    this.requests = new QueueRequests({
      leases: this.leases,
      queueOf: (url) => this.ids.idOf(url),
      lease: (queueId) => this.lease(queueId),
      delayOf: (queueId) => this.leases.delayOf(queueId),
      isTooLong: (ms) => ms > maxWaitMs,
      signal,
    });
    this.maintenance = setInterval(() => void this.maintain(), Math.min(MAINTAIN_MS, idleMs / 2)).unref();
  }

  /**
   * Runs `work` once the queue of a URL is leased and its delay is over. Undefined: another task has the queue, or aborted.
   * @param onBlocked result if the queue is blocked for too long
   */
  async enqueue<T>(
    url: string,
    work: RequestWork<T>,
    onBlocked: () => T | undefined = () => undefined,
  ): Promise<T | undefined> {
    const queueId = await this.ids.idOf(url);
    const queue = this.queueOf(queueId);
    const request: QueuedRequest<T> = { work, onBlocked, asked: false };
    this.leases.enqueued(queueId);
    queue.waiting++;
    const mine = queue.tail
      .then(() => this.run(queueId, queue, request))
      .finally(() => {
        queue.waiting--;
        this.leases.ended(queueId, performance.now(), { release: !request.asked });
      });
    // Drops the value, which may be large, as the queue is kept.
    queue.tail = mine.then(nothing, nothing).then(() => this.releaseWanted());
    return mine;
  }

  /**
   * Sets the pace of a host's queue: its own delay, ms (null: that of the rules), and how long it is blocked from now on. The
   * slowest host of a queue determines its pace.
   */
  async pace(url: string, { delayMs, waitMs }: { delayMs: number | null; waitMs: number }): Promise<void> {
    const queueId = await this.ids.idOf(url);
    const queue = this.queueOf(queueId);
    const queueDelay = withSlack(delayMs ?? this.rules.delayMs);
    queue.delayMs = queue.paced ? Math.max(queue.delayMs, queueDelay) : queueDelay;
    queue.paced = true;
    this.leases.setDelay(queueId, queue.delayMs);
    if (waitMs > 0) this.leases.defer(queueId, performance.now() + waitMs);
  }

  /** Runs a request on which another one depends: robots.txt on another host. Undefined: another task has the queue. */
  exclusive(url: string, work: () => Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    return this.requests.exclusive(url, work);
  }

  /** A client for the requests of work that `enqueue` runs, and for exclusive requests. */
  clientOf(client: Client): Client {
    return this.requests.clientOf(client);
  }

  /** Remaining delay of the queue of a URL, ms. */
  async remainingDelay(url: string): Promise<number> {
    return this.leases.remainingDelay(await this.ids.idOf(url), performance.now());
  }

  /** The waiting queue with the longest remaining delay above `minMs`: its id and that delay. */
  longestDelayed(minMs: number): { queueId: string; ms: number } | null {
    const now = performance.now();
    let longest: { queueId: string; ms: number } | null = null;
    for (const [queueId, { waiting }] of this.queues) {
      const ms = this.leases.remainingDelay(queueId, now);
      if (waiting > 0 && !this.requests.hasRequest(queueId) && ms > (longest?.ms ?? minMs)) longest = { queueId, ms };
    }
    return longest;
  }

  /** Releases the queue of a URL's host if no request waits for it here. */
  async leave(url: string): Promise<void> {
    const queueId = await this.ids.idOf(url);
    await this.leases.release([queueId], performance.now());
    this.forget(queueId);
  }

  async close(): Promise<void> {
    clearInterval(this.maintenance);
    await this.leases.releaseAll(performance.now());
  }

  private async run<T>(queueId: string, queue: RequestQueue, request: QueuedRequest<T>): Promise<T | undefined> {
    const { signal, maxWaitMs = Infinity } = this.rules;
    for (let remaining = Infinity; remaining > 0 || !this.leases.hasLease(queueId);) {
      // During the delay the lease may expire, or another task may get it.
      await this.lease(queueId);
      if (!this.leases.hasLease(queueId) || signal.aborted) return undefined;
      if (this.leases.blockedUntil(queueId) - performance.now() > maxWaitMs) return request.onBlocked();
      await this.leases.writeDelay(queueId);
      remaining = this.requests.remainingDelay(queueId, performance.now());
      // A timer may fire a millisecond early.
      if (remaining > 0) await pause(Math.ceil(remaining) + 1, signal);
      if (signal.aborted) return undefined;
    }
    const taken = this.requests.taken(queueId);
    const mayAsk = () =>
      this.leases.hasLease(queueId) &&
      this.requests.taken(queueId) === taken &&
      this.leases.remainingDelay(queueId, performance.now()) === 0;
    request.asked = true;
    const end = await request.work((ms) => this.setDelay(queueId, queue, withSlack(ms)), mayAsk);
    request.asked = end.reached;
    if (end.trouble !== undefined) await this.backOff(queueId, queue, end.trouble);
    else if (end.reached) queue.failures = 0;
    return end.value;
  }

  private async setDelay(queueId: string, queue: RequestQueue, delayMs: number): Promise<void> {
    queue.paced = true;
    if (delayMs <= queue.delayMs) return;
    queue.delayMs = delayMs;
    this.leases.setDelay(queueId, delayMs);
    await this.leases.writeDelay(queueId);
  }

  /** Blocks a queue after a failure, for this and later holders, longer with each failure in a row. */
  private async backOff(queueId: string, queue: RequestQueue, minMs: number): Promise<void> {
    queue.failures++;
    const ms = Math.max(minMs, backOff(queue.failures, this.rules.backOff));
    const now = performance.now();
    if (ms > 0) await this.leases.block(queueId, now + ms, now);
  }

  /** Leases a queue; waits up to some seconds for it. */
  private async lease(queueId: string): Promise<void> {
    const { signal } = this.rules;
    for (let attempts = 0; !this.leases.hasLease(queueId) && attempts < MAX_ATTEMPTS && !signal.aborted; attempts++) {
      await this.releaseWanted();
      this.leases.setDelay(queueId, this.queueOf(queueId).delayMs);
      const got = await this.leases.lease([queueId]);
      if (got.has(queueId)) return;
      await this.leases.wantQueues([queueId], performance.now());
      await pause(AGAIN_MS, signal);
    }
  }

  private queueOf(queueId: string): RequestQueue {
    let queue = this.queues.get(queueId);
    if (!queue) {
      queue = { delayMs: this.defaultDelayMs, paced: false, failures: 0, tail: Promise.resolve(), waiting: 0 };
      this.queues.set(queueId, queue);
    }
    return queue;
  }

  /** Ignores errors: a lease that cannot be renewed or released now expires. */
  private async maintain(): Promise<void> {
    await this.leases.maintain(performance.now()).catch(nothing);
    await this.releaseWanted();
    for (const queueId of this.queues.keys()) if (!this.leases.knows(queueId)) this.forget(queueId);
    this.requests.forgetUnused(performance.now());
  }

  /** Between two requests, releases queues for which another task waits. */
  private releaseWanted(): Promise<void> {
    return this.leases.releaseWanted(performance.now(), (queueId) => this.requests.hasRequest(queueId));
  }

  /** Forgets an unused queue; one with a delay of its own or failures is kept up to `MAX_REMEMBERED`. */
  private forget(queueId: string): void {
    const queue = this.queues.get(queueId);
    if (queue === undefined || queue.waiting > 0) return;
    const isDefault = queue.delayMs === this.defaultDelayMs && queue.failures === 0;
    if (isDefault || this.queues.size > MAX_REMEMBERED) this.queues.delete(queueId);
  }
}
