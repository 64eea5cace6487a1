/**
 * The request rate of the hosts of a task, and which hosts are excluded.
 *
 * The pace of a queue follows from the properties, robots.txt and the settings of its hosts (core/politeness/pace.ts).
 * Settings are read for the hosts of each chunk, and read again every two seconds for the known hosts: a change by hand takes
 * effect while the task runs. Pages of a host that is drained, or blocked for longer than the task would wait
 * (`fetcher.backoff.max.wait`), are excluded: they stay in their batch, not fetched.
 */
import type { Conf } from '../core/conf/properties.js';
import type { FetchQueues } from '../core/politeness/fetch-queues.js';
import {
  MAX_DELAY_MS,
  MAX_THREADS_PER_QUEUE,
  type Pace,
  type PaceSettings,
  paceOf,
  politest,
} from '../core/politeness/pace.js';
import { type HostSettings, type HostState, hostStates } from './host-settings.store.js';
import type { Sql } from '../db/sql.js';
import type { QueueLeases } from './queue-leases.js';
import { EXCLUDED_HOST } from '../core/job/fetch-counters.js';

/**
 * The gap that a server measures may be shorter than ours, as network times vary and its clock differs: so the delay is longer
 * than required by this share, and by at most `max` ms. Otherwise it might measure 198 ms instead of 200.
 */
const SLACK = { share: 0.1, max: 50 };
export const withSlack = (delay: number): number => delay + Math.min(delay * SLACK.share, SLACK.max);
/**
 * Timers of Node have a resolution of 1 ms and fire 1 to 2 ms late: for the end of a delay another timer is not worth it. So a
 * request may start this many ms before a delay of this length ends, within its slack.
 */
export const earlyBy = (delay: number): number => Math.min(1, (delay * SLACK.share) / 4);

/** Interval at which the settings of the known hosts are read again. */
const REFRESH_MS = 2_000;

/** Why a page stays in its batch: the name of its counter. */
export type ExclusionCounter = (typeof EXCLUDED_HOST)[keyof typeof EXCLUDED_HOST];

export interface QueuedPage {
  queueId: string;
  page: { host: string };
}

export interface HostPaceOptions {
  conf: Conf;
  /** Retries statements after failures of the database. */
  db: Sql;
  crawl: number;
  /** The pages of the task in memory. */
  queues: Pick<FetchQueues<never>, 'blockUntil' | 'configure' | 'deferredUntil' | 'lift'>;
  leases: QueueLeases;
}

interface Host {
  queueId: string;
  settings: PaceSettings;
  drain: boolean;
  /** Blocked until then, ms by the monotonic clock; -Infinity: not blocked. */
  blockedUntil: number;
  /** Number of own blocks not yet written to the table, and when the last one was written, ms by the monotonic clock. */
  unwritten: number;
  writtenAt: number;
  /** Failures in a row before this task. */
  failures: number;
}

/** A number from the host metadata of Nutch 2.x, clamped to the range; null if it is not a number. */
const numberOf = (text: string | null | undefined, min: number, max: number): number | null =>
  typeof text === 'string' && /^\d{1,9}$/.test(text) ? Math.min(Math.max(Number(text), min), max) : null;

/** The settings of a host: by hand, else by GENERATE's expression, else metadata (`fetcher.queue.use.host.settings`). */
export function settingsOf(state: HostSettings | undefined, conf: Conf): PaceSettings {
  const hostSettings = conf['fetcher.queue.use.host.settings'] ? state : undefined;
  return {
    threads: state?.threads ?? numberOf(hostSettings?.q_mt, 1, MAX_THREADS_PER_QUEUE),
    delayMs: state?.delayMs ?? state?.fetchDelayMs ?? numberOf(hostSettings?.q_cd, 0, MAX_DELAY_MS),
    minDelayMs: state?.minDelayMs ?? numberOf(hostSettings?.q_mcd, 0, MAX_DELAY_MS),
  };
}

export class HostPacer {
  private readonly hosts = new Map<string, Host>();
  /** Hosts with settings, by queue. */
  private readonly ofQueue = new Map<string, Set<string>>();
  /** Until when the blocks of its hosts block a queue, by queue, ms by the monotonic clock: those for which the task waits. */
  private queueBlocks = new Map<string, number>();
  /** Crawl delay of robots.txt, by queue, ms; forgotten with the queue, and set again before its next request. */
  private readonly crawlDelays = new Map<string, number>();
  private readonly rules: Pace;
  private readonly maxWaitMs: number;
  private refreshedAt = performance.now();
  private readonly queues: HostPaceOptions['queues'];
  private readonly leases: QueueLeases;

