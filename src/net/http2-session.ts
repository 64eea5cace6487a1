/**
 * HTTP/2 (RFC 9113) over a socket that negotiated it: one stream at a time, so that a host gets no more load than over HTTP/1.1.
 * An `HttpExchange` collects the answer, with the limits of HTTP/1.1: the size of the header section is checked here, that of the
 * body in the exchange; the bytes of the socket are counted, too, as other frames (PING, unknown types) belong to neither.
 * Pushes are refused. After GOAWAY the session is closed and not used again.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { IncomingHttpHeaders, IncomingHttpStatusHeader } from 'node:http2';
import type { Socket } from 'node:net';
import { errors } from 'undici';
import type { HttpExchange } from './http-exchange.js';

/** A request as sent over a connection; times in ms. */
export interface WireRequest {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly headersTimeout: number;
  readonly idleTimeout: number;
}

/** Flow-control window; the default of 64 KiB slows down distant servers. */
const FLOW_WINDOW = 256 * 1024;
/** Interval at which the bytes of the socket are counted, ms. */
const LOOK_MS = 100;

type Answer = IncomingHttpHeaders & IncomingHttpStatusHeader;

export class Http2Session {
  readonly #session: ClientHttp2Session;
  #idleTimer: NodeJS.Timeout | undefined;
  #allowance = Infinity;
  #exceeded: () => void = () => undefined;
  #readBefore = 0;
  /** The server required HTTP/1.1 (RFC 9113 §7), or sent invalid HTTP/2. */
  refused = false;

  /** @param ended called once, when the session is closed */
  constructor(
    private readonly socket: Socket,
    origin: string,
    private readonly limits: { readonly maxHeaderSize: number; readonly keepAliveMs: number },
    ended: () => void,
  ) {
    this.#session = connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, maxHeaderListSize: limits.maxHeaderSize, initialWindowSize: FLOW_WINDOW },
      maxReservedRemoteStreams: 0,
      maxSessionMemory: 8,
    });
    // Errors of a stream are emitted by the stream.
    this.#session.on('error', () => undefined);
    // A session that was destroyed before it was set up still emits 'connect'.
    this.#session.once('connect', () => this.#session.destroyed || this.#session.setLocalWindowSize(FLOW_WINDOW));
    this.#session.on('goaway', () => this.#session.close());
    this.#session.once('close', ended);
  }

  get closed(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  /** See `GuardedConnector.watch`. */
  watch(allowance: number, exceeded: () => void): void {
    this.#readBefore = this.socket.bytesRead;
    this.#allowance = allowance;
    this.#exceeded = exceeded;
  }

  /** Sends one GET; the exchange receives everything that follows. */
  send(request: WireRequest, exchange: HttpExchange): void {
    clearTimeout(this.#idleTimer);
    const { url, headers } = request;
    const pseudo = { ':method': 'GET', ':scheme': 'https', ':authority': url.host, ':path': url.pathname + url.search };
    try {
      this.#listen(this.#session.request({ ...pseudo, ...headers }, { endStream: true }), request, exchange);
    } catch (error) {
      exchange.fail(error instanceof Error ? error : new Error(String(error)));
    }
  }

  /** Starts the idle timeout after a complete answer. */
  setIdle(): void {
    this.#idleTimer = setTimeout(() => this.destroy(), this.limits.keepAliveMs);
    this.#idleTimer.unref();
  }

  destroy(): void {
    clearTimeout(this.#idleTimer);
    this.#session.destroy();
    this.socket.destroy();
  }

  #listen(stream: ClientHttp2Stream, request: WireRequest, exchange: HttpExchange): void {
    const late = setTimeout(() => exchange.fail(new errors.HeadersTimeoutError()), request.headersTimeout);
    const look = setInterval(() => {
      if (this.socket.bytesRead - this.#readBefore > this.#allowance) this.#exceeded();
    }, LOOK_MS);
    let whole = false;
    stream.on('headers', (headers: Answer) => exchange.begin(headers[':status'] ?? 0, []));
    stream.on('response', (headers: Answer, _flags, raw) => {
      clearTimeout(late);
      stream.setTimeout(request.idleTimeout, () => exchange.fail(new errors.BodyTimeoutError()));
      const fields = ownFields(raw as unknown as readonly string[]);
      if (sizeOf(fields) > this.limits.maxHeaderSize) exchange.fail(new errors.HeadersOverflowError());
      else exchange.begin(headers[':status'] ?? 0, fields);
    });
    stream.on('data', (chunk: Buffer) => exchange.take(chunk));
    stream.once('end', () => {
      whole = stream.rstCode === constants.NGHTTP2_NO_ERROR;
    });
    stream.once('error', (error: NodeJS.ErrnoException) => {
      this.refused ||= stream.rstCode === constants.NGHTTP2_HTTP_1_1_REQUIRED || error.code === 'ERR_HTTP2_ERROR';
      exchange.fail(error);
    });
    stream.once('close', () => {
      clearTimeout(late);
      clearInterval(look);
      if (whole && exchange.answered) exchange.end();
      else exchange.fail(new errors.SocketError('the stream ended before the answer'));
    });
  }
}

/** Name/value pairs without the pseudo-fields, in bytes as over HTTP/1.1: Node has one character per byte. */
function ownFields(raw: readonly string[]): Buffer[] {
  const fields: Buffer[] = [];
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const [name = '', value = ''] = [raw[i], raw[i + 1]];
    if (!name.startsWith(':')) fields.push(Buffer.from(name, 'latin1'), Buffer.from(value, 'latin1'));
  }
  return fields;
}

const sizeOf = (fields: readonly Buffer[]): number => fields.reduce((sum, field) => sum + field.length + 16, 0);
