/**
 * Running requests of one task to the hosts of fetch queues.
 *
 * Some are not for a page of the task: the robots.txt of another host redirects there. Such a request is exclusive. No other
 * request to the queue begins while it waits or runs. It waits for running requests, the delay after them, and earlier exclusive
 * requests. It does not wait for visits that have not sent their request yet: these may themselves wait for another queue.
 */
import type { FetchQueues } from '../core/politeness/fetch-queues.js';
import { type HttpAnswer, abortedFetch, localFailure, reachedServer } from '../net/http-answer.js';
import type { FetchLimits, HttpClient, HttpRequest } from '../net/http-client.js';
import { pause } from '../net/pause.js';
import type { QueueLeases } from './queue-leases.js';

export type Client = Pick<HttpClient, 'fetch'>;

export interface QueueRequestsOptions {
  leases: QueueLeases;
  queueOf: (url: string) => Promise<string>;
  /** Leases a queue, and defers it for its remaining delay. */
  lease: (queueId: string) => Promise<void>;
  /** The delay after a request to a queue, ms. */
  delayOf: (queueId: string) => number;
  /** Whether a wait, in ms, exceeds the maximum of the task. */
  isTooLong: (ms: number) => boolean;
  /** The pages of the task in memory, if it has any: a queue is suspended while an exclusive request waits or runs. */
  pages?: Pick<FetchQueues<never>, 'suspend' | 'resume' | 'deferUntil'>;
  signal: AbortSignal;
}

interface RequestState {
  /** Exclusive requests so far; those that wait or run; running requests of any kind. */
  taken: number;
  waiting: number;
  running: number;
  tail: Promise<unknown>;
}

/** Interval of polling for the end of running requests. */
const POLL_MS = 50;
/** Interval at which the states of unused queues are deleted. */
const FORGET_MS = 10_000;

const nothing = (): void => undefined;

export class QueueRequests {
  private readonly states = new Map<string, RequestState>();
  private forgotAt = performance.now();

  constructor(private readonly options: QueueRequestsOptions) {}

  /** Number of exclusive requests to a queue so far. Each of them revokes earlier permissions to begin a request. */
  taken(queueId: string): number {
    return this.states.get(queueId)?.taken ?? 0;
  }

  /** Whether a request to a queue is running. */
  hasRequest(queueId: string): boolean {
    return (this.states.get(queueId)?.running ?? 0) > 0;
  }

  /** Remaining delay of a queue, ms; while requests run, or exclusive ones wait, at least the time until the next poll. */
  remainingDelay(queueId: string, now: number): number {
    const state = this.states.get(queueId);
    const busy = state !== undefined && (state.running > 0 || state.waiting > 0);
    return Math.max(this.options.leases.remainingDelay(queueId, now), busy ? POLL_MS : 0);
  }

  /** Deletes the states of queues that the task no longer uses, at intervals: one that runs for weeks meets very many hosts. */
  forgetUnused(now: number): void {
    if (now - this.forgotAt < FORGET_MS) return;
    this.forgotAt = now;
    for (const [queueId, { running, waiting }] of this.states)
      if (running === 0 && waiting === 0 && !this.options.leases.knows(queueId)) this.states.delete(queueId);
  }

  /** Sends a request for a page of a queue, which the caller has enqueued. */
  async page<T>(queueId: string, work: () => Promise<T>): Promise<T> {
    const state = this.stateOf(queueId);
    state.running++;
    try {
      return await work();
    } finally {
      state.running--;
      // Most queues never have an exclusive request: their state is not kept.
      if (state.running === 0 && state.taken === 0) this.states.delete(queueId);
    }
  }

  /**
   * A client for requests within a visit or an exclusive request: others wait for each, and for the delay after it. So does the
   * answer to a challenge, which counts as one request with it.
   */
  clientOf(client: Client): Client {
    return { fetch: (request, limits) => this.send(client, request, limits) };
  }

  private async send(client: Client, request: HttpRequest, limits?: FetchLimits): Promise<HttpAnswer> {
    const { queueOf, leases } = this.options;
    const queueId = await queueOf(request.url);
    leases.enqueued(queueId);
    let reached = false;
    const paced = { ...request, pause: () => this.delay(queueId) };
    try {
      const answer = await this.page(queueId, () => client.fetch(paced, limits));
      reached = reachedServer(answer);
      return answer;
    } finally {
      leases.ended(queueId, performance.now(), { release: !reached });
    }
  }

  /** Waits for the delay of a queue. False: no further request may be sent to it. */
  private async delay(queueId: string): Promise<boolean> {
    const { leases, delayOf, signal } = this.options;
    const until = performance.now() + delayOf(queueId);
    while (performance.now() < until && !signal.aborted) await pause(until - performance.now(), signal);
    return leases.hasLease(queueId) && !signal.aborted;
  }

  /** Sends an exclusive request. Undefined if another task has the queue. */
  async exclusive(url: string, work: () => Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    const { leases, pages, delayOf, isTooLong } = this.options;
    const queueId = await this.options.queueOf(url);
    if (!leases.hasLease(queueId)) await this.options.lease(queueId);
    if (!leases.hasLease(queueId)) return undefined;
    const state = this.stateOf(queueId);
    const delay = delayOf(queueId);
    const remaining = leases.remainingDelay(queueId, performance.now());
    if (isTooLong(remaining - delay + state.waiting * delay))
      return localFailure('timeout', 'it leads to an excluded host');
    leases.enqueued(queueId);
    pages?.suspend(queueId);
    state.taken++;
    state.waiting++;
    const mine = state.tail.then(() => this.run(queueId, state, work));
    // Drops the answer, which may be large, as the queue is kept.
    state.tail = mine.then(nothing, nothing);
    return mine;
  }

  private async run(
    queueId: string,
    state: RequestState,
    work: () => Promise<HttpAnswer>,
  ): Promise<HttpAnswer | undefined> {
    const { leases, pages, delayOf, signal } = this.options;
    let hasBegun = false;
    try {
      await this.wait(queueId, state);
      if (signal.aborted) return abortedFetch();
      if (!leases.hasLease(queueId)) return undefined;
      hasBegun = true;
      state.running++;
      return await work();
    } finally {
      const now = performance.now();
      state.waiting--;
      if (hasBegun) state.running--;
      leases.ended(queueId, now, { release: !hasBegun });
      if (hasBegun) pages?.deferUntil(queueId, now + delayOf(queueId));
      pages?.resume(queueId);
    }
  }

  private async wait(queueId: string, state: RequestState): Promise<void> {
    const { leases, signal } = this.options;
    for (;;) {
      const remaining = Math.max(leases.remainingDelay(queueId, performance.now()), state.running > 0 ? POLL_MS : 0);
      if (remaining === 0 || signal.aborted) return;
      await pause(remaining, signal);
    }
  }

  private stateOf(queueId: string): RequestState {
    let state = this.states.get(queueId);
    if (!state) this.states.set(queueId, (state = { taken: 0, waiting: 0, running: 0, tail: Promise.resolve() }));
    return state;
  }
}
