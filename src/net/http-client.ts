/**
 * The one HTTP client for pages, robots.txt, sitemaps and redirects, so that one set of limits holds for all.
 *
 * A fetch takes a connection from the pool (opened through the egress guard), sends one GET, reads the body to its end or to
 * a limit, undoes the content codings and gives the connection back. It never follows a redirect: the next address has to
 * pass the filters, the guard and robots.txt of its own host, which is the caller's errand. Nothing that a server does makes
 * it throw. Time and memory are bounded for each fetch by its `FetchLimits`; how many run at once is the caller's number.
 */
import { ConnectionPool, type Connection } from './connection-pool.js';
import { ACCEPT_ENCODING, decodeBody } from './content-coding.js';
import type { EgressGuard } from './egress-guard.js';
import { Exchange, type RawAnswer } from './exchange.js';
import { failure, type HttpAnswer, type HttpFailure } from './http-answer.js';
import { rememberingResolver, systemResolve, type Resolve } from './resolver.js';

export interface HttpClientOptions {
  readonly guard: EgressGuard;
  /** Default: the system's resolver with a memory of 60 s. */
  readonly resolve?: Resolve;
  /** `http.tls.certificates.check`. */
  readonly verifyTls: boolean;
  /** Idle connections kept; default 256. */
  readonly maxIdle?: number;
  /** Header bytes of an answer; default 16 KiB. */
  readonly maxHeaderSize?: number;
  /** Idle time of a kept connection, ms; default 4 s. */
  readonly keepAliveMs?: number;
}

/** Bounds of one fetch; times in ms, sizes in bytes. */
export interface FetchLimits {
  /** `http.content.limit`: body bytes kept, on the wire and decoded alike; negative: only `maxContent` counts. */
  readonly contentLimit: number;
  /** The cap that holds even when `contentLimit` is negative. */
  readonly maxContent: number;
  /** Name resolution, TCP and TLS handshakes together. */
  readonly connectTimeout: number;
  /** From the request to the end of the header section. */
  readonly headersTimeout: number;
  /** `http.timeout`: the longest pause inside the body. */
  readonly idleTimeout: number;
  /** `http.time.limit`: the whole fetch. */
  readonly totalTimeout: number;
  /** `http.partial.truncated`: a body that breaks off counts as an answer, truncated. */
  readonly keepPartial: boolean;
}

export const DEFAULT_LIMITS: FetchLimits = {
  contentLimit: 1_048_576,
  maxContent: 64 * 1_048_576,
  connectTimeout: 10_000,
  headersTimeout: 10_000,
  idleTimeout: 10_000,
  totalTimeout: 60_000,
  keepPartial: false,
};

export interface HttpRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /**
   * False: a request that met a kept connection being closed is not sent again at once, but fails as `stale`, so that the
   * caller can give the host its rest first. Default true.
   */
  readonly resend?: boolean;
}

export class HttpClient {
  readonly #pool: ConnectionPool;
  #closed = false;

  constructor(options: HttpClientOptions) {
    const { guard, verifyTls, resolve = rememberingResolver(systemResolve) } = options;
    const { maxIdle = 256, maxHeaderSize = 16 * 1024, keepAliveMs = 4000 } = options;
    this.#pool = new ConnectionPool({ guard, resolve, verifyTls }, { maxIdle, maxHeaderSize, keepAliveMs });
  }

