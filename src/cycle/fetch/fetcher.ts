/**
 * The fetching of one task: one event loop, as many requests at once as it has threads.
 *
 * A feeder keeps a bounded number of pages in the queues; the queues (core/politeness) say which page may go now; a visit
 * asks robots.txt first and goes through the guarded client; the writer takes what came. The loop sleeps until a visit
 * ends, a queue's rest is over, or something from outside (stop, time limit) changes its mind.
 */
import type { BandwidthWatch } from '../../core/politeness/bandwidth.js';
import { FetchQueues } from '../../core/politeness/fetch-queues.js';
import { RedirectMemory } from '../../core/politeness/redirect-memory.js';
import type { ThroughputWatch } from '../../core/politeness/throughput.js';
import { UnderWay } from '../../core/politeness/under-way.js';
import type { DatabaseClock } from '../../db/database-clock.js';
import { faultPoint } from '../../db/fault-point.js';
import type { HttpAnswer } from '../../net/http-answer.js';
import type { FetchLimits, HttpClient } from '../../net/http-client.js';
import { requestHeaders } from '../../net/request-headers.js';
import { type Scoring, makeScoring } from '../../plugin/scoring.js';
import type { UrlRules } from '../../plugin/url-rules.js';
import type { Run } from '../step.js';
import { type Visited, type ChunkQuery, hasContent } from './fetch.sql.js';
import { joinBatch } from './follow-redirect.js';
import { Gathering } from './gathering.js';
import { HostPace, withSlack } from './host-pace.js';
import { HIT_BY_TIME_LIMIT, PageFlow } from './page-flow.js';
import { QueueLeases } from './queue-leases.js';
import { QueueRequests } from './queue-requests.js';
import { QueueWait } from './queue-wait.js';
import { redirectTime } from './redirect-rules.js';
import { RobotsCache } from './robots-cache.js';
import { type Passage, passRobots } from './robots-gate.js';
import { bandwidthOf, queueRules, throughputOf } from './task-rules.js';
import { Visits, unvisited } from './visit.js';
import type { VisitWriter } from './visit-writer.js';
import { type Item, ChunkFeeder } from './chunk-feeder.js';

export interface FetcherParts {
  query: ChunkQuery;
  rules: UrlRules;
  client: HttpClient;
  writer: VisitWriter;
  limits: FetchLimits;
  /** Requests under way at once. */
  threads: number;
  clock: DatabaseClock;
  /** When fetching ends (`fetcher.timelimit.mins`), by that clock. */
  endsAt: number;
  /** Fires when part of what is left is to be given to other workers: nothing new is begun. */
  handOver: AbortSignal;
}

/** Milliseconds that requests under way may still take after a stop. */
const STOP_GRACE_MS = 1_200;
/** The same before hosts are given away: no code awaits it, and what is cut is asked for twice. */
const HAND_OVER_GRACE_MS = 5_000;
/** Longest sleep of the loop, so that clocks from outside are looked at. */
const TICK_MS = 500;
/** After this a request is a slow one (`fetcher.threads.slow`): nearly all pages take less. */
const SLOW_MS = 5_000;

type End = 'done' | 'stopped' | 'time-limit' | 'throughput-limit' | 'handed-over';

export class Fetcher {
  private readonly queues: FetchQueues<Item>;
  private readonly leases: QueueLeases;
  /** Queues that other tasks have come back in crowds. */
  private readonly leasing = new Gathering((queueIds) => this.leaseAndWait(queueIds));
  private readonly robots: RobotsCache;
  private readonly visits: Visits;
  private readonly redirects: RedirectMemory;
  private readonly scoring: Scoring;
  private readonly headers: Record<string, string>;
  private readonly watch: ThroughputWatch;
  private readonly bandwidth: BandwidthWatch;
  private readonly cut = new AbortController();
  private readonly feeder: ChunkFeeder;
  private readonly pace: HostPace;
  private readonly flow: PageFlow;
  private readonly requests: QueueRequests;
  readonly waiting: QueueWait;
  /** When the first thread started. */
  private began = 0;
  private fed = false;
  private feeding: Promise<void> | undefined;
  private readonly underWay = new UnderWay(SLOW_MS);
  private saturated = false;
  private fetched = 0;
  private bytes = 0;
  /** Requests that may be under way now. */
  private threads: number;
  private failure: unknown;
  private wakeUp: () => void = () => undefined;

