/**
 * Fetches the pages of one task: one event loop with as many concurrent requests as the task has threads.
 *
 * A feeder keeps a bounded number of pages in the queues; the queues (core/politeness) select the next page; a visit checks
 * robots.txt first and uses the guarded client; the writer stores the result. The loop sleeps until a visit ends, the delay of
 * a queue is over, or an external event (stop, time limit) ends it.
 */
import type { BandwidthWatch } from '../../core/politeness/bandwidth.js';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { RedirectDedupCache } from '../../core/politeness/redirect-dedup-cache.js';
import type { ThroughputWatch } from '../../core/politeness/throughput.js';
import { RunningVisits } from '../../core/politeness/running-visits.js';
import { faultPoint } from '../../db/fault-point.js';
import { isTransient } from '../../db/transient.js';
import type { HttpAnswer } from '../../net/http-answer.js';
import { requestHeaders } from '../../core/http/request-headers.js';
import { type Scoring, makeScoring } from '../../plugin/scoring-filters.js';
import type { CrawlBatches, Run } from '../step.js';
import { hasContent } from './fetch.sql.js';
import { joinBatch, targetNow } from './redirect-at-once.js';
import { OneByOne } from './one-by-one.js';
import { FILTERED } from '../../core/job/fetch-counters.js';
import { PageFlow } from './page-flow.js';
import { earlyBy } from '../../politeness/host-pace.js';
import { PageQueues } from '../../politeness/page-queues.js';
import { QueueIds } from '../../politeness/queue-ids.js';
import { QueueWait } from './queue-wait.js';
import { batchesWithPages } from '../batch-chunks.sql.js';
import { atPage } from '../page-error.js';
import { RobotsCache } from '../../politeness/robots-cache.js';
import { type GateVerdict, passRobots } from '../../politeness/robots-gate.js';
import { type FetcherOptions, bandwidthOf, queueRules, throughputOf } from './task-rules.js';
import { AHEAD_MS, FurtherBatches } from './further-batches.js';
import { Visits, hasNewDirectives, unvisited } from './visit.js';
import { type FetchItem, ChunkFeeder } from './chunk-feeder.js';
import { ReadAhead } from './read-ahead.js';

/** Milliseconds that running requests may still take after a stop. */
const STOP_GRACE_MS = 1_200;
/** Milliseconds that running requests may take before a division: longer, as nobody waits, and an aborted request is repeated. */
const DIVISION_GRACE_MS = 5_000;
/** Milliseconds after which a server has seen the end of its answer, which it sees a little later than we do. */
const SEEN_MS = 5;
/** Longest sleep of the loop, so that it checks the time limit and external events. */
const TICK_MS = 500;

type End = 'done' | 'stopped' | 'time-limit' | 'throughput-limit' | 'divided';

export class Fetcher {
  private readonly queues: PageQueues<FetchItem>;
  private readonly robots: RobotsCache;
  private readonly visits: Visits;
  private readonly redirects: RedirectDedupCache;
  private readonly scoring: Scoring;
  private readonly headers: Record<string, string>;
  private readonly watch: ThroughputWatch;
  private readonly bandwidth: BandwidthWatch;
  private readonly cut = new AbortController();
  private readonly reading = new OneByOne();
  private readonly feeder: ChunkFeeder;
  private readonly ahead: ReadAhead;
  private readonly flow: PageFlow;
  readonly waiting: QueueWait;
  /** When the first thread was started. */
  private began = 0;
  /** Only in a continuous crawl. */
  private readonly further: FurtherBatches | undefined;
  private readonly running: RunningVisits;
  private saturated = false;
  /** Threads had no page to fetch at the last attempt to start visits. */
  private isUnderused = false;
  private fetched = 0;
  private bytes = 0;
  /** Present limit of concurrent requests. */
  private threads: number;
  private failure: unknown;
  private readonly early: number;
  private wakeUp: () => void = () => undefined;

