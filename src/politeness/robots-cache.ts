/**
 * The robots.txt of each scheme, host and port: cached in memory for the task, in table `robots` for all (a day by default).
 * Memory is limited by weight, for all tasks of the process together. A file that was evicted is read from the table again; a
 * file fetched by the task is valid for at least an hour: queues are served round robin, so a file may be evicted again before
 * its pages are due. After an hour a stored file is read again, and a file that has expired is requested again. One fetch serves all
 * waiting pages of an origin. A file that is unavailable now is requested again by the next job, or by the same one after an
 * hour, but not before the time of Retry-After; the row has the reason and the number of failures in a row.
 */
import { getHeapStatistics } from 'node:v8';
import type { Conf } from '../core/conf/properties.js';
import { retryAfter } from '../core/politeness/back-off.js';
import { type Robots, parseRobots } from '../core/robots/robots-file.js';
import { meaningOfStored, robotsOfStatus } from '../core/robots/robots-status.js';
import { type RobotsVerdict, judge, onlyFor } from '../core/robots/robots-verdict.js';
import { weightOf } from '../core/robots/robots-weight.js';
import { isRedirection } from '../core/http/redirect-statuses.js';
import { hostForRules } from '../core/url/idn.js';
import { reverseHost } from '../core/url/row-key.js';
import type { Sql } from '../db/sql.js';
import type { FetchLimits, HttpClient } from '../net/http-client.js';
import { type HttpAnswer, type HttpFailure, failure } from '../net/http-answer.js';
import { type RobotsFile, breakOf, fetchRobots } from '../net/robots-fetch.js';
import { KEPT_MS, RobotsHops, type RunExclusive } from './robots-hops.js';
import {
  type FailureSeries,
  type RobotsKey,
  type StoredFile,
  storeFailure,
  storeFile,
  storedFile,
} from './robots.store.js';
import { LruNamespace, WeightedLru } from '../core/queueing/weighted-lru.js';
import { robotNames } from '../core/robots/robot-names.js';

/** What robots.txt means for an origin. `wait`: the file is unavailable now, so no page of the origin is fetched now. */
export type OriginRobots =
  { kind: 'rules'; robots: Robots } | { kind: 'allow' } | { kind: 'deny'; why: string } | { kind: 'wait'; why: string };

export interface RobotsCacheOptions {
  db: Sql;
  client: Pick<HttpClient, 'fetch'>;
  conf: Conf;
  headers: Record<string, string>;
  limits: FetchLimits;
  signal: AbortSignal;
  /** Missing: there are no concurrent requests. */
  runExclusive?: RunExclusive;
  /** Monotonic clock, ms; default: that of the process. */
  now?: () => number;
}

/** The meaning of a file in memory, and the end of its use. */
interface Kept {
  meaning: OriginRobots;
  until: number;
}

/**
 * Approximate bytes of rules in memory for all tasks of the process together: 800 files of 200 rules for us, fewer with a small
 * heap.
 */
const MAX_RULE_BYTES = Math.min(64 * 1_048_576, getHeapStatistics().heap_size_limit / 8);
const RULES = new WeightedLru<Kept>(MAX_RULE_BYTES);
/** Maximum of origins without rules in memory. */
const MAX_ORIGINS = 10_000;
/**
 * Failures that say nothing about the rules of the site: nothing is fetched for now (RFC 9309 §2.3.1.4). Too many
 * redirects, or one without a usable target, count as a missing file (2.3.1.2).
 */
const TRANSIENT = new Set(['timeout', 'reset', 'protocol', 'decode', 'aborted']);
/** No connection was made. After a redirect or through a proxy that is transient; at the origin itself its pages fail as well. */
const UNREACHED = new Set(['dns', 'refused', 'tls']);
/** Those of them in which no server was reached, so that no delay follows. */
const UNREACHABLE = ['dns', 'refused'] as const;

interface Loaded {
  meaning: OriginRobots;
  fetched: boolean;
  /** Why no server was reached just now; absent: one was reached, or no request was needed. */
  unreachable?: HttpFailure;
  /** The file was not cached, and may not be requested any more: nothing is known. */
  notRequested?: true;
}

/** Whether a failure is that of the origin itself, not reported by a proxy and not on our side. */
const isOfOrigin = ({ redirected, local, proxied }: Extract<RobotsFile, { error: unknown }>): boolean =>
  !redirected && !local && !proxied;

/** Why no server of the origin itself was reached. */
function unreachableOf(file: RobotsFile): HttpFailure | undefined {
  const code = 'error' in file && isOfOrigin(file) ? UNREACHABLE.find((known) => known === file.error) : undefined;
  return code && 'error' in file ? failure(code, file.message) : undefined;
}

