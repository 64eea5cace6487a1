/**
 * How fast the hosts of a task may be asked, and whether at all.
 *
 * The pace of a queue comes from the properties, from robots.txt and from the settings of its hosts (core/politeness/pace.ts).
 * Settings are read for the hosts of each chunk, and again every two seconds for those at hand: a change by hand is taken up
 * while the task runs. Pages of a host that is drained, or left alone for longer than the task would wait
 * (`fetcher.backoff.max.wait`), are excluded: they stay in their batch, not fetched.
 */
import type { Conf } from '../conf/properties.js';
import type { FetchQueues } from '../core/politeness/fetch-queues.js';
import { type Pace, type PaceSettings, paceOf, politest } from '../core/politeness/pace.js';
import { type HostSettings, type HostState, hostStates } from './host-settings.store.js';
import type { Sql } from '../db/sql.js';
import type { QueueLeases } from './queue-leases.js';

/**
 * A server sees the end of an answer a little later than we do, by the time its last bytes take and its own clock: so the
 * rest is longer than asked by this share, at most by so many ms. Else it would measure 198 ms where 200 were promised.
 */
const SLACK = { share: 0.1, max: 50 };
export const withSlack = (delay: number): number => delay + Math.min(delay * SLACK.share, SLACK.max);
/**
 * Timers of Node have whole milliseconds: a rest that is nearly over is not worth another one, which comes 1 to 2 ms later. So a
 * page may go so many ms before the end of a rest of this length, out of its slack.
 */
export const earlyBy = (rest: number): number => Math.min(1, (rest * SLACK.share) / 4);

/** How often the settings of the hosts at hand are read again. */
const LOOK_MS = 2_000;

/** Why a page stays in its batch, as FetcherStatus counts it. */
export type HostExclusion = 'host_blocked' | 'host_drained';

export interface QueuedPage {
  queueId: string;
  page: { host: string };
}

export interface PaceParts {
  conf: Conf;
  /** Statements that fail with the database are tried again. */
  db: Sql;
  crawl: number;
  /** The pages of the task in memory. */
  queues: Pick<FetchQueues<never>, 'configure' | 'deferUntil' | 'lift'>;
  leases: QueueLeases;
}

interface Host {
  queueId: string;
  settings: PaceSettings;
  drain: boolean;
  /** Left alone until then, ms by the monotonic clock; -Infinity: not. */
  blockedUntil: number;
  /** Blocks of our own that have not come to the table yet, and when the last one did, ms by the monotonic clock. */
  unwritten: number;
  writtenAt: number;
  /** Failures in a row before this task. */
  failures: number;
}

const MAX_DELAY_MS = 86_400_000;
const MAX_THREADS = 100;

/** A number of the host metadata of Nutch 2.x, or null. */
const numberOf = (text: string | null | undefined, min: number, max: number): number | null =>
  typeof text === 'string' && /^\d{1,9}$/.test(text) ? Math.min(Math.max(Number(text), min), max) : null;

/** The settings of a host: by hand, by GENERATE's expression, then those of its metadata (`fetcher.queue.use.host.settings`). */
export function settingsOf(state: HostSettings | undefined, conf: Conf): PaceSettings {
  const own = conf['fetcher.queue.use.host.settings'] ? state : undefined;
  return {
    threads: state?.threads ?? numberOf(own?.q_mt, 1, MAX_THREADS),
    delay: state?.delayMs ?? state?.fetchDelayMs ?? numberOf(own?.q_cd, 0, MAX_DELAY_MS),
    minDelay: state?.minDelayMs ?? numberOf(own?.q_mcd, 0, MAX_DELAY_MS),
  };
}

export class HostPace {
  private readonly hosts = new Map<string, Host>();
  /** The hosts of each queue, for those queues that have any settings. */
  private readonly ofQueue = new Map<string, Set<string>>();
  /** What robots.txt asks for, by queue, ms. */
  private readonly crawlDelays = new Map<string, number>();
  private readonly rules: Pace;
  private readonly maxWait: number;
  private lookedAt = performance.now();
  private readonly queues: PaceParts['queues'];
  private readonly leases: QueueLeases;

  constructor(private readonly parts: PaceParts) {
    ({ queues: this.queues, leases: this.leases } = parts);
    this.rules = paceRules(parts.conf);
    this.maxWait = parts.conf['fetcher.backoff.max.wait'] * 1000;
  }

  /** Reads the settings of hosts that are new here. */
  async load(items: readonly QueuedPage[]): Promise<void> {
    const fresh = new Map(items.filter(({ page }) => !this.hosts.has(page.host)).map((i) => [i.page.host, i.queueId]));
    await this.read(fresh);
  }

  /**
   * Reads the settings of the hosts at hand again, when it is time.
   * @returns queues whose hosts are excluded now and were not before: their pages are to be looked at
   */
  async look(now: number): Promise<string[]> {
    if (now - this.lookedAt < LOOK_MS) return [];
    this.lookedAt = now;
    for (const [host, { queueId }] of this.hosts) if (!this.leases.knows(queueId)) this.forget(host, queueId);
    const known = new Map([...this.hosts].map(([host, { queueId }]) => [host, queueId]));
    await this.read(known);
    const excluded = [...known].filter(([host, queueId]) => this.excluded(host, queueId, now) !== null);
    return [...new Set(excluded.map(([, queueId]) => queueId))];
  }

