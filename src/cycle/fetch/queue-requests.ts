/**
 * Requests to the host of a fetch queue that are not for its pages: the robots.txt of another host redirects there. Such a request
 * is exclusive. No page of the queue is requested while it waits or is under way. It waits for the requests under way, for the
 * delay after them, and for other requests of its kind.
 *
 * It does not wait for visits that have not sent their request yet: these may themselves wait for another queue.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchQueues } from '../../core/politeness/fetch-queues.js';
import { type HttpAnswer, failure, localFailure, metServer } from '../../net/http-answer.js';
import type { HostPace } from './host-pace.js';
import type { QueueLeases } from './queue-leases.js';
import type { Item } from './chunk-feeder.js';

export interface QueueRequestParts {
  queues: FetchQueues<Item>;
  leases: QueueLeases;
  pace: HostPace;
  queueOf: (url: string) => Promise<string>;
  /** Leases a queue, and puts it off for as long as it must wait. */
  lease: (queueId: string) => Promise<void>;
  /** Ends all waiting. */
  signal: AbortSignal;
}

interface RequestState {
  /** So many were asked for, ever, and so many wait or are under way. */
  taken: number;
  waiting: number;
  /** Requests under way. */
  asking: number;
  tail: Promise<unknown>;
}

/** How often it is looked whether the requests under way have ended. */
const LOOK_MS = 50;

const nothing = (): void => undefined;

export class QueueRequests {
  private readonly states = new Map<string, RequestState>();

  constructor(private readonly parts: QueueRequestParts) {}

  /** How many such requests a queue has had so far. */
  taken(queueId: string): number {
    return this.states.get(queueId)?.taken ?? 0;
  }

  /** Whether a request to a queue is under way. */
  isAsked(queueId: string): boolean {
    return (this.states.get(queueId)?.asking ?? 0) > 0;
  }

  /** A request for a page of a queue. */
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

  /** A request for a robots.txt, of a visit for its own host or of an exclusive request: others wait for it, and for the delay after it. */
  async robots(url: string, work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    const { queueOf, leases } = this.parts;
    const queueId = await queueOf(url);
    leases.pageRead(queueId);
    let met = false;
    try {
      const answer = await this.page(queueId, work);
      met = metServer(answer);
      return answer;
    } finally {
      leases.pageDone(queueId, performance.now(), met);
    }
  }

  /** A request that is no page: it runs while the queue gives no page. Undefined when another task has the queue. */
  async exclusive(url: string, work: () => Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    const { queues, leases, pace } = this.parts;
    const queueId = await this.parts.queueOf(url);
    if (!leases.hasLease(queueId)) await this.parts.lease(queueId);
    if (!leases.hasLease(queueId)) return undefined;
    const state = this.stateOf(queueId);
    const delay = pace.delayOf(queueId);
    const rest = leases.rest(queueId, performance.now());
    if (pace.isTooLong(rest - delay + state.waiting * delay))
      return localFailure('timeout', 'it leads to a host that is left alone');
    leases.pageRead(queueId);
    queues.suspend(queueId);
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
    const { queues, leases, pace, signal } = this.parts;
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
      leases.pageDone(queueId, now, asked);
      if (asked) queues.deferUntil(queueId, now + pace.delayOf(queueId));
      queues.resume(queueId);
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