  constructor(
    private readonly run: Run,
    private readonly parts: FetcherParts,
  ) {
    const { conf } = run;
    this.queues = new FetchQueues(queueRules(run, parts));
    const delayMs = withSlack(conf['fetcher.server.delay'] * 1000);
    const maxBlockMs = conf['fetcher.backoff.max'] * 1000;
    this.leases = new QueueLeases({ db: run.retrying, once: run.pool, owner: run.task, delayMs, maxBlockMs });
    this.pace = new HostPace(run, this.queues, this.leases);
    const { queues, leases, pace } = this;
    this.waiting = new QueueWait({ queues, leases, pace });
    this.flow = new PageFlow({ conf, queues, leases, pace, writer: parts.writer, clock: parts.clock });
    this.feeder = new ChunkFeeder(run, parts.query, parts.rules);
    const queueOf = (url: string) => this.feeder.queueOf(url);
    const lease = (queueId: string) => this.leaseAndWait([queueId]);
    this.requests = new QueueRequests({ queues, leases, pace, queueOf, lease, signal: this.cut.signal });
    this.visits = new Visits(conf, parts.rules);
    this.scoring = makeScoring(conf);
    this.redirects = new RedirectMemory(
      conf['fetcher.redirect.dedupcache.seconds'] * 1000,
      conf['fetcher.redirect.dedupcache.size'],
    );
    this.headers = requestHeaders(conf);
    this.robots = new RobotsCache({
      db: run.retrying,
      client: { fetch: (request, max) => this.requests.robots(request.url, () => parts.client.fetch(request, max)) },
      conf,
      headers: this.headers,
      limits: parts.limits,
      signal: this.cut.signal,
      runExclusive: (url, work) => this.requests.exclusive(url, work),
    });
    this.threads = parts.threads;
    this.bandwidth = bandwidthOf(run, parts);
    this.watch = throughputOf(run);
  }

  /** Fetches until nothing is left, or until something ends it; returns why it ended. */
  async fetchAll(): Promise<End> {
    this.began = performance.now();
    const wake = () => this.wakeUp();
    const { stopping, aborted } = this.run;
    stopping.addEventListener('abort', wake);
    aborted.addEventListener('abort', () => this.cut.abort());
    try {
      const end = await this.loop();
      await this.parts.writer.close(AbortSignal.any([stopping, aborted]));
      if (!aborted.aborted) await this.flow.noteExcludedByQueue(this.run);
      return end;
    } finally {
      stopping.removeEventListener('abort', wake);
      this.cut.abort();
      this.robots.close();
      // What was cut just now says so to its queue before that is given back.
      await new Promise((resolve) => setImmediate(resolve));
      await this.leases.releaseAll(performance.now());
    }
  }

  /**
   * Pages that were read and stay in their batch, by the reason: the URL rules of now refuse them (`fetcher.filter.urls`),
   * their host is excluded, or the time limit was reached before they were requested.
   */
  get left(): Record<string, number> {
    return { filtered: this.feeder.filtered, ...this.flow.excluded, [HIT_BY_TIME_LIMIT.queues]: this.flow.outOfTime };
  }

  /** What goes on now, for people. */
  get gauges(): { atWork: number; threads: number; queued: number; queues: number } {
    const { queued, size } = this.queues;
    return { atWork: this.underWay.size, threads: this.threads, queued, queues: size };
  }

  /** Whether all its threads were at work at some moment since this was last asked. */
  wasSaturated(): boolean {
    const was = this.saturated;
    this.saturated = false;
    return was;
  }

  private async loop(): Promise<End> {
    for (;;) {
      if (this.failure) throw this.failure;
      const end = this.ending();
      if (end) return this.wind(end);
      this.feedSoon();
      const until = this.startReady();
      if (this.fed && !this.feeding && this.underWay.size === 0 && this.queues.queued === 0) return 'done';
      if (this.parts.writer.isFull) await this.sleepUntilDrained();
      else await this.sleep(until);
      await this.tendQueues();
    }
  }

  private ending(): End | null {
    if (this.run.stopping.aborted || this.run.aborted.aborted) return 'stopped';
    if (this.parts.clock() >= this.parts.endsAt) return 'time-limit';
    if (this.parts.handOver.aborted) return 'handed-over';
    return this.watch.check(performance.now(), this.fetched) === 'stop' ? 'throughput-limit' : null;
  }

