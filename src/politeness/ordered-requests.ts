/**
 * Requests one after another to each fetch queue, for a task that keeps no pages in memory (SITEMAP): each waits until the queue is
 * leased and its delay is over. A queue is given back when its host is done, or when nothing was requested of it for a while:
 * redirects and robots.txt files lead to hosts that are never done. Leased again it keeps its delay.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type BackOffRules, backOff } from '../core/politeness/back-off.js';
import type { Sql } from '../db/sql.js';
import type { HttpAnswer } from '../net/http-answer.js';
import { withSlack } from './host-pace.js';
import { QueueIds } from './queue-ids.js';
import { QueueLeases } from './queue-leases.js';
import { QueueRequests } from './queue-requests.js';

export interface OrderedRequestRules {
  /** The task, and which attempt at it. */
  owner: string;
  /** `fetcher.queue.mode`. */
  mode: string;
  /** Delay after a request, ms. */
  delayMs: number;
  /** How the delay grows with failures in a row. */
  backOff: BackOffRules;
  /** A queue whose servers are to be left alone for longer is not waited for, ms (`fetcher.backoff.max.wait`); default: any is. */
  maxWaitMs?: number;
  signal: AbortSignal;
  /** For so long a queue is kept of which nothing is requested, ms; default 15 s. */
  idleMs?: number;
  /** For so long at least it stays when another task waits for it, ms. */
  minLeaseMs?: number;
}

/** How a request ended. `rest` false: no server was asked, so there is no delay after it. */
export interface RequestEnd<T> {
  value: T;
  rest: boolean;
  /** The server could not serve us: what it asks for by Retry-After, ms; 0: nothing. */
  trouble?: number;
}

/**
 * What is done while the queue is ours.
 * @param setDelay the delay that the queue needs from now on, ms, if it is longer than that of the rules; written to the table before
 * the request, so that it holds for whoever comes after a process that dies in it
 * @param mayAsk whether a request may still begin: what was done before it may have taken longer than the lease lasts, or the
 * queue was used by an exclusive request meanwhile
 */
export type RequestWork<T> = (setDelay: (ms: number) => Promise<void>, mayAsk: () => boolean) => Promise<RequestEnd<T>>;

interface QueuedRequest<T> {
  work: RequestWork<T>;
  leftAlone: () => T | undefined;
  /** Whether a server was asked, so that the delay follows; also when it ended in an error. */
  asked: boolean;
}

interface Queue {
  delayMs: number;
  /** Whether `delayMs` is what one of its hosts asks for, and not just the default. */
  paced: boolean;
  failures: number;
  tail: Promise<unknown>;
  waiting: number;
}

const IDLE_MS = 15_000;
/** How often leases are looked after. */
const TEND_MS = 1_000;
const AGAIN_MS = 500;
/** Queues whose delay is remembered while they are not ours; of further ones the table knows the rest, and no more. */
const MAX_REMEMBERED = 10_000;
/** How often a queue that another task holds is asked for before the caller is sent to do something else. */
const TRIES = 10;

const nothing = (): void => undefined;

