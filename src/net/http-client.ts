/**
 * The HTTP client for pages, robots.txt, sitemaps and redirects: one set of limits applies to all.
 *
 * A fetch acquires a connection from the pool (opened through the egress guard), sends one GET, reads the body to its end or to
 * a limit, decodes it and releases the connection. It never follows a redirect: the caller has to check the target with the
 * filters and the robots.txt of its own host first. Nothing that a server does makes it throw. `FetchLimits` bound time and
 * memory of each fetch; the caller limits the number of concurrent fetches.
 */
import { ConnectionPool } from './connection-pool.js';
import { ACCEPT_ENCODING, type Decoded, decodeBody } from './content-coding.js';
import type { EgressGuard, Resolve } from '../core/address/egress-guard.js';
import { HttpExchange, type RawAnswer } from './http-exchange.js';
import {
  abortedFetch,
  failure,
  type HttpAnswer,
  type HttpFailure,
  type HttpSuccess,
  localFailure,
} from './http-answer.js';
import type { HttpSession } from './http-session.js';
import type { Proxy } from '../core/http/proxy.js';
import { requestText } from '../core/http/request-text.js';
import { cachingResolver, systemResolve } from './resolver.js';

export interface HttpClientOptions {
  readonly guard: EgressGuard;
  /** Default: the system's resolver, cached for 60 s. */
  readonly resolve?: Resolve;
  /** `http.tls.certificates.check`. */
  readonly verifyTls: boolean;
  /** Idle connections kept; default 256. */
  readonly maxIdle?: number;
  /** Header bytes of an answer; default 16 KiB. */
  readonly maxHeaderSize?: number;
  /** Idle time of a kept connection, ms; default 4 s. */
  readonly keepAliveMs?: number;
  /** `http.proxy.*`. */
  readonly proxy?: Proxy | undefined;
  /** `http.useHttp2`: use HTTP/2 if a server offers it over TLS. */
  readonly http2?: boolean;
  /** Cookies and credentials, kept as long as this client. */
  readonly session?: HttpSession | undefined;
  /** What to record with each answer (`store.http.request`, `store.protocol.versions`). */
  readonly note?: { readonly request: boolean; readonly protocols: boolean };
}

/** Bounds of one fetch; times in ms, sizes in bytes. */
export interface FetchLimits {
  /** `http.content.limit`: body bytes kept, both as sent and decoded; negative: only `maxContent` applies. */
  readonly contentLimit: number;
  /** The limit that applies even if `contentLimit` is negative. */
  readonly maxContent: number;
  /** Name resolution, TCP and TLS handshakes together. */
  readonly connectTimeout: number;
  /** From the request to the end of the header section. */
  readonly headersTimeout: number;
  /** `http.timeout`: the longest pause inside the body. */
  readonly idleTimeout: number;
  /** `http.time.limit`: the whole fetch. */
  readonly totalTimeout: number;
  /** `http.partial.truncated`: an incomplete body counts as a truncated answer. */
  readonly keepPartial: boolean;
}

export const DEFAULT_FETCH_LIMITS: FetchLimits = {
  contentLimit: 1_048_576,
  maxContent: 64 * 1_048_576,
  connectTimeout: 10_000,
  headersTimeout: 10_000,
  idleTimeout: 10_000,
  totalTimeout: 60_000,
  keepPartial: false,
};

/** Bytes that are kept of a body. */
export const bodyLimit = ({ contentLimit, maxContent }: FetchLimits): number =>
  contentLimit < 0 ? maxContent : Math.min(contentLimit, maxContent);

export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /**
   * False: a request over a kept connection that was being closed is not sent again at once, but fails as `stale`, so that the
   * caller can wait for the delay of the host first. Default true.
   */
  readonly resend?: boolean;
  /** True: over a new connection, as servers that close kept ones may close each of them when it is used. */
  readonly fresh?: boolean;
  /** Waits for the delay of the host before a challenge is answered; false: no request may follow. Default: no delay. */
  readonly pause?: () => Promise<boolean>;
  /** Called before a body is decoded, which may make it a thousand times larger. False: the fetch fails as `aborted`. */
  readonly reserveBody?: () => Promise<boolean>;
}

export class HttpClient {
  readonly #pool: ConnectionPool;
  readonly #session: HttpSession | undefined;
  readonly #proxy: Proxy | undefined;
  readonly #note: HttpClientOptions['note'];
  #closed = false;

