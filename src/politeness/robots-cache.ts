/**
 * What robots.txt says, per scheme, host and port: in memory for the task, in table `robots` for all (a day by default).
 * Memory is bounded by weight, for all tasks of the process together; a file that had to make room is read from the table again, where what came since the task
 * began is believed to its end: queues go round, so a file may make room again before its pages have their turn.
 * One fetch serves all pages of an origin that wait for it. A file that cannot be had now is asked for again by the next
 * job, or when the server wants to be asked (Retry-After); the row says why, and how often in a row.
 */
import { getHeapStatistics } from 'node:v8';
import type { Conf } from '../conf/properties.js';
import { retryAfter } from '../core/politeness/back-off.js';
import { type Robots, parseRobots } from '../core/robots/robots-file.js';
import { robotsOfStatus } from '../core/robots/robots-status.js';
import { type RobotsVerdict, judge, onlyFor } from '../core/robots/robots-verdict.js';
import { weightOf } from '../core/robots/robots-weight.js';
import { reverseHost } from '../core/url/row-key.js';
import { type Sql, row, sql, storableStart } from '../db/sql.js';
import type { FetchLimits, HttpClient } from '../net/http-client.js';
import { type HttpAnswer, type HttpFailure, failure } from '../net/http-answer.js';
import { type RobotsFile, breakOf, fetchRobots } from '../net/robots-fetch.js';
import { RobotsHops, type RunExclusive } from './robots-hops.js';
import { LruPart, WeightedLru } from './weighted-lru.js';

/** `wait`: the file cannot be had now, so nothing of the origin is fetched now. */
export type RobotsAnswer =
  { kind: 'rules'; robots: Robots } | { kind: 'allow' } | { kind: 'deny'; why: string } | { kind: 'wait'; why: string };

export interface RobotsParts {
  db: Sql;
  client: Pick<HttpClient, 'fetch'>;
  conf: Conf;
  headers: Record<string, string>;
  limits: FetchLimits;
  signal: AbortSignal;
  /** Missing: nobody else fetches meanwhile. */
  runExclusive?: RunExclusive;
}

interface StoredFile {
  httpStatus: number | null;
  body: Buffer | null;
  /** Why it could not be had; null: it could. */
  error: string | null;
}

/**
 * Bytes of rules kept in memory for all tasks of the process together, about: 800 files of 200 rules for us, fewer where
 * the heap is a small one.
 */
const MAX_RULE_BYTES = Math.min(64 * 1_048_576, getHeapStatistics().heap_size_limit / 8);
const RULES = new WeightedLru<RobotsAnswer>(MAX_RULE_BYTES);
/** For so long, at least, the network must keep a file from us to count as none: the 30 days of RFC 9309. */
const LONG_MS = 30 * 86_400_000;
/** Origins without rules remembered in memory: most of what is known of them stands nowhere else. */
const MAX_ORIGINS = 10_000;
/**
 * Failures that say nothing about what the site wishes: the host is left alone for now (RFC 9309 section 2.3.1.4). A
 * redirect too many, or to nowhere, is no file (2.3.1.2).
 */
const TRANSIENT = new Set(['timeout', 'reset', 'protocol', 'decode', 'aborted']);
/** No request came about. Behind a redirect or a proxy that is transient too; at the host itself its pages say so. */
const UNREACHED = new Set(['dns', 'refused', 'tls']);
/** Of these, those where no server was met, so that there is none to rest. */
const UNMET = ['dns', 'refused'] as const;

interface Loaded {
  answer: RobotsAnswer;
  fetched: boolean;
  /** Why no server was met just now; absent: one was, or none was looked for. */
  unmet?: HttpFailure;
  /** It was not there, and may not be asked for any more: nothing is known. */
  unasked?: true;
}

/** The failure is that of the origin itself, and no word of a proxy, nor a trouble of ours. */
const metOurselves = ({ redirected, local, proxied }: Extract<RobotsFile, { error: unknown }>): boolean =>
  !redirected && !local && !proxied;

/** Why no server of the origin itself was met. */
function unmetOf(file: RobotsFile): HttpFailure | undefined {
  const code = 'error' in file && metOurselves(file) ? UNMET.find((one) => one === file.error) : undefined;
  return code && 'error' in file ? failure(code, file.message) : undefined;
}

export class RobotsCache {
  private readonly rules = new LruPart(RULES);
  private readonly others = new Map<string, RobotsAnswer>();
  private readonly loading = new Map<string, Promise<Loaded>>();
  /** How often the file of an origin was given up and asked for again. */
  private readonly retried = new Map<string, number>();
  private readonly began = performance.now();
  readonly agents: string[];
  private readonly hops: RobotsHops;

