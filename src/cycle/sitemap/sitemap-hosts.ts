/**
 * Reads the list of a SITEMAP job, host by host: one sitemap of a host after another, several hosts concurrently. A host
 * whose queue is leased by another task is postponed; one that fails repeatedly is given up.
 */
import { giveUpHost, hostsToRead, workOfHost } from '../../webpage/sitemap.store.js';
import type { Conf } from '../../core/conf/properties.js';
import { counted } from '../../core/counted.js';
import { type HostState, hostStates } from '../../politeness/host-settings.store.js';
import { settingsOf } from '../../politeness/host-pace.js';
import type { Run } from '../step.js';
import type { OrderedRequests } from '../../politeness/ordered-requests.js';
import type { SitemapArgs } from './sitemap.args.js';
import type { SitemapReader } from './sitemap-reader.js';

export interface SitemapHostsOptions {
  reader: SitemapReader;
  queues: OrderedRequests;
  threads: number;
  /** Begin nothing new when it fires. */
  signal: AbortSignal;
}

/** Why the remaining sitemaps of a host are not requested, and the counter that they are added to. */
interface GivenUp {
  counter: 'excluded_sitemaps' | 'given_up_sitemaps';
  error: string;
}

/** How the list of a host ended: its last request, and why the rest is given up, if it is. */
interface ListEnd {
  last: string | undefined;
  why?: GivenUp;
}

/** Sitemaps of a host read from the list at once. */
const CHUNK = 50;
const EXCLUDED = 'its host is excluded (fetcher.backoff.max.wait)';
/** A postponed host is tried again after this. */
const LATER_MS = 2_000;
const TICK_MS = 500;
const REPORT_MS = 1_000;
const LONG_DELAY_MS = 2_000;

export class SitemapHosts {
  private readonly active = new Map<string, Promise<void>>();
  private readonly later = new Map<string, number>();
  private failure: unknown;
  private done = 0;
  private reportedAt = 0;
  private wakeUp: () => void = () => undefined;

  constructor(
    private readonly run: Run<SitemapArgs>,
    private readonly options: SitemapHostsOptions,
  ) {}

  /** Runs until the list is empty, or the job is stopped. */
  async readAll(): Promise<'done' | 'stopped'> {
    const { signal } = this.options;
    while (!signal.aborted && this.failure === undefined) {
      this.report();
      // Hosts that were active while the list was read may have added sitemaps that were not read.
      const idle = this.active.size === 0 && this.later.size === 0;
      const started = await this.startHosts();
      if (idle && started === 0) return 'done';
      await this.wait();
    }
    await Promise.all(this.active.values());
    this.run.aborted.throwIfAborted();
    if (this.failure !== undefined) throw this.failure;
    return 'stopped';
  }

  /** Begins with hosts that are not active; returns how many. */
  private async startHosts(): Promise<number> {
    const { threads } = this.options;
    const free = threads - this.active.size;
    const now = performance.now();
    for (const [host, at] of this.later) if (at <= now) this.later.delete(host);
    if (free <= 0) return 0;
    const { pool, job } = this.run;
    const without = [...this.active.keys(), ...this.later.keys()];
    const hosts = await hostsToRead(pool, job.crawl, job.id, { without, limit: free });
    for (const host of hosts) {
      const work = this.readHost(host)
        .catch((error: unknown) => void (this.failure ??= error))
        .finally(() => {
          this.active.delete(host);
          this.wakeUp();
        });
      this.active.set(host, work);
    }
    return hosts.length;
  }

  /** Reads the sitemaps of one host, unless it is excluded, and gives up those that are left when it fails too often. */
  private async readHost(host: string): Promise<void> {
    const { pool, job, conf } = this.run;
    const clearAfter = conf['fetcher.exceptions.per.queue.clear.after'];
    const max = conf['fetcher.backoff.max'];
    const [state] = await hostStates(pool, job.crawl, [host], { clearAfter, max });
    const excluded = exclusionOf(state, conf);
    if (excluded !== null) return this.giveUp(host, excluded);
    const ended = await this.readList(host, state);
    if (ended === 'later') return this.defer(host);
    if (ended?.last) await this.options.queues.leave(ended.last);
    if (ended?.why) await this.giveUp(host, ended.why);
  }