  constructor(private readonly options: HostPaceOptions) {
    ({ queues: this.queues, leases: this.leases } = options);
    this.rules = paceRules(options.conf);
    this.maxWaitMs = options.conf['fetcher.backoff.max.wait'] * 1000;
  }

  /** Reads the settings of hosts that are not known yet. */
  async load(items: readonly QueuedPage[]): Promise<void> {
    const fresh = new Map(items.filter(({ page }) => !this.hosts.has(page.host)).map((i) => [i.page.host, i.queueId]));
    await this.read(fresh);
  }

  /**
   * Reads the settings of the known hosts again, at intervals.
   * @returns queues with excluded hosts: the caller checks their pages
   */
  async refresh(now: number): Promise<string[]> {
    if (now - this.refreshedAt < REFRESH_MS) return [];
    this.refreshedAt = now;
    for (const [host, { queueId }] of this.hosts) if (!this.leases.knows(queueId)) this.forget(host, queueId);
    const known = new Map([...this.hosts].map(([host, { queueId }]) => [host, queueId]));
    await this.read(known);
    this.blockQueues();
    const excluded = [...known].filter(([host, queueId]) => this.excluded(host, queueId, now) !== null);
    return [...new Set(excluded.map(([, queueId]) => queueId))];
  }

  /** Why the pages of a host are excluded; null: they are not. */
  excluded(host: string, queueId: string, now: number): ExclusionCounter | null {
    if (this.hosts.get(host)?.drain) return EXCLUDED_HOST.drained;
    return this.excludedUntil(host, queueId) > now ? EXCLUDED_HOST.blocked : null;
  }

  /**
   * When the block of a host and its queue is short enough to be waited for, ms by the monotonic clock; Infinity: drained.
   * @param stored end of the block of a queue that is not in memory
   */
  excludedUntil(host: string, queueId: string, stored = -Infinity): number {
    const { drain = false, blockedUntil = -Infinity } = this.hosts.get(host) ?? {};
    if (drain) return Infinity;
    return Math.max(blockedUntil, this.leases.blockedUntil(queueId), stored) - this.maxWaitMs;
  }

  /** Cancels the deferral of a queue whose block was removed after its lease was released: its next lease has what remains. */
  liftReleased(queueId: string, now: number): void {
    if (this.leases.knows(queueId)) return;
    if (this.isTooLong(this.queues.deferredUntil(queueId) - now)) this.queues.lift(queueId, now);
  }

  /** Whether a host is blocked because of its queue: its own row has no block, or a shorter one. */
  isExcludedByQueue(host: string, queueId: string): boolean {
    return this.leases.blockedUntil(queueId) > (this.hosts.get(host)?.blockedUntil ?? -Infinity);
  }

  /** Sets the delay of a queue and the block of its host: a queue that became empty has lost both. */
  apply({ page, queueId }: QueuedPage): void {
    this.setPace(queueId);
    const until = Math.max(this.blockOf(page.host, performance.now()), this.queueBlocks.get(queueId) ?? -Infinity);
    if (until === -Infinity) return;
    this.queueBlocks.set(queueId, until);
    this.queues.blockUntil(queueId, until);
  }

  /** Crawl delay of a queue, ms; -Infinity: not known. */
  crawlDelay(queueId: string): number {
    return this.crawlDelays.get(queueId) ?? -Infinity;
  }

  /** Sets the crawl delay of robots.txt. Of several origins in one queue the longest applies. */
  raiseCrawlDelay(item: QueuedPage, crawlDelay: number): void {
    if (this.crawlDelay(item.queueId) >= crawlDelay) return;
    this.crawlDelays.set(item.queueId, crawlDelay);
    this.apply(item);
  }

  /** The delay after a request to a queue, ms. */
  delayOf(queueId: string): number {
    return this.paceOf(queueId).delayMs;
  }

  /** Failures of a host in a row before this task. */
  failuresBefore(host: string): number {
    return this.hosts.get(host)?.failures ?? 0;
  }

  /** A host has answered without failure: resets its earlier failures. */
  answered(host: string): void {
    const known = this.hosts.get(host);
    if (known) known.failures = 0;
  }

  /** Blocks a host, and with it the other hosts of its queue, until a time. */
  async block({ page, queueId }: QueuedPage, until: number, now: number): Promise<void> {
    const known = this.hosts.get(page.host);
    if (known) {
      known.blockedUntil = Math.max(known.blockedUntil, until);
      known.unwritten++;
    }
    await this.leases.block(queueId, until, now);
  }

  /** A block of a host has been written to the table: later reads include it. */
  blockWritten(host: string): void {
    const known = this.hosts.get(host);
    if (!known || known.unwritten === 0) return;
    known.unwritten--;
    known.writtenAt = performance.now();
  }