  /** Starts nothing more, lets what is under way end for a moment, then cuts it: those pages stay in the batch. */
  private async wind(end: End): Promise<End> {
    this.fed = true;
    await this.feeding;
    let unfetched = this.queues.purgeAll().length;
    const cut = setTimeout(() => this.cut.abort(), end === 'handed-over' ? HAND_OVER_GRACE_MS : STOP_GRACE_MS);
    while (this.underWay.size > 0) await this.sleep(Infinity);
    clearTimeout(cut);
    // What was put back meanwhile, and what was cut.
    unfetched += this.queues.purgeAll().length + this.flow.cut;
    if (end === 'time-limit') this.flow.outOfTime += unfetched;
    if (this.failure) throw this.failure;
    return end;
  }

  private feedSoon(): void {
    const depth = this.threads * this.run.conf['fetcher.queue.depth.multiplier'];
    const { queued } = this.queues;
    if (this.fed || this.feeding || queued > depth / 2) return;
    this.feeding = this.feed(depth - queued)
      .catch((error: unknown) => void (this.failure ??= error))
      .finally(() => {
        this.feeding = undefined;
        this.wakeUp();
      });
  }

  private async feed(limit: number): Promise<void> {
    const items = await this.feeder.next(limit);
    await this.leaseAndWait(
      [...new Set(items.map(({ queueId }) => queueId))].filter((id) => !this.leases.hasLease(id)),
    );
    await this.pace.load(items);
    for (const item of items) this.flow.enqueue(item);
    this.fed ||= this.feeder.ended;
  }

  private async leaseAndWait(queueIds: string[]): Promise<void> {
    const got = await this.leases.lease(queueIds);
    const now = performance.now();
    for (const id of queueIds) {
      const { waitMs, blockedMs } = got.get(id) ?? { waitMs: this.leases.againMs(id), blockedMs: 0 };
      if (blockedMs > 0) this.pace.queueBlocked(id, now + blockedMs);
      if (waitMs > 0) this.queues.deferUntil(id, now + waitMs);
    }
    await this.leases.requestQueues(
      queueIds.filter((id) => !got.has(id)),
      now,
    );
  }

  /** Starts what may go now; returns when the next queue is ready. */
  private startReady(): number {
    const sustainable = this.queues.size * this.run.conf['fetcher.threads.per.queue'];
    const slow = this.underWay.long(performance.now(), this.run.conf['fetcher.threads.slow']);
    const work = { bytes: this.bytes, atWork: this.underWay.size - slow, sustainable };
    this.threads = this.bandwidth.threads(performance.now(), work);
    while (this.underWay.size < this.threads + slow && !this.parts.writer.isFull) {
      const now = performance.now();
      const thread = this.began + this.underWay.size * this.run.conf['fetcher.threads.start.delay'];
      if (now < thread) return thread;
      const next = this.queues.next(now);
      if (next.kind === 'empty') return Infinity;
      if (next.kind === 'wait') return next.until;
      this.start(next.item);
    }
    this.saturated ||= this.underWay.size >= this.threads + slow;
    return Infinity;
  }

  private start(item: Item): void {
    const begun = this.underWay.begin(performance.now());
    this.visit(item)
      .catch((error: unknown) => void (this.failure ??= error))
      .finally(() => {
        this.underWay.end(begun);
        this.wakeUp();
      });
  }

  private async visit(item: Item): Promise<void> {
    const { queueId } = item;
    if (!this.leases.hasLease(queueId)) {
      await this.leasing.add(queueId);
      return this.flow.putBack(item, { release: true });
    }
    await this.waiting.during(() => this.visitLeased(item));
  }

  /** A page whose queue is ours. */
  private async visitLeased(item: Item): Promise<void> {
    const { queueId } = item;
    await this.leases.writeDelay(queueId);
    const crawlDelay = this.pace.crawlDelay(queueId);
    const taken = this.requests.taken(queueId);
    const mayAsk = () => this.leases.hasLease(queueId) && this.requests.taken(queueId) === taken;
    const passage = await passRobots(this.robots, item.url, { conf: this.run.conf, mayAsk });
    if (this.cut.signal.aborted) return this.flow.endCut(item, passage.kind === 'asked');
    if (passage.kind === 'asked') return this.flow.putBack(item, { release: false });
    if (passage.kind === 'unasked') return this.flow.putBack(item, { release: true });
    if (passage.kind === 'unmet') return this.answered(item, passage.failure);
    if (passage.kind === 'go' && passage.delayMs !== null) this.pace.askFor(item, passage.delayMs);
    await this.leases.writeDelay(queueId);
    // Its host is asked meanwhile on behalf of another one: it rests after that.
    if (this.requests.taken(queueId) !== taken) return this.flow.putBack(item, { release: true });
    if (passage.kind === 'skip') return this.skip(item, passage);
    // Pages that set out before the delay was known go back: from now on the queue lets them go one by one.
    if (this.pace.crawlDelay(queueId) > crawlDelay) return this.flow.putBack(item, { release: true });
    // The lease may have run out meanwhile, as when the database was away.
    if (!this.leases.hasLease(queueId)) return this.flow.putBack(item, { release: true });
    await this.fetch(item);
  }