  /** Reads sitemap after sitemap. Undefined: the job ends; `later`: another task has the queue. */
  private async readList(host: string, state: HostState | undefined): Promise<ListEnd | 'later' | undefined> {
    const { pool, job, conf } = this.run;
    const { signal, queues, reader } = this.options;
    let failures = 0;
    let last: string | undefined;
    for (;;) {
      const works = await workOfHost(pool, job.crawl, job.id, { host, limit: CHUNK });
      if (works.length === 0) return { last };
      if (last === undefined && state)
        await queues.pace(works[0]!.url, { delayMs: settingsOf(state, conf).delayMs, waitMs: state.blockedMs });
      for (const work of works) {
        if (signal.aborted || this.failure !== undefined) return undefined;
        last = work.url;
        const end = await reader.read(work);
        if (end === 'later') return end;
        if (end === 'excluded') return { last, why: excludedBy(EXCLUDED) };
        this.done++;
        failures = end === 'failed' ? failures + 1 : 0;
        const why = end === 'failed' ? await this.whyNoMore(work.url, failures) : undefined;
        if (why) return { last, why };
      }
    }
  }

  /** Why no more requests go to a host that has failed; undefined: it may be requested again. */
  private async whyNoMore(url: string, failures: number): Promise<GivenUp | undefined> {
    const { conf } = this.run;
    const max = conf['fetcher.max.exceptions.per.queue'];
    if (max >= 0 && failures >= Math.max(1, max)) {
      const error = `${failures} failures in a row (fetcher.max.exceptions.per.queue)`;
      return { counter: 'given_up_sitemaps', error };
    }
    const isLong = (await this.options.queues.remainingDelay(url)) > conf['fetcher.backoff.max.wait'] * 1000;
    return isLong ? excludedBy(EXCLUDED) : undefined;
  }

  private defer(host: string): void {
    this.later.set(host, performance.now() + LATER_MS);
  }

  private async giveUp(host: string, { counter, error }: GivenUp): Promise<void> {
    const { job } = this.run;
    await this.run.write(async (tx, count) => {
      count('Sitemap', counter, await giveUpHost(tx, job.crawl, job.id, { host, error }));
    });
  }

  /** Until a host is done, or the next tick. Not by a race of their promises: a host may take days, and would keep all races. */
  private wait(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, TICK_MS);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  private report(): void {
    const now = performance.now();
    if (now < this.reportedAt + REPORT_MS) return;
    this.reportedAt = now;
    const waiting =
      this.later.size === 0
        ? ''
        : `; waiting for ${counted(this.later.size, 'host')} whose queues are with other tasks`;
    const delayed = this.options.queues.longestDelayed(LONG_DELAY_MS);
    const delays =
      delayed === null
        ? ''
        : `; waiting for ${delayed.queueId}, whose delay lasts ${Math.ceil(delayed.ms / 1_000)} s more`;
    void this.run.report(
      `${this.done} sitemaps and robots files read, ${counted(this.active.size, 'host')} at work${waiting}${delays}`,
    );
  }
}

/** Why a host is not requested in this run; null: it may be requested. */
function exclusionOf(state: HostState | undefined, conf: Conf): GivenUp | null {
  if (state?.drain) return excludedBy('its host is drained');
  const isLong = (state?.blockedMs ?? 0) > conf['fetcher.backoff.max.wait'] * 1000;
  return isLong ? excludedBy(EXCLUDED) : null;
}

const excludedBy = (error: string): GivenUp => ({ counter: 'excluded_sitemaps', error });