  /** Whether a queue is blocked now: by back-off, or at the request of its servers. */
  isBlocked(queueId: string, now: number): boolean {
    return this.leases.blockedUntil(queueId) > now;
  }

  /** Whether a wait exceeds the maximum of the task. */
  isTooLong(ms: number): boolean {
    return ms > this.maxWaitMs;
  }

  private paceOf(queueId: string): Pace {
    const settings = [...(this.ofQueue.get(queueId) ?? [])].flatMap((host) => this.hosts.get(host)?.settings ?? []);
    const { pace } = paceOf(this.rules, politest(settings), this.crawlDelays.get(queueId) ?? null);
    return { ...pace, delayMs: withSlack(pace.delayMs), minDelayMs: withSlack(pace.minDelayMs) };
  }

  private async read(hosts: Map<string, string>): Promise<void> {
    if (hosts.size === 0) return;
    const { conf, db, crawl } = this.options;
    const clearAfter = conf['fetcher.exceptions.per.queue.clear.after'];
    const max = conf['fetcher.backoff.max'];
    const since = performance.now();
    const states = await hostStates(db, crawl, [...hosts.keys()], { clearAfter, max });
    const byHost = new Map(states.map((state) => [state.host, state]));
    const now = performance.now();
    for (const [host, queueId] of hosts) this.learn(host, queueId, { state: byHost.get(host), since, now });
  }

  /** @param since when the read began: it does not include blocks written later */
  private learn(
    host: string,
    queueId: string,
    { state, since, now }: { state: HostState | undefined; since: number; now: number },
  ): void {
    const before = this.hosts.get(host);
    const settings = settingsOf(state, this.options.conf);
    const inTable = state && state.blockedMs > 0 ? now + state.blockedMs : -Infinity;
    const isSure = before === undefined || (before.unwritten === 0 && since >= before.writtenAt);
    this.hosts.set(host, {
      queueId,
      settings,
      drain: state?.drain ?? false,
      blockedUntil: isSure ? inTable : Math.max(inTable, before.blockedUntil),
      unwritten: before?.unwritten ?? 0,
      writtenAt: before?.writtenAt ?? -Infinity,
      failures: before?.failures ?? state?.failures ?? 0,
    });
    // A block that was removed before it ended.
    if (isSure && before && before.blockedUntil > now && inTable === -Infinity) this.lift(queueId, now);
    const hasOwn = Object.values(settings).some((value) => value !== null);
    if (hasOwn) this.ofQueue.set(queueId, (this.ofQueue.get(queueId) ?? new Set()).add(host));
    else this.ofQueue.get(queueId)?.delete(host);
    if (before && JSON.stringify(before.settings) !== JSON.stringify(settings)) this.setPace(queueId);
  }

  private setPace(queueId: string): void {
    const pace = this.paceOf(queueId);
    this.queues.configure(queueId, pace);
    this.leases.setDelay(queueId, pace.delayMs);
  }

  /** When the block of a host ends; -Infinity without one, and for one that is too long to wait for: its pages are excluded. */
  private blockOf(host: string, now: number): number {
    const { blockedUntil = -Infinity } = this.hosts.get(host) ?? {};
    return this.isTooLong(blockedUntil - now) ? -Infinity : blockedUntil;
  }

  /** Blocks the queues of the known hosts, also those whose pages wait: a block by hand may be new, longer, shorter or removed. */
  private blockQueues(): void {
    const now = performance.now();
    const blocks = new Map<string, number>();
    for (const [host, { queueId }] of this.hosts) {
      const until = this.blockOf(host, now);
      if (until > now) blocks.set(queueId, Math.max(until, blocks.get(queueId) ?? -Infinity));
    }
    for (const queueId of this.queueBlocks.keys()) if (!blocks.has(queueId)) this.queues.blockUntil(queueId, -Infinity);
    for (const [queueId, until] of blocks) this.queues.blockUntil(queueId, until);
    this.queueBlocks = blocks;
  }

  private lift(queueId: string, now: number): void {
    this.queues.lift(queueId, now);
    this.leases.lift(queueId, now);
  }

  private forget(host: string, queueId: string): void {
    this.hosts.delete(host);
    this.ofQueue.get(queueId)?.delete(host);
    if (this.ofQueue.get(queueId)?.size === 0) this.ofQueue.delete(queueId);
    this.crawlDelays.delete(queueId);
  }
}

/** The pace from the properties, ms. */
export const paceRules = (conf: Conf): Pace => ({
  threads: conf['fetcher.threads.per.queue'],
  delayMs: conf['fetcher.server.delay'] * 1000,
  minDelayMs: conf['fetcher.server.min.delay'] * 1000,
});
