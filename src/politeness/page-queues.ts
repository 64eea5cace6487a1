/**
 * The fetch queues of a task that keeps pages in memory (FETCH): the pages that wait (core/politeness), the leases that let their
 * hosts be asked, how fast, and the requests to these hosts that are for no page.
 */
import { FetchQueues, type QueueRules } from '../core/politeness/fetch-queues.js';
import type { Conf } from '../conf/properties.js';
import type { Sql } from '../db/sql.js';
import { Gathering } from './lease-batcher.js';
import { HostPace, type QueuedPage, withSlack } from './host-pace.js';
import type { QueueIds } from './queue-ids.js';
import { QueueLeases } from './queue-leases.js';
import { QueueRequests } from './queue-requests.js';

export interface PageQueueParts {
  conf: Conf;
  rules: QueueRules;
  ids: QueueIds;
  crawl: number;
  /** The task, and which attempt at it. */
  owner: string;
  /** Statements that fail with the database are tried again. */
  db: Sql;
  /** They are not. */
  once: Sql;
  signal: AbortSignal;
}

export class PageQueues<T extends QueuedPage> {
  readonly pages: FetchQueues<T>;
  readonly leases: QueueLeases;
  readonly pace: HostPace;
  readonly requests: QueueRequests;
  /** Queues that other tasks have come back in crowds. */
  private readonly leasing = new Gathering((queueIds) => this.lease(queueIds));

  constructor({ conf, rules, ids, crawl, owner, db, once, signal }: PageQueueParts) {
    const pages = (this.pages = new FetchQueues<T>(rules));
    const delayMs = withSlack(conf['fetcher.server.delay'] * 1000);
    const leases = (this.leases = new QueueLeases({ db, once, owner, delayMs, maxBlockMs: rules.maxBackOff }));
    const pace = (this.pace = new HostPace({ conf, db, crawl, queues: pages, leases }));
    this.requests = new QueueRequests({
      leases,
      pages,
      signal,
      queueOf: (url) => ids.of(url),
      lease: (queueId) => this.lease([queueId]),
      delayOf: (queueId) => pace.delayOf(queueId),
      isTooLong: (ms) => pace.isTooLong(ms),
    });
  }

  /** Leases the queues of pages that were just read, and reads the settings of their hosts. */
  async prepare(items: readonly T[]): Promise<void> {
    const queueIds = new Set(items.map(({ queueId }) => queueId));
    await this.lease([...queueIds].filter((id) => !this.leases.hasLease(id)));
    await this.pace.load(items);
  }

  /** Leases a queue together with others that are asked for in the same moment. */
  leaseSoon(queueId: string): Promise<void> {
    return this.leasing.add(queueId);
  }

  /** Looks after leases and settings, from time to time. @returns queues that have hosts which are excluded now */
  async tend(): Promise<string[]> {
    const { pages, leases, requests } = this;
    const excluded = await this.pace.look(performance.now());
    const lost = await leases.tend(performance.now());
    for (const id of lost) pages.deferUntil(id, performance.now() + leases.againMs(id));
    await leases.giveWay(performance.now(), (id) => pages.isBusy(id) || requests.isAsked(id));
    return excluded;
  }

  /** Pages of a queue go when it is ours and its delay is over; with another task, when it is to be asked for again. */
  private async lease(queueIds: string[]): Promise<void> {
    const { leases } = this;
    const got = await leases.lease(queueIds);
    const now = performance.now();
    for (const id of queueIds) {
      const waitMs = got.get(id)?.waitMs ?? leases.againMs(id);
      if (waitMs > 0) this.pages.deferUntil(id, now + waitMs);
    }
    await leases.requestQueues(
      queueIds.filter((id) => !got.has(id)),
      now,
    );
  }
}
