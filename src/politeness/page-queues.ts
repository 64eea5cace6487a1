/**
 * The fetch queues of a task that keeps pages in memory (FETCH): the waiting pages (core/politeness), the leases and the pace of
 * their queues, and the requests to these queues that are not for a page.
 */
import { FetchQueues } from '../core/politeness/fetch-queues.js';
import type { QueueRules } from '../core/politeness/queue-rules.js';
import type { Conf } from '../core/conf/properties.js';
import type { Sql } from '../db/sql.js';
import { LeaseBatcher } from './lease-batcher.js';
import { HostPacer, type QueuedPage, withSlack } from './host-pace.js';
import type { QueueIds } from './queue-ids.js';
import { QueueLeases } from './queue-leases.js';
import { QueueRequests } from './queue-requests.js';

export interface PageQueueOptions {
  conf: Conf;
  rules: QueueRules;
  ids: QueueIds;
  crawl: number;
  /** Task and attempt. */
  owner: string;
  /** Retries statements after failures of the database. */
  db: Sql;
  /** Does not retry. */
  once: Sql;
  signal: AbortSignal;
}

export class PageQueues<T extends QueuedPage> {
  readonly pages: FetchQueues<T>;
  readonly leases: QueueLeases;
  readonly pace: HostPacer;
  readonly requests: QueueRequests;
  /** Many queues of other tasks can be due for another attempt at once. */
  private readonly leasing = new LeaseBatcher((queueIds) => this.lease(queueIds));

  constructor({ conf, rules, ids, crawl, owner, db, once, signal }: PageQueueOptions) {
    const pages = (this.pages = new FetchQueues<T>(rules));
    const delayMs = withSlack(conf['fetcher.server.delay'] * 1000);
    const leases = (this.leases = new QueueLeases({ db, once, owner, delayMs, maxBlockMs: rules.maxBackOffMs }));
    ids.keepWhile((queueId) => leases.knows(queueId));
    const pace = (this.pace = new HostPacer({ conf, db, crawl, queues: pages, leases }));
    this.requests = new QueueRequests({
      leases,
      pages,
      signal,
      queueOf: (url) => ids.idOf(url),
      lease: (queueId) => this.lease([queueId]),
      delayOf: (queueId) => pace.delayOf(queueId),
      isTooLong: (ms) => pace.isTooLong(ms),
    });
  }

  /** Leases the queues of new pages, and reads the settings of their hosts. */
  async prepare(items: readonly T[]): Promise<void> {
    const queueIds = new Set(items.map(({ queueId }) => queueId));
    await this.lease([...queueIds].filter((id) => !this.leases.hasLease(id)));
    await this.pace.load(items);
  }

  /** Leases a queue, in one statement with others that are due at about the same time. */
  leaseSoon(queueId: string): Promise<void> {
    return this.leasing.add(queueId);
  }

  /** Renews leases and reads settings again, at intervals. @returns queues with excluded hosts */
  async maintain(): Promise<string[]> {
    const { pages, leases, requests } = this;
    const excluded = await this.pace.refresh(performance.now());
    const lost = await leases.maintain(performance.now());
    for (const id of lost) pages.deferUntil(id, performance.now() + leases.againMs(id));
    await leases.releaseWanted(performance.now(), (id) => pages.isBusy(id) || requests.hasRequest(id));
    requests.forgetUnused(performance.now());
    return excluded;
  }

  /** Leases queues, and defers each until its delay is over or, if another task has it, until the next attempt to lease it. */
  private async lease(queueIds: string[]): Promise<void> {
    const { leases } = this;
    const got = await leases.lease(queueIds);
    const now = performance.now();
    for (const id of queueIds) {
      const waitMs = got.get(id)?.waitMs ?? leases.againMs(id);
      if (waitMs > 0) this.pages.deferUntil(id, now + waitMs);
    }
    await leases.wantQueues(
      queueIds.filter((id) => !got.has(id)),
      now,
    );
  }
}
