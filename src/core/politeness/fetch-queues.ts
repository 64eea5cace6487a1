/**
 * The fetch queues of one FETCH task.
 *
 * A page waits in the queue of its host (or domain, or IP: `fetcher.queue.mode`). After a queue has given out a page, the
 * delay runs from the END of that fetch. So a queue is in one of three states: busy (it has as many fetches in flight as
 * threads), delayed until a time, or ready. The queue that has been ready longest is served first, so a fast host with
 * a million pages cannot starve the others; `nextAlternating` takes every second page from the longest queue.
 *
 * Failures lengthen the delay (back-off.ts): the extra delay doubles with each exception in a row of the same queue; after
 * `fetcher.max.exceptions.per.queue` of them the queue is dismissed: it returns its pages and accepts no more until the
 * exceptions no longer count, as the FETCH of a continuous crawl may run for weeks. An empty queue is kept while its delay or
 * its exceptions still apply, then deleted: memory grows with waiting pages, not with hosts visited.
 *
 * The code uses neither network nor clock: the caller passes `now` (ms, monotonic). Each operation is O(log queues),
 * whatever the ids and the order of calls; the heaps are in queue-heap.ts.
 */
import { backOff } from './back-off.js';
import { ItemList } from './item-list.js';
import type { QueueRules, QueueSettings } from './queue-rules.js';
import { QueueHeap } from './queue-heap.js';

/** Time for which the pages of a queue should be known in advance, and the minimum of such pages. */
const AHEAD_MS = 60_000;
const MIN_PAGES = 10;

export type NextFetch<T> =
  | { readonly kind: 'item'; readonly item: T; readonly queueId: string }
  /** Pages wait, none may be fetched before `until`; Infinity: not before a fetch has ended. */
  | { readonly kind: 'wait'; readonly until: number }
  /** No page waits (fetches may be in flight). */
  | { readonly kind: 'empty' };

export interface FetchEnd {
  /** No request was sent (robots denied, not modified by our own cache): no delay after this fetch. */
  readonly release?: boolean;
  /** The fetch failed with an exception, which the queue counts. Any other request resets the count. */
  readonly exception?: boolean;
  /** With an exception: failures of the host in a row before this task, from which the back-off continues. */
  readonly failuresBefore?: number;
  /** With an exception: the delay that the server asked for, ms (Retry-After). */
  readonly retryAfter?: number;
}

/** Pages that are removed unfetched, and why. */
export interface Dropped<T> {
  readonly items: readonly T[];
  readonly reason: 'none' | 'exceptions' | 'time-limit';
}

interface PageQueue<T> {
  readonly id: string;
  readonly items: ItemList<T>;
  threads: number;
  delayMs: number;
  minDelayMs: number;
  inFlight: number;
  /** Open exclusive requests: while there are any the queue gives out no page. */
  suspended: number;
  /** End of the last fetch that sent a request; -Infinity before it. */
  lastEnd: number;
  /** No fetch before these times, whatever the delay. */
  deferredUntil: number;
  blockedUntil: number;
  exceptions: number;
  lastException: number;
  /** When it last gave out a page (or got its first one): ready queues are served in this order. */
  servedAt: number;
}

export class FetchQueues<T> {
  readonly #queues = new Map<string, PageQueue<T>>();
  /** Queues with pages and a free thread, by the time of the next fetch. */
  readonly #waiting = new QueueHeap<PageQueue<T>>();
  /** Queues without pages or fetches, by the time from which they may be deleted. */
  readonly #idle = new QueueHeap<PageQueue<T>>();
  /** Dismissed queues, with the time until then: in this order, as that is equally long for all. */
  readonly #dismissed = new Map<string, number>();
  #queued = 0;
  #inFlight = 0;
  #emptied = 0;
  /** The queue with most pages at the last `add`. */
  #longest: PageQueue<T> | undefined;
  #isForLongest = false;
  /** The latest `now` that was passed. */
  #now = -Infinity;

  constructor(private readonly rules: QueueRules) {}

  /** Pages waiting in all queues. */
  get queued(): number {
    return this.#queued;
  }

  /** Pages that were given out and are not done (for tests). */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Queues in memory, without the dismissed ones. */
  get size(): number {
    return this.#queues.size;
  }