  /** Why no page of a host goes now, however long we would wait; null: it may. */
  excluded(host: string, queueId: string, now: number): HostExclusion | null {
    const known = this.hosts.get(host);
    if (known?.drain) return 'host_drained';
    const until = Math.max(known?.blockedUntil ?? -Infinity, this.leases.blockedUntil(queueId));
    return until > now + this.maxWait ? 'host_blocked' : null;
  }

  /** Whether a host is left alone for its queue alone: its own row says nothing of that, or of a shorter time. */
  isExcludedByQueue(host: string, queueId: string): boolean {
    return this.leases.blockedUntil(queueId) > (this.hosts.get(host)?.blockedUntil ?? -Infinity);
  }

  /** Sets the delay of a queue, and how long its host is blocked: an empty queue has lost both. */
  apply({ page, queueId }: QueuedPage): void {
    const pace = this.paceOf(queueId);
    this.queues.configure(queueId, pace);
    this.leases.setDelay(queueId, pace.delay);
    const until = this.hosts.get(page.host)?.blockedUntil ?? -Infinity;
    if (until > -Infinity) this.queues.deferUntil(queueId, until);
  }

  /** What robots.txt asks of a queue, ms; -Infinity: nothing is known. */
  crawlDelay(queueId: string): number {
    return this.crawlDelays.get(queueId) ?? -Infinity;
  }

  /** Notes what robots.txt asks for. Of several origins in one queue the longest counts. */
  askFor(item: QueuedPage, crawlDelay: number): void {
    if (this.crawlDelay(item.queueId) >= crawlDelay) return;
    this.crawlDelays.set(item.queueId, crawlDelay);
    this.apply(item);
  }

  /** The rest after a request to a queue, ms. */
  delayOf(queueId: string): number {
    return this.paceOf(queueId).delay;
  }

  /** Failures of a host in a row before this task. */
  failuresBefore(host: string): number {
    return this.hosts.get(host)?.failures ?? 0;
  }

  /** A host has answered well: what was before is over. */
  answered(host: string): void {
    const known = this.hosts.get(host);
    if (known) known.failures = 0;
  }

  /** A host is left alone until an instant, and with it the others of its queue. */
  async block({ page, queueId }: QueuedPage, until: number, now: number): Promise<void> {
    const known = this.hosts.get(page.host);
    if (known) {
      known.blockedUntil = Math.max(known.blockedUntil, until);
      known.unwritten++;
    }
    await this.leases.block(queueId, until, now);
  }

  /** A block of a host stands in the table: what is read from now on knows it. */
  blockWritten(host: string): void {
    const known = this.hosts.get(host);
    if (!known || known.unwritten === 0) return;
    known.unwritten--;
    known.writtenAt = performance.now();
  }

  /** Whether the servers of a queue are left alone now: they are in trouble, or have asked for it. */
  isLeftAlone(queueId: string, now: number): boolean {
    return this.leases.blockedUntil(queueId) > now;
  }

  /** Whether a wait is longer than the task bears. */
  isTooLong(ms: number): boolean {
    return ms > this.maxWait;
  }

  private paceOf(queueId: string): Pace {
    const settings = [...(this.ofQueue.get(queueId) ?? [])].flatMap((host) => this.hosts.get(host)?.settings ?? []);
    const { pace } = paceOf(this.rules, politest(settings), this.crawlDelays.get(queueId) ?? null);
    return { ...pace, delay: withSlack(pace.delay), minDelay: withSlack(pace.minDelay) };
  }

  private async read(hosts: Map<string, string>): Promise<void> {
    if (hosts.size === 0) return;
    const { conf, db, crawl } = this.parts;
    const clearAfter = conf['fetcher.exceptions.per.queue.clear.after'];
    const max = conf['fetcher.backoff.max'];
    const since = performance.now();
    const states = await hostStates(db, crawl, [...hosts.keys()], { clearAfter, max });
    const byHost = new Map(states.map((state) => [state.host, state]));
    const now = performance.now();
    for (const [host, queueId] of hosts) this.learn(host, queueId, { state: byHost.get(host), since, now });
  }

  /** @param since when the reading began: blocks that were written later are not in it */
  private learn(
    host: string,
    queueId: string,
    { state, since, now }: { state: HostState | undefined; since: number; now: number },
  ): void {
    const before = this.hosts.get(host);
    const settings = settingsOf(state, this.parts.conf);
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
    // A block that somebody has taken away before its time.
    if (isSure && before && before.blockedUntil > now && inTable === -Infinity) this.lift(queueId);
    const hasOwn = Object.values(settings).some((value) => value !== null);
    if (hasOwn) this.ofQueue.set(queueId, (this.ofQueue.get(queueId) ?? new Set()).add(host));
    else this.ofQueue.get(queueId)?.delete(host);
    if (before && JSON.stringify(before.settings) !== JSON.stringify(settings)) {
      this.queues.configure(queueId, this.paceOf(queueId));
    }
  }

  private lift(queueId: string): void {
    this.queues.lift(queueId);
    this.leases.lift(queueId);
  }

  private forget(host: string, queueId: string): void {
    this.hosts.delete(host);
    this.ofQueue.get(queueId)?.delete(host);
    if (this.ofQueue.get(queueId)?.size === 0) this.ofQueue.delete(queueId);
  }
}

/** The pace that the properties set, ms. */
export const paceRules = (conf: Conf): Pace => ({
  threads: conf['fetcher.threads.per.queue'],
  delay: conf['fetcher.server.delay'] * 1000,
  minDelay: conf['fetcher.server.min.delay'] * 1000,
});