  constructor(private readonly parts: RobotsParts) {
    const { conf, client, runExclusive } = parts;
    this.hops = new RobotsHops({
      client,
      stored: (origin) => this.storedAnswer(origin),
      keep: (origin, answer) => this.keepAnswer(origin, answer),
      ...(runExclusive && { runExclusive }),
    });
    this.agents = [conf['http.agent.name'], ...conf['http.robots.agents']]
      .filter((name) => name !== '')
      .map((name) => name.toLowerCase());
  }

  /**
   * The answer for an origin. `fetched`: its server was asked just now; true for the caller, and for all who
   * waited with them. Nobody was asked where no server was met (`unmet`): the page at hand has failed by that, for a
   * server that is back a moment later may forbid it; the next one tries again.
   * @param mayAsk whether its server may still be asked when the file is not there: to look for it takes as long as the database
   */
  async of(origin: string, mayAsk = () => true): Promise<Loaded> {
    const answer = this.rules.get(origin) ?? this.others.get(origin);
    if (answer) return { answer, fetched: false };
    let loading = this.loading.get(origin);
    if (!loading) {
      loading = this.load(origin, mayAsk).finally(() => this.loading.delete(origin));
      this.loading.set(origin, loading);
    }
    return loading;
  }

  /**
   * Whether the file of an origin, which could not be had, is to be asked for once more in this task
   * (`http.robots.503.defer.visits.retries`); what is known of it is then forgotten.
   */
  again(origin: string): boolean {
    // Pages that went together meet one answer: it counts once.
    if (!this.others.has(origin)) return true;
    const tries = this.retried.get(origin) ?? 0;
    if (tries >= this.parts.conf['http.robots.503.defer.visits.retries']) return false;
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
    if (this.parts.conf['http.robot.rules.allowlist'].includes(host))
      return this.keep(origin, { kind: 'allow' }, false);
    const hostKey = reverseHost(host);
    const stored = await this.stored(hostKey, origin);
    if (stored) return this.keep(origin, this.meaningOfStored(origin, stored), false);
    if (!mayAsk()) return { answer: { kind: 'allow' }, fetched: false, unasked: true };
    const file = await this.ask(origin);
    const unmet = unmetOf(file);
    if (unmet) return { answer: { kind: 'allow' }, fetched: false, unmet };
    const answer = this.meaning(file);
    if (answer.kind === 'wait') return this.keep(origin, await this.putOff(hostKey, origin, { file, answer }), true);
    if ('status' in file) await this.store(hostKey, origin, file);
    return this.keep(origin, answer, true);
  }

  /**
   * The answer for a file that cannot be had now. Where the network has kept it from us for long, its host may count as one
   * without (RFC 9309 section 2.3.1.4): the pages of a dead host fail by themselves then, and are gone some day.
   */
  private async putOff(
    host: string,
    origin: string,
    { file, answer }: { file: RobotsFile; answer: Extract<RobotsAnswer, { kind: 'wait' }> },
  ): Promise<RobotsAnswer> {
    const { failures, ms } = await this.storeFailure(host, origin, { file, why: answer.why });
    const isLong = failures > this.parts.conf['db.fetch.retry.max'] && ms >= LONG_MS;
    return 'error' in file && isLong ? { kind: 'allow' } : answer;
  }

  private keep(origin: string, answer: RobotsAnswer, fetched: boolean): Loaded {
    if (answer.kind === 'rules') this.rules.set(origin, answer, weightOf(answer.robots));
    else {
      if (this.others.size >= MAX_ORIGINS) this.others.delete(this.others.keys().next().value!);
      this.others.set(origin, answer);
    }
    return { answer, fetched };
  }

  private meaningOfStored(origin: string, { httpStatus, body, error }: StoredFile): RobotsAnswer {
    if (error !== null) return this.unhad(error);
    return this.meaning({ status: httpStatus ?? 0, body: body ?? Buffer.alloc(0), finalUrl: origin, truncated: false });
  }

  private stored(hostKey: string, origin: string): Promise<StoredFile | undefined> {
    const age = (performance.now() - this.began) / 1000;
    return row<StoredFile>(this.parts.db)`
      select http_status as "httpStatus", body, error from robots
       where host = ${hostKey} and origin = ${origin}
         -- One from the future was fetched by a clock that was ahead: nobody knows how old it is.
         and fetched_at <= now() + interval '1 minute'
         and (expires_at > now() or (error is null and fetched_at >= now() - make_interval(secs => ${age})))`;
  }

  private async storedAnswer(origin: string): Promise<HttpAnswer | undefined> {
    const file = await this.stored(reverseHost(new URL(origin).hostname), origin);
    if (file && file.error !== null && file.httpStatus === null)
      return { ok: false, code: 'reset', message: file.error };
    const body = file?.body ?? Buffer.alloc(0);
    const rest = { ok: true, headers: {}, truncated: false, wireBytes: 0, ms: 0, address: '' } as const;
    return file && { ...rest, status: file.httpStatus ?? 0, body };
  }