  constructor(
    private readonly run: Run,
    private readonly options: FetcherOptions,
  ) {
    const { conf } = run;
    const { signal } = this.cut;
    const ids = new QueueIds(conf['fetcher.queue.mode']);
    const queues = new PageQueues<FetchItem>({
      conf,
      ids,
      rules: queueRules(run, options),
      crawl: run.job.crawl,
      owner: run.task,
      db: run.retrying,
      once: run.pool,
      signal,
    });
    this.queues = queues;
    this.waiting = new QueueWait(queues);
    this.feeder = new ChunkFeeder({ ...options, lengths: queues.pages }, conf, ids);
    this.flow = new PageFlow({ ...options, conf, queues });
    options.writer.afterWrite = (visits) =>
      [this.feeder, this.flow].forEach((observer) => observer.noteWritten(visits));
    this.ahead = new ReadAhead({
      feeder: this.feeder,
      queues: queues.pages,
      enqueue: (items) => this.enqueue(items),
      failed: (error) => void (this.failure ??= error),
      wake: () => this.wakeUp(),
    });
    this.further = run.batches && this.furtherOf(run.batches);
    this.visits = new Visits(conf, options.rules);
    this.scoring = makeScoring(conf);
    const remembered = conf['fetcher.redirect.dedupcache.seconds'] * 1000;
    this.redirects = new RedirectDedupCache(remembered, conf['fetcher.redirect.dedupcache.size']);
    this.headers = requestHeaders(conf);
    this.robots = new RobotsCache({
      db: run.retrying,
      client: queues.requests.clientOf(options.client),
      conf,
      headers: this.headers,
      limits: options.limits,
      signal,
      runExclusive: (url, work) => queues.requests.exclusive(url, work),
    });
    this.early = earlyBy(conf['fetcher.server.delay'] * 1000);
    this.threads = options.threads;
    this.running = new RunningVisits(conf['fetcher.threads.slow.after']);
    this.bandwidth = bandwidthOf(run, options);
    this.watch = throughputOf(run);
  }

  /** Fetches until no page is left, or until an event ends it; returns the reason. */
  async fetchAll(): Promise<End> {
    this.began = performance.now();
    const { stopping, aborted } = this.run;
    stopping.addEventListener('abort', () => this.wakeUp(), { signal: this.cut.signal });
    aborted.addEventListener('abort', () => this.cut.abort());
    try {
      const end = await this.loop();
      await this.options.writer.close(AbortSignal.any([stopping, aborted]));
      if (!aborted.aborted) await this.flow.recordExcludedByQueue(this.run);
      return end;
    } finally {
      this.cut.abort();
      this.reading.end();
      this.robots.close();
      // Lets aborted visits report their end to their queues before these are released.
      await nextIteration();
      await this.queues.leases.releaseAll(performance.now());
    }
  }

  /**
   * Pages that were read and stay in their batch, by reason: the current URL rules reject them (`fetcher.filter.urls`), their
   * host is excluded, or the time limit was reached before their request.
   */
  get left(): Record<string, number> {
    return { [FILTERED]: this.feeder.filtered, ...this.flow.left };
  }

  /** Present state, for the report. */
  get gauges(): { atWork: number; threads: number; queued: number; queues: number } {
    const { queued, size } = this.queues.pages;
    return { atWork: this.running.size, threads: this.threads, queued, queues: size };
  }

  /** Pages of all batches so far in a continuous crawl; else undefined. */
  get selected(): number | undefined {
    return this.further?.selected;
  }

  /** Whether all its threads were busy at some moment since the last call. */
  wasSaturated(): boolean {
    const was = this.saturated;
    this.saturated = false;
    return was;
  }

  private async loop(): Promise<End> {
    for (;;) {
      if (this.failure) throw this.failure;
      const end = this.ending();
      if (end) return this.windDown(end);
      // After the report that nothing is left the crawl may end: it has to be withdrawn first.
      if (!this.ahead.reading && !this.further?.isDry) this.flow.readAgain(this.feeder);
      const depth = this.threads * this.run.conf['fetcher.queue.depth.multiplier'];
      this.ahead.readSoon(depth, this.isUnderused);
      const until = this.startReady();
      if (this.isIdle && (this.further?.closed ?? true)) return 'done';
      this.further?.lookSoon();
      if (this.options.writer.isFull) await this.sleepUntilDrained();
      else await this.sleep(Math.min(until, this.further?.lookAt ?? Infinity));
      await this.maintainQueues();
    }
  }

  /** Whether all known pages are done. */
  private get isIdle(): boolean {
    return this.ahead.ended && this.running.size === 0 && this.queues.pages.queued === 0;
  }

