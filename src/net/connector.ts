/**
 * Opens sockets for the HTTP client, to addresses that the egress guard has checked.
 *
 * A name is resolved here once. The guard checks every address of the answer, and the socket is opened to one of them. Nothing
 * resolves the name again, so a name server that changes its answer between check and connection (DNS rebinding) gains
 * nothing. IP literals are checked, too. One refused address refuses the whole name: legitimate names do not mix public and
 * internal addresses. TLS verifies the certificate against the name. The target of a tunnel through a proxy
 * (proxy-tunnel.ts) is checked in the same way.
 */
import { isIP, connect as connectTcp, type Socket } from 'node:net';
import { type ConnectionOptions, type TLSSocket, connect as connectTls } from 'node:tls';
import type { buildConnector } from 'undici';
import { type EgressGuard, portOf, egressRefusal, type Resolve } from '../core/address/egress-guard.js';
import { AnswerHead } from '../core/http/answer-head.js';
import { type Proxy, ProxyRefused } from '../core/http/proxy.js';
import { openTunnel } from './proxy-tunnel.js';
import { withinTime } from './within-time.js';

/** The guard refused an address; names the rule, never the address. */
export class EgressRefused extends Error {
  constructor(readonly rule: string) {
    super(`refused by the egress rule "${rule}"`);
    this.name = 'EgressRefused';
  }
}

/** No connection in time (name resolution, TCP and TLS handshakes together). */
export class ConnectTimeout extends Error {
  constructor() {
    super('no connection in time');
    this.name = 'ConnectTimeout';
  }
}

export interface ConnectorPolicy {
  readonly guard: EgressGuard;
  readonly resolve: Resolve;
  /** `http.tls.certificates.check`: refuse certificates that are expired, self-signed or of another name. */
  readonly verifyTls: boolean;
  /** Missing: no proxy. */
  readonly proxy?: Proxy | undefined;
}

/** Target of a connection: the part of undici's options that is used here. */
export type Target = Pick<buildConnector.Options, 'hostname' | 'protocol' | 'port'>;

/** Protocols offered in the TLS handshake, best first. */
export type Offer = readonly ('h2' | 'http/1.1')[];

const HTTP_1: Offer = ['http/1.1'];

/** Addresses of one DNS answer that are checked; further ones are ignored. */
const MAX_ADDRESSES = 256;
/** Addresses that are tried in sequence. */
const MAX_TRIES = 4;

/** The connector of one connection: undici calls `connect`, the owner calls the other methods. */
export class GuardedConnector {
  /** Remote address of the socket, once it is open. */
  address: string | null = null;
  /** When the socket opened (`performance.now()`). */
  openedAt = 0;
  /** Version of TLS (`TLSv1.3`), null without. */
  tlsVersion: string | null = null;
  #socket: Socket | null = null;
  #cancelled = false;
  #bytesBefore = 0;
  #allowance = Infinity;
  #exceeded: () => void = () => undefined;
  /** The header of the answer since `watch`. */
  #head = new AnswerHead();

  constructor(
    private readonly policy: ConnectorPolicy,
    private readonly timeoutMs: number,
  ) {}

  readonly connect: buildConnector.connector = (target, callback) => {
    this.open(target, HTTP_1).then(
      (socket) => callback(null, socket),
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
    );
  };

  /** Aborts opening a connection; undici closes one that is open. */
  cancel(): void {
    this.#cancelled = true;
    this.#socket?.destroy();
  }

  /**
   * Counts the bytes received from now on, framing included, and calls `exceeded` when they exceed `allowance`. The HTTP
   * parser limits headers and bodies, but not an endless status line or chunk extension. Call it before the connection is
   * opened, and again before each reuse.
   */
  watch(allowance: number, exceeded: () => void): void {
    this.#bytesBefore = this.#socket?.bytesRead ?? 0;
    this.#allowance = allowance;
    this.#exceeded = exceeded;
    this.#head = new AnswerHead();
  }

  /** Whether the answer since `watch` is one of HTTP/1.0, which undici does not tell. */
  get isHttp10(): boolean {
    return this.#head.isHttp10;
  }

  /** Whether its header, or a line between its chunks, had to be rewritten for undici. */
  get isRewritten(): boolean {
    return this.#head.isRewritten;
  }

