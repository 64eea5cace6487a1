/**
 * Requests to the host of a fetch queue that are no pages of it: a robots.txt of another host that redirects there. Each takes
 * the place of a page: none of them goes while such a request waits or is under way, and it waits for those under way, for
 * the rest after them, and for others of its kind.
 *
 * It does not wait for visits that have not come to their request: they may themselves wait for a turn elsewhere.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FetchQueues } from '../../core/politeness/fetch-queues.js';
import { type HttpAnswer, failure, localFailure, metServer } from '../../net/http-answer.js';
import type { HostPace } from './host-pace.js';
import type { QueueLeases } from './queue-leases.js';
import type { Item } from './window-feeder.js';

export interface TurnParts {
  queues: FetchQueues<Item>;
  leases: QueueLeases;
  pace: HostPace;
  queueOf: (url: string) => Promise<string>;
  /** Leases a queue, and puts it off for as long as it must wait. */
  lease: (queueId: string) => Promise<void>;
  /** Ends all waiting. */
  signal: AbortSignal;
}

interface Turns {
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

export class QueueTurns {
  private readonly turns = new Map<string, Turns>();

  constructor(private readonly parts: TurnParts) {}

  /** How many turns a queue has given so far. */
  taken(queueId: string): number {
    return this.turns.get(queueId)?.taken ?? 0;
  }

  /** Whether a request to a queue is under way. */
  isAsked(queueId: string): boolean {
    return (this.turns.get(queueId)?.asking ?? 0) > 0;
  }

  /** A request for a page of a queue. */
  async page<T>(queueId: string, work: () => Promise<T>): Promise<T> {
    const turns = this.turnsOf(queueId);
    turns.asking++;
    try {
      return await work();
    } finally {
      turns.asking--;
      // Most hosts are never asked on behalf of others: nothing of them is remembered.
      if (turns.asking === 0 && turns.taken === 0) this.turns.delete(queueId);
    }
  }

  /** A request for a robots.txt, of a visit for its own host or within a turn: others wait for it, and for the rest after it. */
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

  /** A request that is no page waits for the turn of its queue; undefined when the queue is with another task. */
  async turn(url: string, work: () => Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    const { queues, leases, pace } = this.parts;
    const queueId = await this.parts.queueOf(url);
    if (!leases.holds(queueId)) await this.parts.lease(queueId);
    if (!leases.holds(queueId)) return undefined;
    const turns = this.turnsOf(queueId);
    const delay = pace.delayOf(queueId);
    const rest = leases.rest(queueId, performance.now());
    if (pace.isTooLong(rest - delay + turns.waiting * delay))
      return localFailure('timeout', 'it leads to a host that is left alone');
    leases.pageRead(queueId);
    queues.hold(queueId);
    turns.taken++;
    turns.waiting++;
    const mine = turns.tail.then(() => this.run(queueId, turns, work));
    // The answer of the last turn may be a large one, and the queue stays.
    turns.tail = mine.then(nothing, nothing);
    return mine;
  }

  private async run(queueId: string, turns: Turns, work: () => Promise<HttpAnswer>): Promise<HttpAnswer | undefined> {
    const { queues, leases, pace, signal } = this.parts;
    let asked = false;
    try {
      await this.wait(queueId, turns);
      if (signal.aborted) return failure('aborted', 'the fetch was aborted');
      if (!leases.holds(queueId)) return undefined;
      asked = true;
      turns.asking++;
      return await work();
    } finally {
      const now = performance.now();
      turns.waiting--;
      if (asked) turns.asking--;
      leases.pageDone(queueId, now, asked);
      if (asked) queues.deferUntil(queueId, now + pace.delayOf(queueId));
      queues.free(queueId);
    }
  }

  private async wait(queueId: string, turns: Turns): Promise<void> {
    const { leases, signal } = this.parts;
    for (;;) {
      const rest = Math.max(leases.rest(queueId, performance.now()), turns.asking > 0 ? LOOK_MS : 0);
      if (rest === 0 || signal.aborted) return;
      await sleep(rest, undefined, { signal }).catch(() => undefined);
    }
  }

  private turnsOf(queueId: string): Turns {
    let turns = this.turns.get(queueId);
    if (!turns) this.turns.set(queueId, (turns = { taken: 0, waiting: 0, asking: 0, tail: Promise.resolve() }));
    return turns;
  }
}