  private furtherOf(batches: CrawlBatches): FurtherBatches {
    return new FurtherBatches(batches, {
      add: (batch) => {
        this.feeder.add(batch);
        this.options.query.batches.push(batch);
      },
      withPages: () => batchesWithPages(this.run.retrying, this.run.job.crawl, { visited: false }),
      isIdle: () => this.isIdle && !this.flow.hasReadmitted,
      flush: () => this.options.writer.close(this.run.stopping),
      figures: () => ({ written: this.options.writer.written, ...this.queues.pages.countQueues(AHEAD_MS) }),
      isThrough: () => this.ahead.isThrough,
      // While the database is unavailable, known pages are fetched; the next look retries.
      failed: (error) => void (isTransient(error) || (this.failure ??= error)),
      wake: () => this.wakeUp(),
    });
  }

  private ending(): End | null {
    if (this.run.stopping.aborted || this.run.aborted.aborted) return 'stopped';
    if (this.options.clock() >= this.options.endsAt) return 'time-limit';
    if (this.options.divide.aborted) return 'divided';
    return this.watch.check(performance.now(), this.fetched) === 'stop' ? 'throughput-limit' : null;
  }

  /** Lets running visits end within the grace period, then aborts them: their pages stay in the batch. */
  private async windDown(end: End): Promise<End> {
    await this.ahead.stop();
    await this.further?.looking;
    let unfetched = this.queues.pages.purgeAll().length;
    const cut = setTimeout(() => this.cut.abort(), end === 'divided' ? DIVISION_GRACE_MS : STOP_GRACE_MS);
    while (this.running.size > 0) await this.sleep(Infinity);
    clearTimeout(cut);
    // Pages that returned to their queues meanwhile, and aborted ones.
    unfetched += this.queues.pages.purgeAll().length + this.flow.aborted;
    if (end === 'time-limit') this.flow.outOfTime += unfetched;
    if (this.failure) throw this.failure;
    return end;
  }

  private async enqueue(items: readonly FetchItem[]): Promise<void> {
    await this.queues.prepare(items);
    for (const item of items) this.flow.enqueue(item);
  }

  /** Starts the visits that are possible now; returns when the next queue is ready. */
  private startReady(): number {
    const sustainable = this.queues.pages.size * this.run.conf['fetcher.threads.per.queue'];
    const maxSlow = this.options.isLimited ? 0 : this.run.conf['fetcher.threads.slow'];
    const slow = this.running.long(performance.now(), maxSlow);
    const work = { bytes: this.bytes, atWork: this.running.size - slow, sustainable };
    this.threads = this.bandwidth.threads(performance.now(), work);
    this.isUnderused = false;
    while (this.running.size < this.threads + slow && !this.options.writer.isFull) {
      const now = performance.now();
      const threadStart = this.began + this.running.size * this.run.conf['fetcher.threads.start.delay'];
      if (now < threadStart) return threadStart;
      const next = this.queues.pages.nextAlternating(now + this.early);
      if (next.kind === 'item') this.start(next.item);
      else {
        this.isUnderused = true;
        return next.kind === 'wait' ? next.until : Infinity;
      }
    }
    this.saturated ||= this.running.size >= this.threads + slow;
    return Infinity;
  }

  private start(item: FetchItem): void {
    const begun = this.running.begin(performance.now());
    this.visit(item)
      .catch((error: unknown) => void (this.failure ??= error))
      .finally(() => {
        const end = (): void => {
          this.running.end(begun);
          this.wakeUp();
        };
        if (this.options.isLimited) setTimeout(end, SEEN_MS);
        else end();
      });
  }

  private async visit(item: FetchItem): Promise<void> {
    const { queueId } = item;
    if (!this.queues.leases.hasLease(queueId)) {
      await this.queues.leaseSoon(queueId);
      return this.flow.requeue(item, { release: true });
    }
    await this.waiting.during(() => this.visitLeased(item));
  }

  /** Visits a page whose queue is leased. It returns to the queue if the lease or the pace changes before its request. */
  private async visitLeased(item: FetchItem): Promise<void> {
    const { queueId } = item;
    const { leases, pace, requests } = this.queues;
    await leases.writeDelay(queueId);
    const crawlDelay = pace.crawlDelay(queueId);
    const taken = requests.taken(queueId);
    // Visits that began before the crawl delay was known return to the queue, which then starts them one by one.
    const mayAsk = () =>
      leases.hasLease(queueId) && requests.taken(queueId) === taken && pace.crawlDelay(queueId) <= crawlDelay;
    const setDelay = (ms: number) => {
      pace.raiseCrawlDelay(item, ms);
      return leases.writeDelay(queueId);
    };
    const { robots, options } = this;
    const kindOf = (url: string) => options.client.kindOf(url);
    const verdict = await passRobots(item.url, { robots, conf: this.run.conf, kindOf, mayAsk, setDelay });
    if (this.cut.signal.aborted) return this.flow.endAborted(item, { release: verdict.kind !== 'robots-fetched' });
    switch (verdict.kind) {
      case 'robots-fetched':
      case 'lease-lost':
        return this.flow.requeue(item, { release: verdict.kind === 'lease-lost' });
      case 'unreachable':
        return this.answered(item, verdict.failure);
      case 'skip':
        return this.skip(item, verdict);
      case 'go':
        return this.fetch(item);
    }
  }

