/**
 * Requests for robots.txt, one per file, task and hour: an origin requests its own file, or another origin's file redirects to
 * it. Answers are cached while memory allows; those of origins are stored in the table as well. A hop to another host is an
 * ordinary request: it waits for that host's fetch queue, or, while another task has it, for the file that this task is about to store.
 */
import { type HttpAnswer, abortedFetch, localFailure } from '../net/http-answer.js';
import type { FetchLimits, HttpClient, HttpRequest } from '../net/http-client.js';
import { pause } from '../net/pause.js';
import { breakOf } from '../net/robots-fetch.js';
import { LruNamespace, WeightedLru } from '../core/queueing/weighted-lru.js';
import { isTrouble } from '../core/politeness/back-off.js';

/** Runs a request when the fetch queue of a URL allows it; undefined: another task has the queue now. */
export type RunExclusive = (url: string, work: () => Promise<HttpAnswer>) => Promise<HttpAnswer | undefined>;

export interface RobotsHopsOptions {
  client: Pick<HttpClient, 'fetch'>;
  /** The stored file of an origin, if any. */
  stored: (origin: string) => Promise<HttpAnswer | undefined>;
  /** Stores the file of an origin to which a redirect led. */
  keep: (origin: string, answer: HttpAnswer) => Promise<void>;
  /** Missing: there are no concurrent requests (the inspector). */
  runExclusive?: RunExclusive;
  /** Monotonic clock, ms; default: that of the process. */
  now?: () => number;
}

const mayChange = (answer: HttpAnswer): boolean => !answer.ok || isTrouble(answer.status) || breakOf(answer) !== null;

/**
 * How long a task uses an answer without requesting or reading the file again, ms. Not as long as the task runs: the FETCH of a
 * continuous crawl may run for weeks, and rules change.
 */
export const KEPT_MS = 3_600_000;

/** Cached answers, each with the end of its use, for all tasks of the process together. */
const ANSWERS = new WeightedLru<{ answer: HttpAnswer; until: number }>(16 * 1_048_576);
/** Approximate size: the body and the header section, whose size is limited elsewhere. */
const weightOf = (answer: HttpAnswer): number =>
  1000 + (answer.ok ? answer.body.length + Object.values(answer.headers).join('').length : 0);
/** Attempts to send a request to a host that another task fetches, and the pause between two: half a minute in all. */
const MAX_ATTEMPTS = 60;
const AGAIN_MS = 500;

export class RobotsHops {
  private readonly answers = new LruNamespace(ANSWERS);
  private readonly running = new Map<string, Promise<HttpAnswer>>();
  private readonly now: () => number;

  constructor(private readonly options: RobotsHopsOptions) {
    this.now = options.now ?? (() => performance.now());
  }

  /** A client for the robots.txt of one origin: its redirects may lead to other hosts. */
  from(origin: string): Pick<HttpClient, 'fetch'> {
    return { fetch: (request, limits) => this.once(origin, request, limits) };
  }

  close(): void {
    this.answers.close();
  }

  private once(origin: string, request: HttpRequest, limits: FetchLimits | undefined): Promise<HttpAnswer> {
    const { url } = request;
    const known = this.answers.get(url);
    if (known && this.now() < known.until) return Promise.resolve(known.answer);
    let running = this.running.get(url);
    if (!running) {
      running = this.askAndRemember(origin, request, limits).finally(() => this.running.delete(url));
      this.running.set(url, running);
    }
    return running;
  }

  private async askAndRemember(origin: string, request: HttpRequest, limits?: FetchLimits): Promise<HttpAnswer> {
    const answer = await this.ask(origin, request, limits);
    // A file that is unavailable now may be requested again.
    const until = this.now() + KEPT_MS;
    if (!mayChange(answer)) this.answers.set(request.url, { answer, until }, weightOf(answer));
    return answer;
  }

  private async ask(origin: string, request: HttpRequest, limits: FetchLimits | undefined): Promise<HttpAnswer> {
    const { client, runExclusive, stored, keep } = this.options;
    const target = new URL(request.url);
    const send = () => client.fetch(request, limits);
    if (target.hostname === new URL(origin).hostname) return send();
    const isFile = target.href === `${target.origin}/robots.txt`;
    for (let attempts = 0; attempts < MAX_ATTEMPTS && !request.signal?.aborted; attempts++) {
      const known = isFile ? await stored(target.origin) : undefined;
      if (known) return known;
      const answer = runExclusive ? await runExclusive(target.href, send) : await send();
      if (answer && isFile) await keep(target.origin, answer);
      if (answer) return answer;
      await pause(AGAIN_MS, request.signal);
    }
    if (request.signal?.aborted) return abortedFetch();
    return localFailure('timeout', 'its redirect leads to a host that is being fetched by another task');
  }
}
