/**
 * robots.txt requests, each file once in a task, whoever asks: an origin for its own, or another one whose file redirects
 * here. Answers are remembered as far as memory goes; those of origins of their own stand in the table as well. A hop to another host is a request to that host like any other: it waits for the turn of that host's fetch queue, and
 * while another task has the queue, the file that this task is about to store is waited for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type HttpAnswer, failure, localFailure } from '../net/http-answer.js';
import type { FetchLimits, HttpClient, HttpRequest } from '../net/http-client.js';
import { breakOf } from '../net/robots-fetch.js';
import { LruPart, WeightedLru } from './weighted-lru.js';

/** Runs a request when the fetch queue of a URL lets it; undefined: the queue is with another task now. */
export type RunExclusive = (url: string, work: () => Promise<HttpAnswer>) => Promise<HttpAnswer | undefined>;

export interface HopParts {
  client: Pick<HttpClient, 'fetch'>;
  /** The file of an origin that somebody has fetched already. */
  stored: (origin: string) => Promise<HttpAnswer | undefined>;
  /** Keeps the file of an origin that a redirect led to. */
  keep: (origin: string, answer: HttpAnswer) => Promise<void>;
  /** Missing: nobody else fetches meanwhile (the inspector). */
  runExclusive?: RunExclusive;
}

const mayChange = (answer: HttpAnswer): boolean =>
  !answer.ok || answer.status >= 500 || answer.status === 429 || breakOf(answer) !== null;

/** Answers remembered, for all tasks of the process together. */
const ANSWERS = new WeightedLru<HttpAnswer>(16 * 1_048_576);
/** What an answer takes beside its body: its header section has a limit of its own. */
const weightOf = (answer: HttpAnswer): number =>
  1000 + (answer.ok ? answer.body.length + Object.values(answer.headers).join('').length : 0);
const AGAIN_MS = 500;
const TRIES = 60;

export class RobotsHops {
  private readonly answers = new LruPart(ANSWERS);
  private readonly underWay = new Map<string, Promise<HttpAnswer>>();

  constructor(private readonly parts: HopParts) {}

  /** A client for the robots.txt of one origin: the first request goes to it, those of its redirects perhaps elsewhere. */
  from(origin: string): Pick<HttpClient, 'fetch'> {
    return { fetch: (request, limits) => this.once(origin, request, limits) };
  }

  close(): void {
    this.answers.close();
  }

  private once(origin: string, request: HttpRequest, limits: FetchLimits | undefined): Promise<HttpAnswer> {
    const { url } = request;
    const known = this.answers.get(url);
    if (known) return Promise.resolve(known);
    let asking = this.underWay.get(url);
    if (!asking) {
      asking = this.askAndRemember(origin, request, limits).finally(() => this.underWay.delete(url));
      this.underWay.set(url, asking);
    }
    return asking;
  }

  private async askAndRemember(origin: string, request: HttpRequest, limits?: FetchLimits): Promise<HttpAnswer> {
    const answer = await this.ask(origin, request, limits);
    // A file that cannot be had now may be asked for again.
    if (!mayChange(answer)) this.answers.set(request.url, answer, weightOf(answer));
    return answer;
  }

  private async ask(origin: string, request: HttpRequest, limits: FetchLimits | undefined): Promise<HttpAnswer> {
    const { client, runExclusive, stored, keep } = this.parts;
    const target = new URL(request.url);
    const send = () => client.fetch(request, limits);
    if (target.hostname === new URL(origin).hostname) return send();
    const isFile = target.href === `${target.origin}/robots.txt`;
    for (let tries = 0; tries < TRIES && !request.signal?.aborted; tries++) {
      const known = isFile ? await stored(target.origin) : undefined;
      if (known) return known;
      const answer = runExclusive ? await runExclusive(target.href, send) : await send();
      if (answer && isFile) await keep(target.origin, answer);
      if (answer) return answer;
      await sleep(AGAIN_MS, undefined, { signal: request.signal }).catch(() => undefined);
    }
    if (request.signal?.aborted) return failure('aborted', 'the fetch was aborted');
    return localFailure('timeout', 'its redirect leads to a host that is being fetched by another task');
  }
}