  /** A page that may not be fetched now. The whole host is put off where its robots.txt is to be asked for once more. */
  private skip(item: Item, passage: Extract<Passage, { kind: 'skip' }>): void {
    const waits = passage.skipped === 'robots_deferred' && this.robots.again(new URL(item.url).origin);
    if (!waits) return this.flow.end(item, unvisited(item.page, item.url, passage), { release: true });
    this.flow.putBack(item, { release: true });
    const delay = this.run.conf['http.robots.503.defer.visits.delay'];
    this.queues.deferUntil(item.queueId, performance.now() + delay);
  }

  private async fetch(item: Item): Promise<void> {
    const { page, url } = item;
    const { client, limits } = this.parts;
    // Where FETCH parses, content that nobody has parsed has to come once more: no PARSE follows.
    const known = hasContent(page) && !(page.unparsed && this.parts.writer.parses);
    const validators = known ? { etag: page.etag, lastModified: page.lastModified?.toUTCString() ?? null } : {};
    const headers = known ? requestHeaders(this.run.conf, validators) : this.headers;
    const request = { url, headers, signal: this.cut.signal, resend: false };
    const answer = await this.requests.page(item.queueId, () => client.fetch(request, limits));
    await faultPoint('fetch.answered');
    // The server was asked, and rests before whoever asks it next.
    if (!answer.ok && answer.code === 'aborted') return this.flow.endCut(item, true);
    if (!answer.ok && answer.stale && !item.resent) {
      item.resent = true;
      return this.flow.putBack(item, { release: false });
    }
    await this.answered(item, answer, known);
  }

  /** What came of a page is written, and the target of its redirect joins the batch where it is to be followed now. */
  private async answered(item: Item, answer: HttpAnswer, conditional = false): Promise<void> {
    const { page, url } = item;
    const visit = this.visits.of(page, url, answer, { conditional });
    this.fetched++;
    this.bytes += visit.bytes ?? 0;
    const target = this.redirectNow(item, visit);
    await this.flow.answered(item, visit, answer);
    if (target === null || this.run.stopping.aborted) return;
    const { noted, reprUrl } = visit;
    const { sitemap } = this.parts.query;
    const redirect = { source: page, target, noted, reprUrl, sitemap, scoring: this.scoring };
    const joined = await joinBatch(this.run, redirect, (found) => this.feeder.join(found));
    if (joined === null) return;
    const items = await this.feeder.items([joined], item.hops + 1);
    await this.pace.load(items);
    for (const next of items) this.flow.enqueue(next);
  }

  /** The target of a redirect that is to be followed in this run; null when there is none, or enough were. */
  private redirectNow({ hops }: Item, visit: Visited): string | null {
    const time = redirectTime(hops, this.run.conf);
    if (time === 'now') {
      const target = visit.redirectKey;
      // Where sitemaps alone are fetched, what they lead to is a page for another FETCH.
      if (target === null || this.parts.query.sitemap === true) return null;
      // A target that one page may not lead to, another one may: only where nobody asks is it tried once.
      return !this.scoring.readsPages && this.redirects.met(target, performance.now()) ? null : target;
    }
    if (time === 'never') visit.redirectKey = null;
    return null;
  }

  private async tendQueues(): Promise<void> {
    for (const queueId of await this.pace.look(performance.now())) this.flow.removeExcluded(queueId);
    const lost = await this.leases.tend(performance.now());
    for (const id of lost) this.queues.deferUntil(id, performance.now() + this.leases.againMs(id));
    await this.leases.giveWay(performance.now(), (id) => this.queues.isBusy(id) || this.requests.isAsked(id));
  }

  /** Until the writer takes more. Leases are renewed meanwhile, and a stop or the end of time is seen. */
  private async sleepUntilDrained(): Promise<void> {
    const drained = this.parts.writer.drained().catch((error: unknown) => void (this.failure ??= error));
    await Promise.race([drained, this.sleep(Infinity)]);
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