  /** Pages waiting in a queue. */
  lengthOf(queueId: string): number {
    return this.#queues.get(queueId)?.items.length ?? 0;
  }

  /** The number of further pages of a queue that should be known; 0 or less: it has enough. */
  remainingCapacity(queueId: string): number {
    return this.#enough(queueId) - this.lengthOf(queueId);
  }

  /** Whether a queue has less than half of the pages that should be known. */
  isLow(queueId: string): boolean {
    return this.lengthOf(queueId) < this.#enough(queueId) / 2;
  }

  /**
   * Appends a page to its queue, or with `first` puts it before the others.
   * @returns false when the queue is dismissed: the page was not taken.
   */
  add(queueId: string, item: T, { first = false } = {}): boolean {
    if (this.#isDismissed(queueId)) return false;
    const queue = this.#queueOf(queueId);
    if (first) queue.items.unshift(item);
    else queue.items.push(item);
    this.#queued += 1;
    // New queues are served after those that are ready: a flood of new hosts cannot delay the old ones.
    if (queue.items.length === 1) queue.servedAt = this.#now;
    if (queue.items.length >= (this.#longest?.items.length ?? 0)) this.#longest = queue;
    this.#reposition(queue);
    return true;
  }

  /** The page to fetch now, or how long to wait. Each item given out must be followed by a call of `done`. */
  next(now: number): NextFetch<T> {
    this.#now = Math.max(this.#now, now);
    this.#forgetIdle();
    if (this.#queued === 0) return { kind: 'empty' };
    const queue = this.#waiting.peek();
    if (queue === undefined) return { kind: 'wait', until: Infinity };
    if (this.#waiting.earliest > now) return { kind: 'wait', until: this.#waiting.earliest };
    return this.#take(queue);
  }

  /**
   * As `next`, but every second page comes from the longest queue, if that is ready. One task at a time fetches a host:
   * served like all others, the largest would remain alone at the end.
   */
  nextAlternating(now: number): NextFetch<T> {
    const longest = this.#longest;
    this.#isForLongest = !this.#isForLongest;
    if (!this.#isForLongest || longest === undefined || !this.#isReady(longest, now)) return this.next(now);
    this.#now = Math.max(this.#now, now);
    return this.#take(longest);
  }

  /** The pages of a queue for the next `AHEAD_MS`. */
  #enough(queueId: string): number {
    const { threads, minDelayMs, delayMs } = this.#queues.get(queueId) ?? this.rules;
    const pages = Math.ceil((AHEAD_MS * threads) / (threads > 1 ? minDelayMs : delayMs));
    return Math.min(Math.max(pages, MIN_PAGES), this.rules.maxPages ?? Infinity);
  }

  #isReady(queue: PageQueue<T>, now: number): boolean {
    const { items, inFlight, threads, suspended, servedAt } = queue;
    const isFree = items.length > 0 && inFlight < threads && suspended === 0;
    return isFree && Math.max(this.#waitEnd(queue), servedAt) <= now;
  }

  #take(queue: PageQueue<T>): NextFetch<T> {
    const item = queue.items.shift();
    this.#queued -= 1;
    this.#inFlight += 1;
    queue.inFlight += 1;
    // With threads left it queues up again, after those that are ready at the same time.
    queue.servedAt = this.#now;
    this.#waiting.remove(queue);
    this.#reposition(queue);
    return { kind: 'item', item, queueId: queue.id };
  }

  /**
   * The number of waiting pages, of their queues, and of queues whose pages take at least `ms`; and how often a queue had neither
   * pages nor fetches any more.
   */
  countQueues(ms: number): { queued: number; queues: number; longQueues: number; emptied: number } {
    let queues = 0;
    let longQueues = 0;
    for (const queue of this.#queues.values()) {
      const { length } = queue.items;
      if (length === 0) continue;
      queues++;
      if (length * (queue.threads > 1 ? queue.minDelayMs : queue.delayMs) >= ms) longQueues++;
    }
    return { queued: this.#queued, queues, longQueues, emptied: this.#emptied };
  }

  /** The queue that `next` will serve first, and when; null without any. Changes nothing. */
  first(): { readonly queueId: string; readonly at: number } | null {
    const queue = this.#waiting.peek();
    return queue === undefined ? null : { queueId: queue.id, at: this.#waiting.earliest };
  }

  /**
   * A fetch of this queue has ended. An unknown id or a call too many is ignored.
   * @returns the queue's pages when the exceptions or the time limit have emptied it.
   */
  done(queueId: string, now: number, end: FetchEnd = {}): Dropped<T> {
    const queue = this.#queues.get(queueId);
    if (queue === undefined || queue.inFlight === 0) return nothingDropped;
    this.#now = Math.max(this.#now, now);
    queue.inFlight -= 1;
    this.#inFlight -= 1;
    if (queue.inFlight === 0 && queue.items.length === 0) this.#emptied += 1;
    if (end.release !== true) queue.lastEnd = Math.max(queue.lastEnd, now);
    if (end.exception !== true && end.release !== true) queue.exceptions = 0;
    if (end.exception === true && this.#countException(queue, now, end)) return this.#drop(queue, 'exceptions');
    if (this.#waitEnd(queue) > (this.rules.endsAt ?? Infinity)) return this.#drop(queue, 'time-limit');
    this.#reposition(queue);
    return nothingDropped;
  }

  /**
   * Sets threads and delays of a queue; a running delay is recomputed. As in Nutch `minDelayMs` applies instead of `delayMs`
   * where a queue has several threads. An empty queue is deleted with its settings, so set them again with each page; the
   * same values cost nothing.
   */
  configure(queueId: string, settings: QueueSettings): void {
    if (this.#isDismissed(queueId)) return;
    const queue = this.#queueOf(queueId);
    queue.threads = Math.max(1, settings.threads ?? queue.threads);
    queue.delayMs = Math.max(0, settings.delayMs ?? queue.delayMs);
    queue.minDelayMs = Math.max(0, settings.minDelayMs ?? queue.minDelayMs);
    this.#reposition(queue);
  }

  /** Gives out no page of this queue before `time` (5xx for robots.txt, Retry-After); an earlier time changes nothing. */
  deferUntil(queueId: string, time: number): void {
    if (this.#isDismissed(queueId)) return;
    const queue = this.#queueOf(queueId);
    queue.deferredUntil = Math.max(queue.deferredUntil, time);
    this.#reposition(queue);
  }

  /** Gives out no page of this queue before `time`, instead of the time of the call before (blocks of hosts, which may change). */
  blockUntil(queueId: string, time: number): void {
    if (this.#isDismissed(queueId)) return;
    const queue = time === -Infinity ? this.#queues.get(queueId) : this.#queueOf(queueId);
    if (queue === undefined) return;
    queue.blockedUntil = time;
    this.#reposition(queue);
  }

  /** Gives out no page of this queue until `resume` was called as often. */
  suspend(queueId: string): void {
    const queue = this.#queueOf(queueId);
    queue.suspended += 1;
    this.#reposition(queue);
  }

  resume(queueId: string): void {
    const queue = this.#queues.get(queueId);
    if (queue === undefined || queue.suspended === 0) return;
    queue.suspended -= 1;
    this.#reposition(queue);
  }

  /**
   * Shortens the deferral by `deferUntil` and by exceptions to one delay from now: part of it may be the delay after a request of
   * another task. The delay of this task and the block stay.
   */
  lift(queueId: string, now: number): void {
    const queue = this.#queues.get(queueId);
    if (queue === undefined) return;
    queue.deferredUntil = Math.min(queue.deferredUntil, now + queue.delayMs);
    this.#reposition(queue);
  }

  /** The time before which no page of this queue is given out, whatever its delay; -Infinity when there is none. */
  deferredUntil(queueId: string): number {
    const queue = this.#queues.get(queueId);
    return queue === undefined ? -Infinity : Math.max(queue.deferredUntil, queue.blockedUntil);
  }

  /** Whether fetches of a queue are in flight. */
  isBusy(queueId: string): boolean {
    return (this.#queues.get(queueId)?.inFlight ?? 0) > 0;
  }

  /** Removes all waiting pages of a queue; its delay and its fetches in flight stay. */
  purge(queueId: string): readonly T[] {
    const queue = this.#queues.get(queueId);
    if (queue === undefined) return [];
    const items = queue.items.takeAll();
    this.#queued -= items.length;
    this.#reposition(queue);
    return items;
  }

  /** As `purge`, and no more pages are added to this queue until `exceptionsClearAfter` has passed. */
  dismiss(queueId: string): readonly T[] {
    this.#dismissed.delete(queueId);
    this.#dismissed.set(queueId, this.#now + this.rules.exceptionsClearAfter);
    return this.purge(queueId);
  }

  #isDismissed(queueId: string): boolean {
    for (const [id, until] of this.#dismissed) {
      if (until >= this.#now) break;
      this.#dismissed.delete(id);
    }
    return this.#dismissed.has(queueId);
  }

  /** Removes the waiting pages of all queues (stop, time limit, throughput limit). */
  purgeAll(): readonly T[] {
    const items: T[] = [];
    for (const id of this.#queues.keys()) for (const item of this.purge(id)) items.push(item);
    return items;
  }

  #queueOf(id: string): PageQueue<T> {
    const known = this.#queues.get(id);
    if (known !== undefined) return known;
    const { threads, delayMs, minDelayMs } = this.rules;
    const never = { lastEnd: -Infinity, deferredUntil: -Infinity, blockedUntil: -Infinity, lastException: -Infinity };
    const queue = {
      id,
      items: new ItemList<T>(),
      threads,
      delayMs,
      minDelayMs,
      inFlight: 0,
      suspended: 0,
      exceptions: 0,
      servedAt: this.#now,
      ...never,
    };
    this.#queues.set(id, queue);
    return queue;
  }

  /** When the delay, the deferral and the block of the queue are over; -Infinity when there is none. */
  #waitEnd(queue: PageQueue<T>): number {
    return Math.max(this.#delayEnd(queue), queue.deferredUntil, queue.blockedUntil);
  }

  /** When the delay after the last fetch ends, whatever the deferral or block. */
  #delayEnd(queue: PageQueue<T>): number {
    return queue.lastEnd + (queue.threads > 1 ? queue.minDelayMs : queue.delayMs);
  }

  /** Moves the queue into the heap for its state, or into none while it is busy. */
  #reposition(queue: PageQueue<T>): void {
    const { inFlight, threads, servedAt, suspended } = queue;
    if (queue.items.length > 0 && inFlight < threads && suspended === 0)
      this.#waiting.put(queue, Math.max(this.#waitEnd(queue), servedAt));
    else this.#waiting.remove(queue);
    if (queue.items.length === 0 && inFlight === 0 && suspended === 0)
      this.#idle.put(queue, this.#forgettableAt(queue));
    else this.#idle.remove(queue);
  }

  #forgettableAt(queue: PageQueue<T>): number {
    const exceptions = queue.exceptions > 0 ? queue.lastException + this.rules.exceptionsClearAfter : -Infinity;
    return Math.max(this.#waitEnd(queue), exceptions);
  }

  /** Two per call are enough: between two calls of `next` about one queue becomes idle. */
  #forgetIdle(): void {
    for (let i = 0; i < 2 && this.#idle.earliest <= this.#now; i++) {
      const queue = this.#idle.peek();
      if (queue === undefined) return;
      this.#idle.remove(queue);
      this.#queues.delete(queue.id);
    }
  }

  /** @returns true when the queue has reached its maximum of exceptions. */
  #countException(queue: PageQueue<T>, now: number, { failuresBefore = 0, retryAfter = 0 }: FetchEnd): boolean {
    const { maxExceptions, exceptionDelay: base, maxBackOffMs: max, exceptionsClearAfter } = this.rules;
    if (now - queue.lastException >= exceptionsClearAfter) queue.exceptions = 0;
    queue.exceptions += 1;
    queue.lastException = now;
    const extra = backOff(failuresBefore + queue.exceptions, { base, max });
    // Concurrent fetches that fail have one cause: their extra delays do not add up.
    queue.deferredUntil = Math.max(queue.deferredUntil, this.#delayEnd(queue) + extra, now + retryAfter);
    return maxExceptions >= 0 && queue.exceptions >= maxExceptions;
  }

  #drop(queue: PageQueue<T>, reason: 'exceptions' | 'time-limit'): Dropped<T> {
    return { items: reason === 'exceptions' ? this.dismiss(queue.id) : this.purge(queue.id), reason };
  }
}

const nothingDropped: Dropped<never> = { items: [], reason: 'none' };
