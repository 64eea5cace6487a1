/**
 * Requests under way to the hosts of fetch queues, of one task.
 *
 * Some are not for what the task fetches itself: the robots.txt of another host redirects there. Such a request is exclusive. Nothing
 * else is requested of the queue while it waits or is under way. It waits for the requests under way, for the delay after them, and
 * for other requests of its kind. It does not wait for visits that have not sent their request yet: these may themselves wait for
 * another queue.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchQueues } from '../core/politeness/fetch-queues.js';
import { type HttpAnswer, failure, localFailure, metServer } from '../net/http-answer.js';
import type { QueueLeases } from './queue-leases.js';

export interface QueueRequestParts {
  leases: QueueLeases;
  queueOf: (url: string) => Promise<string>;
  /** Leases a queue, and puts it off for as long as it must wait. */
  lease: (queueId: string) => Promise<void>;
  /** The delay after a request to a queue, ms. */
  delayOf: (queueId: string) => number;
  /** Whether a wait is longer than the task bears, ms. */
  isTooLong: (ms: number) => boolean;
  /** The pages of the task in memory, where it has any: a queue gives none while an exclusive request waits or is under way. */
  pages?: Pick<FetchQueues<never>, 'suspend' | 'resume' | 'deferUntil'>;
  signal: AbortSignal;
}

interface RequestState {
  /** Exclusive requests so far, and those that wait or are under way. */
  taken: number;
  waiting: number;
  asking: number;
  tail: Promise<unknown>;
}

/** How often it is looked whether the requests under way have ended. */
const LOOK_MS = 50;

const nothing = (): void => undefined;

export class QueueRequests {
  private readonly states = new Map<string, RequestState>();

  constructor(private readonly parts: QueueRequestParts) {}

  /** How many exclusive requests a queue has had so far. Whoever was admitted before one of them is not any more. */
  taken(queueId: string): number {
    return this.states.get(queueId)?.taken ?? 0;
  }

  /** Whether a request to a queue is under way. */
  isAsked(queueId: string): boolean {
    return (this.states.get(queueId)?.asking ?? 0) > 0;
  }

  /** How long a queue rests, ms; as long as requests are under way, or exclusive ones wait, the time until it is to be asked about again. */
  rest(queueId: string, now: number): number {
    const state = this.states.get(queueId);
    const busy = state !== undefined && (state.asking > 0 || state.waiting > 0);
    return Math.max(this.parts.leases.rest(queueId, now), busy ? LOOK_MS : 0);
  }

  /** A request for a page of a queue, which the caller has enqueued. */
  async page<T>(queueId: string, work: () => Promise<T>): Promise<T> {
    const state = this.stateOf(queueId);
    state.asking++;
    try {
      return await work();
    } finally {
      state.asking--;
      // Most hosts are never asked on behalf of others: nothing of them is remembered.
      if (state.asking === 0 && state.taken === 0) this.states.delete(queueId);
    }
  }

  /** A request on the way of a visit, or of an exclusive request: others wait for it, and for the delay after it. */
  async send(url: string, work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    const { queueOf, leases } = this.parts;
    const queueId = await queueOf(url);
    leases.enqueued(queueId);
    let met = false;
    try {
      const answer = await this.page(queueId, work);
      met = metServer(answer);
      return answer;
    } finally {
      leases.ended(queueId, performance.now(), met);
    }
  }

  /** An exclusive request. Undefined when another task has the queue. */
  async exclusive(url: string, work: () => Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    const { leases, pages, delayOf, isTooLong } = this.parts;
    const queueId = await this.parts.queueOf(url);
    if (!leases.hasLease(queueId)) await this.parts.lease(queueId);
    if (!leases.hasLease(queueId)) return undefined;
    const state = this.stateOf(queueId);
    const delay = delayOf(queueId);
    const rest = leases.rest(queueId, performance.now());
    if (isTooLong(rest - delay + state.waiting * delay))
      return localFailure('timeout', 'it leads to a host that is left alone');
    leases.enqueued(queueId);
    pages?.suspend(queueId);
    state.taken++;
    state.waiting++;
    const mine = state.tail.then(() => this.run(queueId, state, work));
    // The last answer may be large, and the queue is kept.
    state.tail = mine.then(nothing, nothing);
    return mine;
  }

  private async run(
    queueId: string,
    state: RequestState,
    work: () => Promise<HttpAnswer>,
  ): Promise<HttpAnswer | undefined> {
    const { leases, pages, delayOf, signal } = this.parts;
    let asked = false;
    try {
      await this.wait(queueId, state);
      if (signal.aborted) return failure('aborted', 'the fetch was aborted');
      if (!leases.hasLease(queueId)) return undefined;
      asked = true;
      state.asking++;
      return await work();
    } finally {
      const now = performance.now();
      state.waiting--;
      if (asked) state.asking--;
      leases.ended(queueId, now, asked);
      if (asked) pages?.deferUntil(queueId, now + delayOf(queueId));
      pages?.resume(queueId);
    }
  }

  private async wait(queueId: string, state: RequestState): Promise<void> {
    const { leases, signal } = this.parts;
    for (;;) {
      const rest = Math.max(leases.rest(queueId, performance.now()), state.asking > 0 ? LOOK_MS : 0);
      if (rest === 0 || signal.aborted) return;
      await sleep(rest, undefined, { signal }).catch(() => undefined);
    }
  }

  private stateOf(queueId: string): RequestState {
    let state = this.states.get(queueId);
    if (!state) this.states.set(queueId, (state = { taken: 0, waiting: 0, asking: 0, tail: Promise.resolve() }));
    return state;
  }
}
