/**
 * Requests one after another per fetch queue, with the rest between them that a host, domain or address is owed, kept together
 * with FETCH by the same leases: a queue is leased before its first request, kept while there is work for it, and released
 * back with what is left of its rest when its host is done, or when nobody has asked for it for a while: redirects and
 * robots.txt files lead to hosts that are never done. Taken again it keeps its pace.
 */
import { lookup } from 'node:dns/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { queueKeyOf } from '../../core/url/partition.js';
import type { Sql } from '../../db/sql.js';
import { type HttpAnswer, metServer } from '../../net/http-answer.js';
import { type BackOffRules, backOff } from '../../core/politeness/back-off.js';
import { withSlack } from '../fetch/host-pace.js';
import {
  QUEUE_VALID_SECONDS,
  QUEUE_LEASE_SECONDS,
  QUEUE_MIN_LEASE_SECONDS,
  blockQueue,
  leaseQueues,
  noteDelay,
  releaseQueues,
  renewQueues,
  wantQueues,
} from '../fetch/politeness.sql.js';

export interface LeasedQueueRules {
  /** The task, and which attempt at it. */
  owner: string;
  /** `fetcher.queue.mode`. */
  mode: string;
  /** Rest after a request, ms. */
  delayMs: number;
  /** How rests grow with failures in a row. */
  backOff: BackOffRules;
  /** A queue whose servers are to be left alone for longer is not waited for, ms (`fetcher.backoff.max.wait`); default: any is. */
  maxWaitMs?: number;
  /** Ends all waiting. */
  signal: AbortSignal;
  /** For so long a queue that nobody asks for is kept, ms; default 15 s. */
  idleMs?: number;
  /** For so long at least it stays when another task waits for it, ms. */
  minLeaseMs?: number;
}

/** How a request ended. `rest` false: no server was asked, so none needs a rest. */
export interface RequestEnd<T> {
  value: T;
  rest: boolean;
  /** The server could not serve us: what it asks for by Retry-After, ms; 0: nothing. */
  trouble?: number;
}

/**
 * What is done while the queue is ours.
 * @param setDelay the rest that the queue needs from now on, ms, if it is longer than that of the rules; written to the table before
 * the request, so that it holds for whoever comes after a process that dies in it
 * @param isLeased whether a request may still begin: what was done before it may have taken longer than the lease lasts
 */
export type RequestWork<T> = (
  setDelay: (ms: number) => Promise<void>,
  isLeased: () => boolean,
) => Promise<RequestEnd<T>>;

interface QueuedRequest<T> {
  work: RequestWork<T>;
  leftAlone: () => T | undefined;
}

interface Queue {
  ours: boolean;
  /** Until then requests may begin without word from the database, ms by the monotonic clock. */
  leasedUntil: number;
  /** Since when, ms by the monotonic clock. */
  since: number;
  /** Other tasks have waited for it long enough: they get it between two requests. */
  isLeaving: boolean;
  /** Requests that have begun: it is released only between two of them. */
  begun: number;
  /** Requests under way: one, whoever makes it. */
  asking: number;
  /** No request before this, ms by the monotonic clock. */
  nextAt: number;
  /** Its servers are to be left alone until then (back-off, Retry-After), by the same clock: part of `nextAt`. */
  blockedUntil: number;
  delayMs: number;
  /** Whether `delayMs` is what one of its hosts asks for, and not just the default. */
  paced: boolean;
  /** Failures in a row. */
  failures: number;
  tail: Promise<unknown>;
  /** Requests that wait or are under way: while there are any, it is not released. */
  waiting: number;
  /** End of its last request, ms by the monotonic clock. */
  idleSince: number;
}