export class RobotsCache {
  private readonly rules = new LruNamespace(RULES);
  private readonly others = new Map<string, Kept>();
  private readonly loading = new Map<string, Promise<Loaded>>();
  /** How often the file of an origin was requested again after it was unavailable. */
  private readonly retried = new Map<string, number>();
  private readonly now: () => number;
  private readonly began: number;
  readonly agents: string[];
  private readonly hops: RobotsHops;

  constructor(private readonly options: RobotsCacheOptions) {
    const { conf, client, runExclusive, now = () => performance.now() } = options;
    this.now = now;
    this.began = now();
    this.hops = new RobotsHops({
      now,
      client,
      stored: (origin) => this.storedAnswer(origin),
      keep: (origin, answer) => this.keepAnswer(origin, answer),
      ...(runExclusive && { runExclusive }),
    });
    this.agents = robotNames(conf);
  }

  /**
   * What robots.txt means for an origin. `fetched`: its server was requested just now; true for the caller, and for all who waited for the
   * same request. If no server was reached (`unreachable`), the visit of the page fails with that, as a server that is back a
   * moment later may disallow the page; the next page tries again.
   * @param mayAsk whether a request may still begin after the lookup in the database, which can take long
   */
  async get(origin: string, mayAsk = () => true): Promise<Loaded> {
    const now = this.now();
    const kept = [this.rules.get(origin), this.others.get(origin)].find((entry) => entry && now < entry.until);
    if (kept) return { meaning: kept.meaning, fetched: false };
    let loading = this.loading.get(origin);
    if (!loading) {
      loading = this.load(origin, mayAsk).finally(() => this.loading.delete(origin));
      this.loading.set(origin, loading);
    }
    return loading;
  }

  /**
   * Whether the unavailable file of an origin is to be requested once more in this task
   * (`http.robots.503.defer.visits.retries`); its cached meaning is then dropped.
   */
  again(origin: string): boolean {
    // Concurrent pages get the same meaning: it counts once.
    if (!this.others.has(origin)) return true;
    const tries = this.retried.get(origin) ?? 0;
    if (tries >= this.options.conf['http.robots.503.defer.visits.retries']) return false;
    this.retried.set(origin, tries + 1);
    return this.others.delete(origin);
  }

  judge(robots: Robots, url: string): RobotsVerdict {
    return judge(robots, this.agents, url);
  }

  /** Frees its memory for other tasks. */
  close(): void {
    this.rules.close();
    this.hops.close();
  }

  private async load(origin: string, mayAsk: () => boolean): Promise<Loaded> {
    const host = new URL(origin).hostname;
    if (this.options.conf['http.robot.rules.allowlist'].some((name) => hostForRules(name) === host))
      return this.keep(origin, { kind: 'allow' }, false);
    const stored = await this.stored(origin);
    if (stored) return this.keep(origin, this.originOfStored(origin, stored), false);
    if (!mayAsk()) return { meaning: { kind: 'allow' }, fetched: false, notRequested: true };
    const file = await this.ask(origin);
    const unreachable = unreachableOf(file);
    if (unreachable) return { meaning: { kind: 'allow' }, fetched: false, unreachable };
    const meaning = this.meaning(file);
    if (meaning.kind === 'wait') return this.keep(origin, await this.defer(origin, file, meaning), true);
    if ('status' in file) await this.store(origin, file);
    return this.keep(origin, meaning, true);
  }

  /** Stores why a file is unavailable now, and decides whether its host must wait. */
  private async defer(
    origin: string,
    file: RobotsFile,
    meaning: Extract<OriginRobots, { kind: 'wait' }>,
  ): Promise<OriginRobots> {
    const series = await this.storeFailure(origin, file, meaning.why);
    const httpStatus = 'status' in file ? file.status : null;
    const later = meaningOfStored({ httpStatus, error: meaning.why, ...series }, this.options.conf);
    return later === 'allow-all' ? { kind: 'allow' } : meaning;
  }

  private keep(origin: string, meaning: OriginRobots, fetched: boolean): Loaded {
    const until = this.now() + KEPT_MS;
    // What was kept before has expired, or is to be requested once more.
    this.others.delete(origin);
    if (meaning.kind !== 'wait') this.retried.delete(origin);
    if (meaning.kind === 'rules') this.rules.set(origin, { meaning, until }, weightOf(meaning.robots));
    else {
      if (this.others.size >= MAX_ORIGINS) this.forget(this.others.keys().next().value!);
      this.others.set(origin, { meaning, until });
    }
    return { meaning, fetched };
  }

  private forget(origin: string): void {
    this.others.delete(origin);
    this.retried.delete(origin);
  }

