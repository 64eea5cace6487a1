/**
 * Pool of open connections; one fetch uses a connection at a time.
 *
 * Each connection is an undici `Client` of its own (one socket, no pipelining), so that a fetch knows the remote address and
 * whether the socket is new, and can discard the connection when the server misbehaves: only a connection that ended cleanly
 * is reused. Idle connections are closed by undici after a few seconds, by the server, or by the pool when there are too
 * many. With HTTP/2 enabled, the TLS handshake comes first and selects what uses the socket: an `Http2Session`, or the
 * `Client`.
 */
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { Client } from 'undici';
import { connectedHost } from '../core/address/egress-guard.js';
import { GuardedConnector, type ConnectorPolicy } from './connector.js';
import type { HttpExchange } from './http-exchange.js';
import { Http2Session, type WireRequest } from './http2-session.js';

export interface PoolLimits {
  /** Idle connections kept over all origins. */
  readonly maxIdle: number;
  /** Header bytes of an answer, all names and values together. */
  readonly maxHeaderSize: number;
  /** Idle time after which a connection is closed, ms. */
  readonly keepAliveMs: number;
  /** `http.useHttp2`: offered in the TLS handshake. */
  readonly http2: boolean;
}

export class Connection {
  /** Exchanges that used it: 0 for a new connection. */
  served = 0;
  readonly #client: Client;
  readonly #connector: GuardedConnector;
  #handshake: boolean;
  #opened: Socket | null = null;
  #session: Http2Session | null = null;

  /** @param ended called when the socket was closed, by either side */
  constructor(
    readonly origin: string,
    private readonly policy: ConnectorPolicy,
    private readonly limits: PoolLimits & { connectTimeoutMs: number },
    private readonly ended: (connection: Connection) => void,
  ) {
    this.#connector = new GuardedConnector(policy, limits.connectTimeoutMs);
    this.#handshake = limits.http2 && origin.startsWith('https:');
    this.#client = new Client(origin, {
      connect: this.#handshake
        ? (target, callback) => {
            const opened = this.#opened;
            this.#opened = null;
            if (opened === null) this.#connector.connect(target, callback);
            // Undici sends nothing over a socket that it receives synchronously.
            else queueMicrotask(() => callback(null, opened));
          }
        : this.#connector.connect,
      pipelining: 1,
      maxHeaderSize: limits.maxHeaderSize,
      keepAliveTimeout: limits.keepAliveMs,
      keepAliveMaxTimeout: limits.keepAliveMs,
    });
    this.#client.on('disconnect', () => ended(this));
  }

  /** The remote address, null before the socket is open. */
  get address(): string | null {
    return this.#connector.address;
  }

  /** See `GuardedConnector.openedAt`. */
  get openedAt(): number {
    return this.#connector.openedAt;
  }

  /** See `GuardedConnector.isHttp10`. */
  get isHttp10(): boolean {
    return this.#connector.isHttp10;
  }

  /** See `GuardedConnector.isRewritten`. */
  get isRewritten(): boolean {
    return this.#connector.isRewritten;
  }

  get closed(): boolean {
    return this.#client.destroyed || this.#session?.closed === true;
  }

  /** The protocol, `http/1.1` or `h2`, and the version of TLS after a comma. */
  get protocols(): string {
    const { tlsVersion } = this.#connector;
    return `${this.#session === null ? 'http/1.1' : 'h2'}${tlsVersion === null ? '' : `,${tlsVersion}`}`;
  }

  /** Whether HTTP/2 was negotiated, but the server requires HTTP/1.1 (`HTTP_1_1_REQUIRED`) or fails to speak HTTP/2. */
  get refusesHttp2(): boolean {
    return this.#session?.refused === true;
  }

  /** Whether requests are forwarded by a proxy, without a tunnel to the host. */
  get forwarded(): boolean {
    return this.policy.proxy?.forwards(new URL(this.origin)) === true;
  }

  /** See `GuardedConnector.watch`. */
  watch(allowance: number, exceeded: () => void): void {
    this.#connector.watch(allowance, exceeded);
    this.#session?.watch(allowance, exceeded);
  }

  /** Sends one GET. The exchange receives everything that follows. */
  send(request: WireRequest, exchange: HttpExchange): void {
    if (this.#session !== null) this.#session.send(request, exchange);
    else if (this.#handshake) this.#negotiate(request, exchange);
    else this.#dispatch(request, exchange);
  }

  /** Starts the idle timeout after a clean end. */
  setIdle(): void {
    this.#session?.setIdle();
  }

  /** Closes the socket, even during a request. */
  discard(): void {
    this.#connector.cancel();
    this.#session?.destroy();
    if (!this.#client.destroyed) void this.#client.destroy();
  }

  #dispatch({ url, headers, headersTimeout, idleTimeout }: WireRequest, exchange: HttpExchange): void {
    const { proxy } = this.policy;
    const whole = proxy !== undefined && this.forwarded;
    const path = url.pathname + url.search;
    const authorization = whole ? proxy.authorization : null;
    this.#client.dispatch(
      {
        method: 'GET',
        path: whole ? this.origin + path : path,
        headers: authorization === null ? headers : { ...headers, 'proxy-authorization': authorization },
        headersTimeout,
        bodyTimeout: idleTimeout,
      },
      exchange,
    );
  }

  #negotiate(request: WireRequest, exchange: HttpExchange): void {
    const { protocol, port } = request.url;
    const target = { hostname: connectedHost(request.url), protocol, port };
    this.#handshake = false;
    this.#connector.open(target, ['h2', 'http/1.1']).then(
      (socket) => {
        if ((socket as TLSSocket).alpnProtocol === 'h2') {
          this.#session = new Http2Session(socket, this.origin, this.limits, () => this.ended(this));
          this.#session.watch(...this.#connector.lastWatch);
        } else this.#opened = socket;
        this.send(request, exchange);
      },
      (error: unknown) => exchange.fail(error instanceof Error ? error : new Error(String(error))),
    );
  }
}