const RENEW_MS = (QUEUE_LEASE_SECONDS * 1000) / 4;
const VALID_MS = QUEUE_VALID_SECONDS * 1000;
const IDLE_MS = 15_000;
const AGAIN_MS = 500;
/** How often it is looked whether the request under way has ended. */
const LOOK_MS = 50;
/** Queues whose pace is remembered while they are not ours; of further ones the table knows the rest, and no more. */
const MAX_REMEMBERED = 10_000;
/** How often a queue that another task holds is asked for before the caller is sent to do something else. */
const TRIES = 10;
/** Tries to lease it for each request to its holder. */
const TRIES_PER_REQUEST = 4;

const nothing = (): void => undefined;
const isLeased = ({ ours, leasedUntil }: Queue): boolean => ours && performance.now() < leasedUntil;

export class LeasedQueues {
  private readonly queues = new Map<string, Queue>();
  private readonly addresses = new Map<string, string>();
  private readonly idleMs: number;
  private readonly minLeaseMs: number;
  private readonly tending: NodeJS.Timeout;
  /** Leases are renewed and given back until this is over. None is taken before: they would meet in the table in any order. */
  private changing: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly db: Sql,
    private readonly rules: LeasedQueueRules,
  ) {
    this.idleMs = rules.idleMs ?? IDLE_MS;
    this.minLeaseMs = rules.minLeaseMs ?? QUEUE_MIN_LEASE_SECONDS * 1000;
    this.tending = setInterval(() => this.tend(), Math.min(RENEW_MS, this.idleMs / 2)).unref();
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
    const queueId = await this.queueIdOf(url);
    const queue = this.queueOf(queueId);
    return this.keeping(queue, () => {
      const mine = queue.tail.then(() => this.run(queueId, queue, { work, leftAlone }));
      // The last value may be large, and the queue is kept.
      queue.tail = mine.then(nothing, nothing).then(() => this.giveWay(queueId, queue));
      return mine;
    });
  }

  /**
   * The pace of a host's queue: its own rest, ms (null: as the rules say), and how long it is left alone from now on. Of
   * the hosts of a queue the slowest sets its pace.
   */
  async pace(url: string, { delayMs, waitMs }: { delayMs: number | null; waitMs: number }): Promise<void> {
    const queue = this.queueOf(await this.queueIdOf(url));
    const own = withSlack(delayMs ?? this.rules.delayMs);
    queue.delayMs = queue.paced ? Math.max(queue.delayMs, own) : own;
    queue.paced = true;
    queue.nextAt = Math.max(queue.nextAt, performance.now() + waitMs);
  }

  /**
   * A request that another one needs while it runs (a robots.txt on another host): it keeps the rest of its queue, and
   * does not wait for those who wait there, so that not two of them wait for each other.
   */
  async aside<T>(url: string, work: () => Promise<T>): Promise<T | undefined> {
    const queueId = await this.queueIdOf(url);
    const queue = this.queueOf(queueId);
    return this.keeping(queue, () =>
      this.run<T>(queueId, queue, {
        work: async () => ({ value: await work(), rest: true }),
        leftAlone: () => undefined,
      }),
    );
  }

  /**
   * A request to the queue of a URL, enqueued or aside: it waits for the one that is under way, and the queue rests after it. Turns may
   * take long after theirs, and nobody who is aside waits for their end.
   */
  async request(url: string, send: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
    const queue = this.queueOf(await this.queueIdOf(url));
    while (queue.asking > 0) await sleep(LOOK_MS);
    queue.asking++;
    try {
      const answer = await send();
      if (metServer(answer)) queue.nextAt = Math.max(queue.nextAt, performance.now() + queue.delayMs);
      return answer;
    } finally {
      queue.asking--;
    }
  }

  /** How long the queue of a URL must still rest, ms. */
  async restOf(url: string): Promise<number> {
    return Math.max(0, this.queueOf(await this.queueIdOf(url)).nextAt - performance.now());
  }

  /** The queue with requests that rests longest, where that is longer than `minMs`: its name, and for how many ms more. */
  resting(minMs: number): { queueId: string; ms: number } | null {
    const now = performance.now();
    let longest: { queueId: string; ms: number } | null = null;
    for (const [queueId, { waiting, asking, nextAt }] of this.queues) {
      const ms = nextAt - now;
      if (waiting > 0 && asking === 0 && ms > (longest?.ms ?? minMs)) longest = { queueId, ms };
    }
    return longest;
  }

  /** Gives back the queues of a URL's host when no request waits for it here. */
  async leave(url: string): Promise<void> {
    const queueId = await this.queueIdOf(url);
    if (this.queues.get(queueId)?.waiting === 0) await this.giveBack([queueId]);
  }

  async close(): Promise<void> {
    clearInterval(this.tending);
    await this.giveBack([...this.queues.keys()]);
    await this.changing;
  }

  /** A queue is not released while it has requests. */
  private async keeping<T>(queue: Queue, request: () => Promise<T>): Promise<T> {
    queue.waiting++;
    try {
      return await request();
    } finally {
      queue.waiting--;
      queue.idleSince = performance.now();
    }
  }

  private async run<T>(queueId: string, queue: Queue, request: QueuedRequest<T>): Promise<T | undefined> {
    queue.begun++;
    try {
      return await this.ask(queueId, queue, request);
    } finally {
      queue.begun--;
    }
  }

  private async ask<T>(queueId: string, queue: Queue, { work, leftAlone }: QueuedRequest<T>): Promise<T | undefined> {
    const { signal, maxWaitMs = Infinity } = this.rules;
    // While it rests, the lease may run out, and others may ask.
    do {
      if (!(await this.lease(queueId, queue))) return undefined;
      if (queue.blockedUntil - performance.now() > maxWaitMs) return leftAlone();
      const rest = Math.max(queue.nextAt - performance.now(), queue.asking > 0 ? LOOK_MS : 0);
      // A timer may come a millisecond early.
      if (rest > 0) await sleep(Math.ceil(rest) + 1, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
    } while (!isLeased(queue) || queue.asking > 0 || queue.nextAt > performance.now());
    // Taken beforehand, so that nobody else goes meanwhile.
    const [before, taken] = [queue.nextAt, performance.now() + queue.delayMs];
    queue.nextAt = taken;
    const end = await work(
      (ms) => this.setDelay(queueId, queue, withSlack(ms)),
      () => isLeased(queue),
    );
    if (end.rest) queue.nextAt = Math.max(queue.nextAt, performance.now() + queue.delayMs);
    else if (queue.nextAt === taken) queue.nextAt = before;
    if (end.trouble !== undefined) await this.backOff(queueId, queue, end.trouble);
    else if (end.rest) queue.failures = 0;
    return end.value;
  }

  private async setDelay(queueId: string, queue: Queue, delayMs: number): Promise<void> {
    queue.paced = true;
    if (delayMs <= queue.delayMs) return;
    queue.delayMs = delayMs;
    await noteDelay(this.db, this.rules.owner, { queueId, delayMs });
  }

  /** A queue in trouble rests longer, here and for all who have it after us. */
  private async backOff(queueId: string, queue: Queue, asked: number): Promise<void> {
    queue.failures++;
    const ms = Math.max(asked, backOff(queue.failures, this.rules.backOff));
    if (ms === 0) return;
    queue.blockedUntil = Math.max(queue.blockedUntil, performance.now() + ms);
    queue.nextAt = Math.max(queue.nextAt, queue.blockedUntil);
    await blockQueue(this.db, this.rules.owner, queueId, ms);
  }

  private async lease(queueId: string, queue: Queue): Promise<boolean> {
    for (let tries = 0; !isLeased(queue) && tries < TRIES && !this.rules.signal.aborted; tries++) {
      await this.changing;
      const asked = performance.now();
      const wanted = [{ queueId, delayMs: queue.delayMs }];
      const [got] = await leaseQueues(this.db, this.rules.owner, wanted, this.rules.backOff.max);
      if (got) {
        const now = performance.now();
        if (!queue.ours) queue.since = now;
        queue.ours = true;
        queue.leasedUntil = asked + VALID_MS;
        queue.nextAt = Math.max(queue.nextAt, now + got.waitMs);
        queue.blockedUntil = Math.max(queue.blockedUntil, now + got.blockedMs);
        break;
      }
      if (tries % TRIES_PER_REQUEST === 0) await wantQueues(this.db, this.rules.owner, [queueId]);
      await sleep(AGAIN_MS, undefined, { signal: this.rules.signal }).catch(() => undefined);
    }
    return isLeased(queue) && !this.rules.signal.aborted;
  }

  private queueOf(queueId: string): Queue {
    let queue = this.queues.get(queueId);
    if (!queue) {
      const delayMs = withSlack(this.rules.delayMs);
      queue = {
        ours: false,
        leasedUntil: -Infinity,
        since: -Infinity,
        isLeaving: false,
        begun: 0,
        asking: 0,
        nextAt: 0,
        blockedUntil: 0,
        delayMs,
        paced: false,
        failures: 0,
        tail: Promise.resolve(),
        waiting: 0,
        idleSince: 0,
      };
      this.queues.set(queueId, queue);
    }
    return queue;
  }

  /** Gives back what nobody has asked for of late, and keeps the leases of the other queues. */
  private tend(): void {
    const since = performance.now() - this.idleMs;
    const leased = [...this.queues].filter(([, { ours }]) => ours);
    const { idle = [], used = [] } = Object.groupBy(leased, ([, { waiting, idleSince }]) =>
      waiting === 0 && idleSince <= since ? 'idle' : 'used',
    );
    void this.giveBack(idle.map(([id]) => id));
    if (used.length > 0) void this.change(this.renew(used.map(([id]) => id)));
  }

  private async renew(queueIds: string[]): Promise<void> {
    const now = performance.now();
    const kept = await renewQueues(this.db, this.rules.owner, queueIds);
    const lost = new Set(queueIds);
    for (const { queueId, isWanted } of kept) {
      lost.delete(queueId);
      const queue = this.queueOf(queueId);
      queue.leasedUntil = now + VALID_MS;
      queue.isLeaving ||= isWanted && now - queue.since >= this.minLeaseMs;
    }
    for (const id of lost) this.queueOf(id).ours = false;
  }

  /** Between two requests a queue is released to the task that waits for it; then the tasks alternate. */
  private async giveWay(queueId: string, queue: Queue): Promise<void> {
    if (queue.ours && queue.isLeaving && queue.begun === 0) await this.giveBack([queueId]);
  }

  /** The rest of a queue goes with it; what else is not as usual stays here. */
  private async giveBack(queueIds: string[]): Promise<void> {
    const now = performance.now();
    const defaultDelayMs = withSlack(this.rules.delayMs);
    const given = queueIds.flatMap((queueId) => {
      const queue = this.queueOf(queueId);
      const { ours, nextAt, delayMs, failures } = queue;
      queue.ours = queue.isLeaving = false;
      const isDefault = (delayMs === defaultDelayMs && failures === 0) || this.queues.size > MAX_REMEMBERED;
      if (queue.waiting === 0 && isDefault && (ours || nextAt <= now)) this.queues.delete(queueId);
      return ours ? [{ queueId, restMs: Math.max(0, nextAt - now) }] : [];
    });
    if (given.length > 0) await this.change(releaseQueues(this.db, this.rules.owner, given));
  }

  /** What cannot be written now ends by itself: the lease expires. */
  private async change(changing: Promise<void>): Promise<void> {
    this.changing = Promise.allSettled([this.changing, changing]).then(nothing);
    await this.changing;
  }

  private async queueIdOf(url: string): Promise<string> {
    const { hostname } = new URL(url);
    if (this.rules.mode === 'byIP' && !this.addresses.has(hostname)) {
      const found = await lookup(hostname).catch(() => null);
      if (found) this.addresses.set(hostname, found.address);
    }
    return queueKeyOf(url, this.rules.mode, this.addresses.get(hostname));
  }
}