  /** Skips a page that may not be fetched now. If its robots.txt is to be requested once more, the queue is deferred instead. */
  private skip(item: FetchItem, verdict: Extract<GateVerdict, { kind: 'skip' }>): void {
    const waits = verdict.skipped === 'robots_deferred' && this.robots.again(new URL(item.url).origin);
    if (!waits) {
      this.flow.end(item, { release: true });
      return this.options.writer.add(unvisited(item.page, item.url, verdict));
    }
    this.flow.requeue(item, { release: true });
    const delay = this.run.conf['http.robots.503.defer.visits.delay'];
    this.queues.pages.deferUntil(item.queueId, performance.now() + delay);
  }

  private async fetch(item: FetchItem): Promise<void> {
    const { page, url } = item;
    // If FETCH parses, unparsed content has to be transferred once more, as no PARSE follows.
    const known = hasContent(page) && !(page.unparsed && this.options.writer.parses);
    const validators = known ? { etag: page.etag, lastModified: page.lastModified?.toUTCString() ?? null } : {};
    const headers = known ? requestHeaders(this.run.conf, validators) : this.headers;
    const fresh = item.resent?.includes('reset') === true;
    const request = { url, headers, signal: this.cut.signal, resend: false, fresh };
    const { client, limits } = this.options;
    const answer = await this.queues.requests.page(item.queueId, () => client.fetch(request, limits));
    if (answer.ok) await this.reading.iteration(() => this.queues.pages.lengthOf(item.queueId));
    await faultPoint('fetch.answered');
    // The server was reached: the delay follows, whoever sends the next request.
    if (!answer.ok && answer.code === 'aborted') return this.flow.endAborted(item, { release: false });
    if (!answer.ok && answer.stale && this.flow.resend(item, answer)) return;
    if (answer.ok && known && hasNewDirectives(page, answer)) return this.flow.askForContent(item);
    await this.answered(item, answer.ok ? answer : (answer.challenge ?? answer), known);
  }

  /** Writes the result of a visit; the target of a redirect that is to be followed now joins the batch. */
  private async answered(item: FetchItem, answer: HttpAnswer, conditional = false): Promise<void> {
    const { page, url } = item;
    const { sitemap } = this.options.query;
    const visit = atPage(page.key, () => this.visits.visitOf(page, url, answer, { conditional }));
    this.fetched++;
    this.bytes += visit.bytes ?? 0;
    const isNew = (key: string) => this.scoring.readsPages || !this.redirects.met(key, performance.now());
    const target = targetNow(visit, item.hops, { conf: this.run.conf, sitemap, isNew });
    visit.outcome = this.flow.answered(item, answer);
    this.options.writer.add(visit);
    const until = visit.outcome?.blockedUntil ?? null;
    if (until !== null) await this.flow.block(item, until);
    if (target === null || this.run.stopping.aborted) return;
    const { noted, reprUrl } = visit;
    const redirect = { source: page, target, noted, reprUrl, sitemap, scoring: this.scoring };
    const joined = await joinBatch(this.run, redirect, (waiting) => this.feeder.join(waiting));
    if (joined === null) return;
    const items = await this.feeder.itemOf(joined, item.hops + 1);
    await this.queues.pace.load(items);
    for (const next of items) this.flow.enqueue(next);
  }

  private async maintainQueues(): Promise<void> {
    for (const queueId of await this.queues.maintain()) this.flow.removeExcluded(queueId);
    await this.flow.checkExcluded();
  }

  /** Sleeps until the writer accepts pages again, or until the next tick: leases are renewed and stops are noticed meanwhile. */
  private async sleepUntilDrained(): Promise<void> {
    const changed = this.options.writer.nextChange().catch((error: unknown) => void (this.failure ??= error));
    await Promise.race([changed, this.sleep(Infinity)]);
  }

  private sleep(until: number): Promise<void> {
    const ms = Math.max(0, Math.min(TICK_MS, until - performance.now()));
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.wakeUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