  constructor(options: HttpClientOptions) {
    const { guard, verifyTls, resolve = cachingResolver(systemResolve), proxy } = options;
    const { maxIdle = 256, maxHeaderSize = MAX_HEADER_BYTES, keepAliveMs = 4000, http2 = false } = options;
    this.#pool = new ConnectionPool(
      { guard, resolve, verifyTls, proxy },
      { maxIdle, maxHeaderSize, keepAliveMs, http2 },
    );
    this.#session = options.session;
    this.#proxy = proxy;
    this.#note = options.note;
  }

  /** Sends one GET. Never rejects; credentials and fragment of the URL are not sent. */
  async fetch(request: HttpRequest, limits: FetchLimits = DEFAULT_FETCH_LIMITS): Promise<HttpAnswer> {
    const started = performance.now();
    const url = httpUrl(request.url);
    if (url === null) return failure('url', 'not an http or https URL');
    if (this.#closed) return failure('aborted', 'the client is closed');
    if (request.signal?.aborted === true) return abortedFetch();
    if (this.#session !== undefined) return this.#fetchWithin(this.#session, url, request, limits);
    return httpAnswer(await this.#converse(url, request, limits), started, { limits, request });
  }

  /** Closes all connections; running fetches end as `aborted` or `reset`. */
  close(): void {
    this.#closed = true;
    this.#pool.close();
  }

  /** Adds cookies and credentials; answers a challenge if it can, at once or (`resend` false) with the caller's next request. */
  async #fetchWithin(session: HttpSession, url: URL, request: HttpRequest, limits: FetchLimits): Promise<HttpAnswer> {
    let deadline = performance.now() + limits.totalTimeout;
    for (let tries = 1; ; tries++) {
      const started = performance.now();
      const headers = await session.headersFor(url, request.headers);
      const totalTimeout = Math.max(1, deadline - started);
      const conversation = await this.#converse(url, { ...request, headers }, { ...limits, totalTimeout });
      const answer = await httpAnswer(conversation, started, { limits, request });
      const again = await session.learn(url, headers, answer);
      if (!again || !answer.ok || tries === MAX_TRIES) return answer;
      if (request.resend === false) return asksForCredentials(answer);
      const paused = performance.now();
      if (!((await request.pause?.()) ?? true)) return abortedFetch();
      deadline += performance.now() - paused;
    }
  }

  /** Runs the exchange, and repeats it once over a new connection or with credentials for the proxy. */
  async #converse(url: URL, request: HttpRequest, limits: FetchLimits): Promise<Conversation> {
    const deadline = performance.now() + limits.totalTimeout;
    const first = await this.#exchange(url, request, { ...limits, fresh: request.fresh === true });
    const again = first.stale || this.#proxyAsks(first);
    if (!again || this.#closed) return first;
    if (first.stale && request.resend === false)
      return { ...first, answer: { ...first.answer, stale: true } as HttpFailure };
    // The server closed the kept connection before it read our request. Or it negotiated HTTP/2 and cannot speak it: then the
    // next connection uses HTTP/1.1.
    const totalTimeout = Math.max(1, deadline - performance.now());
    return this.#exchange(url, request, { ...limits, totalTimeout, fresh: true });
  }

  /** Whether a forwarding proxy answered 407 and its credentials were not sent yet. */
  #proxyAsks({ answer, forwarded, authorized }: Conversation): boolean {
    if (!forwarded || !answer.ok || answer.status !== 407) return false;
    return this.#proxy?.challenged(answer.headers['proxy-authenticate'] ?? '', authorized) === true;
  }

  async #exchange(url: URL, request: HttpRequest, limits: FetchLimits & { fresh: boolean }): Promise<Conversation> {
    const connection = this.#pool.take(url.origin, limits.connectTimeout, limits.fresh);
    const reused = connection.served > 0;
    const exchange = new HttpExchange(bodyLimit(limits), limits.keepPartial);
    const timer = setTimeout(() => exchange.expire(), limits.totalTimeout);
    const abort = () => exchange.abort();
    request.signal?.addEventListener('abort', abort, { once: true });
    connection.watch(bodyLimit(limits) * FRAMING + FRAMING_BASE_BYTES, () => exchange.overflow());
    const { headersTimeout, idleTimeout } = limits;
    const headers = { 'accept-encoding': ACCEPT_ENCODING, ...request.headers };
    const { forwarded } = connection;
    const authorized = forwarded && this.#proxy?.authorization != null;
    connection.send({ url, headers, headersTimeout, idleTimeout }, exchange);
    const { answer, clean } = await exchange.done;
    clearTimeout(timer);
    request.signal?.removeEventListener('abort', abort);
    connection.served += 1;
    const noted = this.#note === undefined ? undefined : this.#noted(this.#note, url, headers, connection.protocols);
    // HTTP/1.0 has no transfer codings: where such an answer ends is not certain (RFC 9112 §6.1).
    const isFaulty =
      connection.isRewritten || (answer.ok && connection.isHttp10 && answer.headers['transfer-encoding'] !== undefined);
    this.#pool.release(connection, clean && !isFaulty && !this.#closed);
    const unanswered = !answer.ok && !exchange.answered;
    const noHttp2 = unanswered && connection.refusesHttp2;
    if (noHttp2) this.#pool.avoidHttp2(url.origin);
    const stale = noHttp2 || (reused && unanswered && answer.code === 'reset');
    const { address, openedAt } = connection;
    return { answer, stale, address: address ?? '', openedAt, forwarded, authorized, noted };
  }

  #noted(
    note: { request: boolean; protocols: boolean },
    url: URL,
    headers: HttpRequest['headers'],
    protocols: string,
  ): Noted {
    return {
      ...(note.request && { request: requestText(url, headers, protocols) }),
      ...(note.protocols && { protocols }),
    };
  }
}