  private originOfStored(origin: string, stored: StoredFile): OriginRobots {
    const { httpStatus, body, error } = stored;
    if (error !== null)
      return meaningOfStored(stored, this.options.conf) === 'defer' ? { kind: 'wait', why: error } : { kind: 'allow' };
    return this.meaning({ status: httpStatus ?? 0, body: body ?? Buffer.alloc(0), finalUrl: origin, truncated: false });
  }

  private stored(origin: string): Promise<StoredFile | undefined> {
    const age = Math.min(this.now() - this.began, KEPT_MS) / 1000;
    const maxAge = this.options.conf['http.robots.cache.seconds'];
    return storedFile(this.options.db, keyOf(origin), { age, maxAge });
  }

  private async storedAnswer(origin: string): Promise<HttpAnswer | undefined> {
    const file = await this.stored(origin);
    if (file && file.error !== null && file.httpStatus === null)
      return { ok: false, code: 'reset', message: file.error };
    const body = file?.body ?? Buffer.alloc(0);
    const others = { ok: true, headers: {}, truncated: false, wireBytes: 0, ms: 0, address: '' } as const;
    return file && { ...others, status: file.httpStatus ?? 0, body };
  }

  /** Stores the target of another origin's redirect as the file of its own origin, too. */
  private async keepAnswer(origin: string, answer: HttpAnswer): Promise<void> {
    if (!answer.ok || breakOf(answer) !== null || isRedirection(answer.status)) return;
    const file = { status: answer.status, body: answer.body, finalUrl: origin, truncated: answer.truncated !== false };
    if (this.meaning(file).kind !== 'wait') await this.store(origin, file);
  }

  private ask(origin: string): Promise<RobotsFile> {
    const { conf, headers, limits, signal } = this.options;
    return fetchRobots(this.hops.from(origin), {
      origin,
      headers,
      limits,
      maxRedirects: conf['http.robots.redirect.max'],
      // One byte more shows whether the file is longer: its last line is then cut, and no rule.
      maxBytes: conf['http.robots.content.limit'] + 1,
      signal,
    });
  }

  private meaning(file: RobotsFile): OriginRobots {
    const { conf } = this.options;
    if ('error' in file) {
      const transient = TRANSIENT.has(file.error) || (UNREACHED.has(file.error) && !isOfOrigin(file));
      return transient ? this.unavailable(`robots.txt: ${file.message}`) : { kind: 'allow' };
    }
    const meaning = robotsOfStatus(file.status, conf);
    if (meaning === 'parse') {
      const robots = parseRobots(file.body, conf['http.robots.content.limit']);
      return { kind: 'rules', robots: onlyFor(this.agents, robots) };
    }
    if (meaning === 'allow-all') return { kind: 'allow' };
    const why = `robots.txt answered ${file.status}`;
    return meaning === 'deny-all' ? { kind: 'deny', why } : { kind: 'wait', why };
  }

  /** The meaning of a file that is unavailable now. */
  private unavailable(why: string): OriginRobots {
    return this.options.conf['http.robots.503.defer.visits'] ? { kind: 'wait', why } : { kind: 'allow' };
  }

  /** Stores a file that was received; it is no longer failing. */
  private async store(origin: string, file: Extract<RobotsFile, { status: number }>): Promise<void> {
    const meaning = this.meaning(file);
    const crawlDelay = meaning.kind === 'rules' ? this.judge(meaning.robots, '/').crawlDelay : null;
    const seconds = this.options.conf['http.robots.cache.seconds'];
    await storeFile(this.options.db, keyOf(origin), { status: file.status, body: file.body, crawlDelay, seconds });
  }

  /**
   * Stores why a file is unavailable now. Returns on how many days the network failed, and for how long, ms. A status ends
   * that series; a failure on our side is stored, but does not count.
   */
  private async storeFailure(origin: string, file: RobotsFile, why: string): Promise<FailureSeries> {
    const none = { failures: 0, failingMs: 0 };
    // A request that we aborted says nothing about the server.
    if ('error' in file && file.error === 'aborted') return none;
    const max = this.options.conf['fetcher.backoff.max'] * 1000;
    const retryMs = 'status' in file ? retryAfter(file.retryAfter, Date.now(), max) : null;
    const counts = 'status' in file || !file.local;
    const byNetwork = counts && 'error' in file;
    const status = 'status' in file ? file.status : null;
    const stored = await storeFailure(this.options.db, keyOf(origin), { status, retryMs, why, counts, byNetwork });
    return byNetwork ? stored : none;
  }
}

const keyOf = (origin: string): RobotsKey => ({ host: reverseHost(new URL(origin).hostname), origin });