  /** One GET. Never rejects; credentials and fragment of the URL are not sent. */
  async fetch(request: HttpRequest, limits: FetchLimits = DEFAULT_LIMITS): Promise<HttpAnswer> {
    const started = performance.now();
    const url = webUrl(request.url);
    if (url === null) return failure('url', 'not an http or https URL');
    if (this.#closed) return failure('aborted', 'the client is closed');
    if (request.signal?.aborted === true) return failure('aborted', 'the fetch was aborted');
    const { answer, address, openedAt } = await this.#converse(url, request, limits);
    return answer.ok ? finish(answer, { address, openedAt, started, limit: bodyLimit(limits) }) : answer;
  }

  /** Closes all connections; fetches under way end as `aborted` or `reset`. */
  close(): void {
    this.#closed = true;
    this.#pool.close();
  }

  /** Runs the exchange with the caller's signal and the total time over it. */
  async #converse(url: URL, request: HttpRequest, limits: FetchLimits): Promise<Conversation> {
    const deadline = performance.now() + limits.totalTimeout;
    const first = await this.#exchange(url, request, { ...limits, fresh: false });
    if (!first.stale || this.#closed) return first;
    if (request.resend === false) return { ...first, answer: { ...first.answer, stale: true } as HttpFailure };
    // The server closed the kept connection while our request was on its way: it has seen nothing of it.
    const totalTimeout = Math.max(1, deadline - performance.now());
    return this.#exchange(url, request, { ...limits, totalTimeout, fresh: true });
  }

  async #exchange(url: URL, request: HttpRequest, limits: FetchLimits & { fresh: boolean }): Promise<Conversation> {
    const connection = this.#pool.take(url.origin, limits.connectTimeout, limits.fresh);
    const reused = connection.served > 0;
    const exchange = new Exchange(bodyLimit(limits), limits.keepPartial);
    const clock = setTimeout(() => exchange.expire(), limits.totalTimeout);
    const abort = () => exchange.abort();
    request.signal?.addEventListener('abort', abort, { once: true });
    connection.watch(bodyLimit(limits) * FRAMING + FRAMING_BASE, () => exchange.flood());
    dispatch(connection, exchange, { url, headers: request.headers, limits });
    const { answer, clean } = await exchange.done;
    clearTimeout(clock);
    request.signal?.removeEventListener('abort', abort);
    connection.served += 1;
    this.#pool.giveBack(connection, clean && !this.#closed);
    const stale = reused && !answer.ok && answer.code === 'reset' && !exchange.answered;
    return { answer, stale, address: connection.address ?? '', openedAt: connection.openedAt };
  }
}

/** Bytes on the wire allowed for a body of the limit: a chunk of one byte takes six, headers and TLS have their share. */
const FRAMING = 8;
const FRAMING_BASE = 256 * 1024;

interface Conversation {
  readonly answer: RawAnswer | HttpFailure;
  /** A kept connection turned out to be dead. */
  readonly stale: boolean;
  readonly address: string;
  /** When the socket was opened, on the clock of `performance`. */
  readonly openedAt: number;
}

function dispatch(
  connection: Connection,
  exchange: Exchange,
  { url, headers, limits }: { url: URL; headers: HttpRequest['headers']; limits: FetchLimits },
): void {
  connection.client.dispatch(
    {
      method: 'GET',
      path: url.pathname + url.search,
      headers: { 'accept-encoding': ACCEPT_ENCODING, ...headers },
      headersTimeout: limits.headersTimeout,
      bodyTimeout: limits.idleTimeout,
    },
    exchange,
  );
}

async function finish(
  raw: RawAnswer,
  { address, openedAt, started, limit }: { address: string; openedAt: number; started: number; limit: number },
): Promise<HttpAnswer> {
  const coding = raw.headers['content-encoding'] ?? '';
  const complete = raw.truncated === false;
  const decoded = await decodeBody(coding, raw.wire, { limit, complete });
  if (decoded === null) return failure('decode', 'the content coding cannot be undone');
  const { status, headers, wire } = raw;
  const truncated = raw.truncated === false ? decoded.truncated : raw.truncated;
  const ms = performance.now() - started;
  const timings = { openMs: openedAt > started ? openedAt - started : null, firstByteMs: raw.firstByteAt - started };
  return { ok: true, status, headers, body: decoded.body, truncated, wireBytes: wire.length, ms, address, timings };
}

function bodyLimit(limits: FetchLimits): number {
  return limits.contentLimit < 0 ? limits.maxContent : Math.min(limits.contentLimit, limits.maxContent);
}

function webUrl(text: string): URL | null {
  const url = URL.parse(text);
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:') ? url : null;
}