export class OrderedRequests {
  private readonly queues = new Map<string, Queue>();
  private readonly ids: QueueIds;
  private readonly leases: QueueLeases;
  private readonly requests: QueueRequests;
  private readonly defaultDelayMs: number;
  private readonly tending: NodeJS.Timeout;

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
    this.requests = new QueueRequests({
      leases: this.leases,
      queueOf: (url) => this.ids.of(url),
      lease: (queueId) => this.lease(queueId),
      delayOf: (queueId) => this.leases.delayOf(queueId),
      isTooLong: (ms) => ms > maxWaitMs,
      signal,
    });
    this.tending = setInterval(() => void this.tend(), Math.min(TEND_MS, idleMs / 2)).unref();
  }

  /**
   * Runs `work` when the queue of a URL lets it. Undefined: the queue is with another task, or all waiting was ended.
   * @param leftAlone result where the queue is blocked for too long
   */
  async enqueue<T>(
    url: string,
    work: RequestWork<T>,
    leftAlone: () => T | undefined = () => undefined,
  ): Promise<T | undefined> {
    const queueId = await this.ids.of(url);
    const queue = this.queueOf(queueId);
    const request: QueuedRequest<T> = { work, leftAlone, asked: false };
    this.leases.enqueued(queueId);
    queue.waiting++;
    const mine = queue.tail
      .then(() => this.run(queueId, queue, request))
      .finally(() => {
        queue.waiting--;
        this.leases.ended(queueId, performance.now(), request.asked);
      });
    // The last value may be large, and the queue is kept.
    queue.tail = mine.then(nothing, nothing).then(() => this.giveWay());
    return mine;
  }

  /**
   * The pace of a host's queue: its own delay, ms (null: as the rules say), and how long it is left alone from now on. Of the hosts
   * of a queue the slowest sets its pace.
   */
  async pace(url: string, { delayMs, waitMs }: { delayMs: number | null; waitMs: number }): Promise<void> {
    const queueId = await this.ids.of(url);
    const queue = this.queueOf(queueId);
    const own = withSlack(delayMs ?? this.rules.delayMs);
    queue.delayMs = queue.paced ? Math.max(queue.delayMs, own) : own;
    queue.paced = true;
    this.leases.setDelay(queueId, queue.delayMs);
    if (waitMs > 0) this.leases.defer(queueId, performance.now() + waitMs);
  }

  /** A request that another one needs while it runs: the robots.txt on another host. Undefined: the queue is with another task. */
  exclusive(url: string, work: () => Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    return this.requests.exclusive(url, work);
  }

  /** A request of what `enqueue` runs, or of an exclusive request. */
  send(url: string, work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    return this.requests.send(url, work);
  }

  /** How long the queue of a URL must still rest, ms. */
  async restOf(url: string): Promise<number> {
    return this.leases.rest(await this.ids.of(url), performance.now());
  }

  /** The queue with requests that rests longest, where that is longer than `minMs`: its name, and for how many ms more. */
  resting(minMs: number): { queueId: string; ms: number } | null {
    const now = performance.now();
    let longest: { queueId: string; ms: number } | null = null;
    for (const [queueId, { waiting }] of this.queues) {
      const ms = this.leases.rest(queueId, now);
      if (waiting > 0 && !this.requests.isAsked(queueId) && ms > (longest?.ms ?? minMs)) longest = { queueId, ms };
    }
    return longest;
  }

  /** Gives back the queue of a URL's host when no request waits for it here. */
  async leave(url: string): Promise<void> {
    const queueId = await this.ids.of(url);
    await this.leases.release([queueId], performance.now());
    this.forget(queueId);
  }

  async close(): Promise<void> {
    clearInterval(this.tending);
    await this.leases.releaseAll(performance.now());
  }

  private async run<T>(queueId: string, queue: Queue, request: QueuedRequest<T>): Promise<T | undefined> {
    const { signal, maxWaitMs = Infinity } = this.rules;
    for (let rest = Infinity; rest > 0 || !this.leases.hasLease(queueId);) {
      // While it rests, the lease may run out, and others may ask.
      await this.lease(queueId);
      if (!this.leases.hasLease(queueId) || signal.aborted) return undefined;
      if (this.leases.blockedUntil(queueId) - performance.now() > maxWaitMs) return request.leftAlone();
      await this.leases.writeDelay(queueId);
      rest = this.requests.rest(queueId, performance.now());
      // A timer may come a millisecond early.
      if (rest > 0) await sleep(Math.ceil(rest) + 1, undefined, { signal }).catch(nothing);
      if (signal.aborted) return undefined;
    }
    const taken = this.requests.taken(queueId);
    const mayAsk = () => this.leases.hasLease(queueId) && this.requests.taken(queueId) === taken;
    request.asked = true;
    const end = await request.work((ms) => this.setDelay(queueId, queue, withSlack(ms)), mayAsk);
    request.asked = end.rest;
    if (end.trouble !== undefined) await this.backOff(queueId, queue, end.trouble);
    else if (end.rest) queue.failures = 0;
    return end.value;
  }

  private async setDelay(queueId: string, queue: Queue, delayMs: number): Promise<void> {
    queue.paced = true;
    if (delayMs <= queue.delayMs) return;
    queue.delayMs = delayMs;
    this.leases.setDelay(queueId, delayMs);
    await this.leases.writeDelay(queueId);
  }

  /** A queue in trouble is left alone, here and by all who have it after us, for longer with each failure in a row. */
  private async backOff(queueId: string, queue: Queue, asked: number): Promise<void> {
    queue.failures++;
    const ms = Math.max(asked, backOff(queue.failures, this.rules.backOff));
    const now = performance.now();
    if (ms > 0) await this.leases.block(queueId, now + ms, now);
  }

  /** Waits some seconds for the lease, if it must. */
  private async lease(queueId: string): Promise<void> {
    const { signal } = this.rules;
    for (let tries = 0; !this.leases.hasLease(queueId) && tries < TRIES && !signal.aborted; tries++) {
      await this.giveWay();
      this.leases.setDelay(queueId, this.queueOf(queueId).delayMs);
      const got = await this.leases.lease([queueId]);
      if (got.has(queueId)) return;
      await this.leases.requestQueues([queueId], performance.now());
      await sleep(AGAIN_MS, undefined, { signal }).catch(nothing);
    }
  }

  private queueOf(queueId: string): Queue {
    let queue = this.queues.get(queueId);
    if (!queue) {
      queue = { delayMs: this.defaultDelayMs, paced: false, failures: 0, tail: Promise.resolve(), waiting: 0 };
      this.queues.set(queueId, queue);
    }
    return queue;
  }

  /** What cannot be written now ends by itself: the lease expires. */
  private async tend(): Promise<void> {
    await this.leases.tend(performance.now()).catch(nothing);
    await this.giveWay();
    for (const queueId of this.queues.keys()) if (!this.leases.knows(queueId)) this.forget(queueId);
  }

  /** Between two requests a queue goes to the task that waits for it. */
  private giveWay(): Promise<void> {
    return this.leases.giveWay(performance.now(), (queueId) => this.requests.isAsked(queueId));
  }

  /** What is not as usual is remembered while there is memory for it. */
  private forget(queueId: string): void {
    const queue = this.queues.get(queueId);
    if (queue === undefined || queue.waiting > 0) return;
    const isDefault = queue.delayMs === this.defaultDelayMs && queue.failures === 0;
    if (isDefault || this.queues.size > MAX_REMEMBERED) this.queues.delete(queueId);
  }
}