  /** The last value given to `watch`. */
  get lastWatch(): [allowance: number, exceeded: () => void] {
    return [this.#allowance, this.#exceeded];
  }

  #received(socket: Socket): void {
    if (socket.bytesRead - this.#bytesBefore > this.#allowance) this.#exceeded();
    if (!this.#head.isBody) this.#readHead(socket);
  }

  /** Reads the header of an answer and the lines between its chunks, and leaves them to undici as that understands them. */
  #readHead(socket: Socket): void {
    const chunk = socket.read() as Buffer | null;
    const bytes = chunk === null ? null : this.#head.read(chunk);
    if (bytes !== null) socket.unshift(bytes);
  }

  /** Opens the socket, TLS included. Rejects with the error of the last address tried. */
  async open(target: Target, offer: Offer): Promise<Socket> {
    const deadline = performance.now() + this.timeoutMs;
    const port = portOf(target);
    const addresses = await this.#judgedAddresses(target.hostname, port);
    const { proxy } = this.policy;
    if (proxy?.forwards(target) === true) return this.#opened(await this.#dialProxy(proxy, deadline), '');
    const tries = alternating(addresses).slice(0, MAX_TRIES);
    let failure: unknown = new ConnectTimeout();
    for (const [done, address] of tries.entries()) {
      // The time is divided, so that an address that does not respond leaves some for the following addresses.
      const timeout = (deadline - performance.now()) / (tries.length - done);
      if (timeout <= 0 || this.#cancelled) break;
      try {
        if (proxy?.serves(target.hostname) !== true) return await this.#dial(address, port, { target, offer, timeout });
        const until = performance.now() + timeout;
        const tunnel = await this.#dialTunnel(proxy, address, port, until);
        return this.#opened(await this.#secured(tunnel, target, offer, until), address);
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  }

  async #judgedAddresses(hostname: string, port: number): Promise<readonly string[]> {
    const answer = isIP(hostname) > 0 ? [hostname] : await inTime(this.timeoutMs, this.policy.resolve(hostname));
    const addresses = answer.slice(0, MAX_ADDRESSES);
    const { guard, resolve } = this.policy;
    const refusal = await inTime(this.timeoutMs, egressRefusal(guard, addresses, port, resolve));
    if (refusal !== null) throw new EgressRefused(refusal.rule);
    if (addresses.length === 0) throw Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' });
    return addresses;
  }

  async #dial(
    address: string,
    port: number,
    { target, offer, timeout }: { target: Target; offer: Offer; timeout: number },
  ): Promise<Socket> {
    const endpoint = { host: address, port };
    const secure = target.protocol === 'https:';
    const socket = secure ? connectTls({ ...endpoint, ...this.#tls(target, offer) }) : connectTcp(endpoint);
    await this.#ready(socket, secure, timeout);
    return this.#opened(socket, address);
  }

  /** Opens a socket to the proxy, which may have an address that fetches may not use. */
  async #dialProxy(proxy: Proxy, deadline: number): Promise<Socket> {
    const { host, port, guard } = proxy.settings;
    const left = () => Math.max(1, deadline - performance.now());
    const resolved = isIP(host) > 0 ? [host] : await inTime(left(), this.policy.resolve(host)).catch(asProxy);
    const [address] = resolved;
    if (address === undefined) throw new ProxyRefused('has no address');
    const refusal = await inTime(left(), egressRefusal(guard, [address], port, this.policy.resolve));
    if (refusal !== null) throw new ProxyRefused('would be this server itself');
    const socket = connectTcp({ host: address, port });
    try {
      await this.#ready(socket, false, left());
    } catch (error) {
      return asProxy(error);
    }
    return socket;
  }

  async #dialTunnel(proxy: Proxy, address: string, port: number, deadline: number): Promise<Socket> {
    // Again with credentials if the proxy asks for them; the deadline ends it.
    for (;;) {
      const socket = await this.#dialProxy(proxy, deadline);
      const timer = setTimeout(() => socket.destroy(new ConnectTimeout()), Math.max(1, deadline - performance.now()));
      try {
        if ((await openTunnel(socket, proxy, address, port)) === 'open') return socket;
        socket.destroy();
      } catch (error) {
        socket.destroy();
        throw error;
      } finally {
        clearTimeout(timer);
      }
    }
  }

  /** Starts TLS over a tunnel if the target is https. */
  async #secured(tunnel: Socket, target: Target, offer: Offer, deadline: number): Promise<Socket> {
    if (target.protocol !== 'https:') return tunnel;
    // An IP address has no server name: its certificate is verified against `host`, which is not used to connect here.
    const socket = connectTls({ socket: tunnel, host: target.hostname, ...this.#tls(target, offer) });
    await this.#ready(socket, true, Math.max(1, deadline - performance.now()));
    return socket;
  }

  #ready(socket: Socket, secure: boolean, timeoutMs: number): Promise<void> {
    this.#socket = socket;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => socket.destroy(new ConnectTimeout()), timeoutMs);
      const fail = (error?: Error) => {
        clearTimeout(timer);
        reject(error ?? new ConnectTimeout());
      };
      socket.setNoDelay(true);
      socket.on('error', fail);
      socket.once('close', () => fail());
      socket.once(secure ? 'secureConnect' : 'connect', () => {
        clearTimeout(timer);
        if (secure) this.tlsVersion = (socket as TLSSocket).getProtocol();
        resolve();
      });
    });
  }

  #opened(socket: Socket, address: string): Socket {
    this.address = address;
    this.openedAt = performance.now();
    this.#bytesBefore = 0;
    this.#head = new AnswerHead();
    // Only with an allowance: a listener for 'readable' stops 'data' events for other readers. HTTP/2 bypasses the stream;
    // Http2Session counts its bytes.
    const counted = this.#allowance < Infinity && (socket as Partial<TLSSocket>).alpnProtocol !== 'h2';
    if (counted) socket.on('readable', () => this.#received(socket));
    return socket;
  }

  #tls(target: Target, offer: Offer): ConnectionOptions {
    const name = target.hostname.replace(/\.$/, '');
    return {
      // Server Name Indication carries names only (RFC 6066 §3).
      servername: isIP(name) > 0 ? '' : name,
      rejectUnauthorized: this.policy.verifyTls,
      ALPNProtocols: [...offer],
    };
  }
}

/**
 * Addresses of both families alternately, beginning with the first (RFC 8305 §4): large services have eight of IPv6, before
 * those of IPv4, and where IPv6 does not work they would take all tries.
 */
function alternating(addresses: readonly string[]): string[] {
  const family = isIP(addresses[0] ?? '');
  const same = addresses.filter((each) => isIP(each) === family);
  const other = addresses.filter((each) => isIP(each) !== family);
  return addresses.flatMap((_, i) => [same[i], other[i]].filter((each) => each !== undefined));
}

/** Maps an error of the connection to the proxy, which is not a failure of the target. */
function asProxy(error: unknown): never {
  throw error instanceof ConnectTimeout ? error : new ProxyRefused('cannot be reached');
}

/** @throws ConnectTimeout */
const inTime = <T>(ms: number, work: Promise<T>): Promise<T> =>
  withinTime(ms, work, () => {
    throw new ConnectTimeout();
  });