  /** What a redirect of another origin led to is the file of its own origin too. */
  private async keepAnswer(origin: string, answer: HttpAnswer): Promise<void> {
    if (!answer.ok || breakOf(answer) !== null || (answer.status >= 300 && answer.status < 400)) return;
    const file = { status: answer.status, body: answer.body, finalUrl: origin, truncated: answer.truncated !== false };
    if (this.meaning(file).kind !== 'wait') await this.store(reverseHost(new URL(origin).hostname), origin, file);
  }

  private ask(origin: string): Promise<RobotsFile> {
    const { conf, headers, limits, signal } = this.parts;
    return fetchRobots(this.hops.from(origin), {
      origin,
      headers,
      limits,
      maxRedirects: conf['http.robots.redirect.max'],
      // One byte more tells whether the file was cut: its last line is then no rule.
      maxBytes: conf['http.robots.content.limit'] + 1,
      signal,
    });
  }

  private meaning(file: RobotsFile): RobotsAnswer {
    const { conf } = this.parts;
    if ('error' in file) {
      const passing = TRANSIENT.has(file.error) || (UNREACHED.has(file.error) && !metOurselves(file));
      return passing ? this.unhad(`robots.txt: ${file.message}`) : { kind: 'allow' };
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

  /** What a file means that cannot be had now. */
  private unhad(why: string): RobotsAnswer {
    return this.parts.conf['http.robots.503.defer.visits'] ? { kind: 'wait', why } : { kind: 'allow' };
  }

  private async store(host: string, origin: string, file: Extract<RobotsFile, { status: number }>): Promise<void> {
    const answer = this.meaning(file);
    const crawlDelay = answer.kind === 'rules' ? this.judge(answer.robots, '/').crawlDelay : null;
    await this.parts.db.query(sql`
      insert into robots (host, origin, fetched_at, expires_at, http_status, body, crawl_delay)
      values (${host}, ${origin}, now(), now() + make_interval(secs => ${this.parts.conf['http.robots.cache.seconds']}),
              ${file.status}, ${file.body}, ${crawlDelay})
      on conflict (host, origin) do update
         set fetched_at = excluded.fetched_at, expires_at = excluded.expires_at, http_status = excluded.http_status,
             body = excluded.body, crawl_delay = excluded.crawl_delay, error = null, failures = 0,
             failing_since = null`);
  }

  /**
   * A file that cannot be had now; what was known of it before is not believed any more, but kept. Answers on how many days
   * (each from the hour of the first) the network has kept it from us, and for how long, ms. A status breaks that row and
   * begins one of its own, without `failing_since`; what was in the way on our side is noted and counts for neither.
   */
  private async storeFailure(
    host: string,
    origin: string,
    { file, why }: { file: RobotsFile; why: string },
  ): Promise<{ failures: number; ms: number }> {
    // A request that we cut ourselves says nothing about the server.
    if ('error' in file && file.error === 'aborted') return { failures: 0, ms: 0 };
    const max = this.parts.conf['fetcher.backoff.max'] * 1000;
    const rest = 'status' in file ? retryAfter(file.retryAfter, Date.now(), max) : null;
    const counts = 'status' in file || !file.local;
    const byNetwork = counts && 'error' in file;
    const stored = await row<{ failures: number; ms: number }>(this.parts.db)`
      insert into robots (host, origin, fetched_at, expires_at, http_status, error, failures, failing_since)
      values (${host}, ${origin}, now(), now() + make_interval(secs => ${(rest ?? 0) / 1000}),
              ${'status' in file ? file.status : null}, ${storableStart(why, 500)}, ${counts ? 1 : 0},
              case when ${byNetwork}::boolean then now() end)
      on conflict (host, origin) do update
         -- What counts for nothing leaves the time of what counts: days are told apart by it.
         set fetched_at = case when ${counts}::boolean then excluded.fetched_at else robots.fetched_at end,
             expires_at = excluded.expires_at, http_status = excluded.http_status, error = excluded.error,
             failures = case when not ${counts}::boolean then robots.failures
                             when (robots.failing_since is not null) <> ${byNetwork}::boolean then 1
                             else robots.failures + (robots.failing_since is null or robots.fetched_at <
                                  date_bin('1 day', excluded.fetched_at, robots.failing_since))::int end,
             failing_since = case when not ${counts}::boolean then robots.failing_since
                                  when ${byNetwork}::boolean then coalesce(robots.failing_since, excluded.failing_since) end
      returning failures, coalesce(extract(epoch from fetched_at - failing_since) * 1000, 0)::float8 as ms`;
    return byNetwork ? stored! : { failures: 0, ms: 0 };
  }
}