/** Bytes of the header fields of an answer. */
const MAX_HEADER_BYTES = 16 * 1024;
/** Requests of one fetch: the first, one that answers a challenge, one with a newer nonce. */
export const MAX_TRIES = 3;
/** Received bytes allowed per byte of the body limit: a chunk of one byte takes six, headers and TLS add some. */
const FRAMING = 8;
const FRAMING_BASE_BYTES = 256 * 1024;

interface Conversation {
  readonly answer: RawAnswer | HttpFailure;
  /** The kept connection was closed, or the server cannot speak HTTP/2. */
  readonly stale: boolean;
  readonly address: string;
  /** When the socket was opened (`performance.now()`). */
  readonly openedAt: number;
  /** A proxy forwarded the request; `authorized`: it was sent with credentials. */
  readonly forwarded: boolean;
  readonly authorized: boolean;
  readonly noted: Noted | undefined;
}

type Noted = Pick<HttpSuccess, 'request' | 'protocols'>;

async function httpAnswer(
  conversation: Conversation,
  started: number,
  { limits, request }: { limits: FetchLimits; request: HttpRequest },
): Promise<HttpAnswer> {
  const { answer: raw, address, openedAt, forwarded } = conversation;
  if (!raw.ok) return raw;
  if (forwarded && raw.status === 407) return localFailure('refused', 'the proxy rejects the configured credentials');
  const coding = raw.headers['content-encoding'] ?? '';
  const complete = raw.truncated === false;
  if (coding !== '' && (await request.reserveBody?.()) === false) return abortedFetch();
  const decoded = (await decodeBody(coding, raw.wire, { limit: bodyLimit(limits), complete })) ?? bodiless(raw.status);
  if (decoded === null) return failure('decode', 'the content coding cannot be decoded');
  if (decoded.unfinished && !limits.keepPartial && bodiless(raw.status) === null)
    return failure('decode', 'the content coding ends early');
  const { status, headers, wire } = raw;
  const truncated = raw.truncated === false ? decoded.truncated : raw.truncated;
  const ms = performance.now() - started;
  const timings = { openMs: openedAt > started ? openedAt - started : null, firstByteMs: raw.firstByteAt - started };
  const { body } = decoded;
  const answer = { ok: true, status, headers, body, truncated, wireBytes: wire.length, ms, address, timings } as const;
  return conversation.noted === undefined ? answer : { ...answer, ...conversation.noted };
}

const asksForCredentials = (challenge: HttpSuccess): HttpFailure => ({
  ...failure('refused', 'the server asks for credentials'),
  stale: true,
  challenge,
});

/** Redirects and errors are complete with status and headers, whatever their body is. */
function bodiless(status: number): Decoded | null {
  return status >= 200 && status < 300 ? null : { body: Buffer.alloc(0), truncated: 'decode' };
}

function httpUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null;
}
