/**
 * Open connections, lent to one fetch at a time.
 *
 * Each connection is an undici `Client` of its own (one socket, no pipelining), so that a fetch knows the address it talks
 * to, knows whether the socket is fresh, and can throw it away alone when the other side misbehaves: a connection comes
 * back only after a clean end. Idle ones are closed by undici after a few seconds, by the server, or by the pool when there
 * are too many.
 */
import { Client } from 'undici';
import { GuardedConnector, type ConnectorPolicy } from './connector.js';

export interface PoolLimits {
  /** Idle connections kept over all origins. */
  readonly maxIdle: number;
  /** Header bytes of an answer, all names and values together. */
  readonly maxHeaderSize: number;
  /** Idle time after which a connection is closed, ms. */
  readonly keepAliveMs: number;
}

/** One socket to one origin. */
export class Connection {
  /** Answers that came over it: a fresh connection has 0. */
  served = 0;
  readonly client: Client;
  readonly #connector: GuardedConnector;

  constructor(
    readonly origin: string,
    policy: ConnectorPolicy,
    limits: PoolLimits & { connectTimeoutMs: number },
  ) {
    this.#connector = new GuardedConnector(policy, limits.connectTimeoutMs);
    this.client = new Client(origin, {
      connect: this.#connector.connect,
      pipelining: 1,
      maxHeaderSize: limits.maxHeaderSize,
      keepAliveTimeout: limits.keepAliveMs,
      keepAliveMaxTimeout: limits.keepAliveMs,
    });
  }

  /** The address at the other end, null before the socket was open. */
  get address(): string | null {
    return this.#connector.address;
  }

  /** See `GuardedConnector.openedAt`. */
  get openedAt(): number {
    return this.#connector.openedAt;
  }

  /** See `GuardedConnector.watch`. */
  watch(allowance: number, exceeded: () => void): void {
    this.#connector.watch(allowance, exceeded);
  }

  /** Closes the socket, whatever is going on. */
  discard(): void {
    this.#connector.cancel();
    if (!this.client.destroyed) void this.client.destroy();
  }
}

export class ConnectionPool {
  readonly #idle = new Map<string, Connection[]>();
  /** The idle ones in the order of their return: the first is the oldest. */
  readonly #byAge = new Set<Connection>();
  readonly #lent = new Set<Connection>();

  constructor(
    private readonly policy: ConnectorPolicy,
    private readonly limits: PoolLimits,
  ) {}

  /** An idle connection of this origin, or a new one; `fresh` insists on a new one. */
  take(origin: string, connectTimeoutMs: number, fresh: boolean): Connection {
    const waiting = fresh ? undefined : this.#idle.get(origin)?.at(-1);
    if (waiting !== undefined) this.#forget(waiting);
    const connection = waiting ?? this.#open(origin, connectTimeoutMs);
    this.#lent.add(connection);
    return connection;
  }

  /** Takes a connection back; one that is not `reusable` is closed. */
  giveBack(connection: Connection, reusable: boolean): void {
    this.#lent.delete(connection);
    if (!reusable || connection.client.destroyed) {
      connection.discard();
      return;
    }
    this.#byAge.add(connection);
    const same = this.#idle.get(connection.origin);
    if (same === undefined) this.#idle.set(connection.origin, [connection]);
    else same.push(connection);
    const oldest = this.#byAge.size > this.limits.maxIdle ? this.#byAge.values().next().value : undefined;
    if (oldest !== undefined) this.#drop(oldest);
  }

  /** Closes all connections, lent ones too. */
  close(): void {
    for (const connection of this.#byAge) this.#drop(connection);
    for (const connection of this.#lent) connection.discard();
    this.#lent.clear();
  }

  /** Connections waiting for work. */
  get idleCount(): number {
    return this.#byAge.size;
  }

  #open(origin: string, connectTimeoutMs: number): Connection {
    const connection = new Connection(origin, this.policy, { ...this.limits, connectTimeoutMs });
    connection.client.on('disconnect', () => {
      connection.served = 0;
      if (this.#byAge.has(connection)) this.#drop(connection);
    });
    return connection;
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