/** Maximum of origins remembered as HTTP/1.1 only. */
const MAX_HTTP1_ORIGINS = 10_000;

export class ConnectionPool {
  /** Origins that negotiated HTTP/2 and could not speak it. */
  readonly #http1Origins = new Set<string>();
  readonly #idle = new Map<string, Connection[]>();
  /** Idle connections by time of release: the first is the oldest. */
  readonly #byAge = new Set<Connection>();
  readonly #inUse = new Set<Connection>();

  constructor(
    private readonly policy: ConnectorPolicy,
    private readonly limits: PoolLimits,
  ) {}

  /** An idle connection of this origin, or a new one; `fresh` insists on a new one. */
  take(origin: string, connectTimeoutMs: number, fresh: boolean): Connection {
    const waiting = fresh ? undefined : this.#idle.get(origin)?.at(-1);
    if (waiting !== undefined) this.#forget(waiting);
    const connection = waiting ?? this.#open(origin, connectTimeoutMs);
    this.#inUse.add(connection);
    return connection;
  }

  /** HTTP/2 is no longer offered to this origin. */
  avoidHttp2(origin: string): void {
    if (this.#http1Origins.size < MAX_HTTP1_ORIGINS) this.#http1Origins.add(origin);
  }

  /** Returns a connection to the pool; closes it unless it is `reusable`. */
  release(connection: Connection, reusable: boolean): void {
    this.#inUse.delete(connection);
    if (!reusable || connection.closed) {
      connection.discard();
      return;
    }
    connection.setIdle();
    this.#byAge.add(connection);
    const same = this.#idle.get(connection.origin);
    if (same === undefined) this.#idle.set(connection.origin, [connection]);
    else same.push(connection);
    const oldest = this.#byAge.size > this.limits.maxIdle ? this.#byAge.values().next().value : undefined;
    if (oldest !== undefined) this.#drop(oldest);
  }

  /** Closes all connections, including those in use. */
  close(): void {
    for (const connection of this.#byAge) this.#drop(connection);
    for (const connection of this.#inUse) connection.discard();
    this.#inUse.clear();
  }

  #open(origin: string, connectTimeoutMs: number): Connection {
    const http2 = this.limits.http2 && !this.#http1Origins.has(origin);
    return new Connection(origin, this.policy, { ...this.limits, http2, connectTimeoutMs }, (connection) => {
      connection.served = 0;
      if (this.#byAge.has(connection)) this.#drop(connection);
    });
  }

  #forget(connection: Connection): void {
    this.#byAge.delete(connection);
    const left = (this.#idle.get(connection.origin) ?? []).filter((each) => each !== connection);
    if (left.length > 0) this.#idle.set(connection.origin, left);
    else this.#idle.delete(connection.origin);
  }

  #drop(connection: Connection): void {
    this.#forget(connection);
    connection.discard();
  }
}
