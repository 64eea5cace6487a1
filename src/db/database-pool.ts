/**
 * The connection pool of the program: `pg`'s, plus waiting for a database that is full, starting or unavailable.
 *
 * Before a connection is made nothing has been sent, so it can be retried for the caller, with growing
 * pauses. A read-only server (a replica, or the old primary after a failover) counts as unavailable: the next attempt may
 * reach the new one.
 *
 * Limited clients (connection-limits.ts) have a part of the connections.
 */
import pg, { type PoolClient, type PoolConfig, type QueryConfig } from 'pg';
import { growingPause } from '../core/queueing/growing-pause.js';
import { type ConnectionLimiter, limitedClient, makeConnectionLimiter } from './connection-limits.js';
import { laterSettings } from './session-settings.js';
import { SQL_STATE } from './sql-state.js';
import { typeParsers } from './stored-times.js';
import { isConnectFailure } from './transient.js';
import { type SilenceLimits, watchForSilence } from './dead-connection-watch.js';
import { WatchedClient } from './watched-client.js';

export interface DatabasePoolConfig extends PoolConfig {
  /** How long to retry while the server is full (53300), ms. */
  readonly fullPatienceMs?: number;
  /** How long to retry while the server does not respond, is starting, refuses the login, or is read-only, ms. */
  readonly awayPatienceMs?: number;
  /** When an answer counts as late; default as usual. */
  readonly silence?: SilenceLimits;
}

type Connected = (error: Error | undefined, client: PoolClient | undefined, release: (error?: unknown) => void) => void;

/** Pauses between two attempts to connect: a database that is available again is used within a second. */
const CONNECT_PAUSE = { firstMs: 25, maxMs: 1_000 };

export class DatabasePool extends pg.Pool {
  private readonly patience: { full: number; away: number };
  private readonly limits: ConnectionLimiter;
  /** Why the last connection could not be made; undefined if it could. */
  connectFailure: Error | undefined;
  /** The limited clients to which connections were given. */
  private readonly holders = new WeakMap<object, string>();

  constructor(config: DatabasePoolConfig) {
    const { fullPatienceMs = 0, awayPatienceMs = 0, silence, ...poolConfig } = config;
    const onConnect = (client: pg.ClientBase) => prepare(client, poolConfig.connectionTimeoutMillis);
    super({ ...poolConfig, types: typeParsers, Client: WatchedClient, onConnect } as PoolConfig);
    this.patience = { full: fullPatienceMs, away: awayPatienceMs };
    this.limits = makeConnectionLimiter(this.options.max, poolConfig.connectionTimeoutMillis ?? 0);
    this.on('release', (_error, connection) => this.giveBack(connection));
    watchForSilence(this, poolConfig, silence);
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | void {
    if (callback) return this.admit(callback);
    return new Promise((resolve, reject) => {
      this.admit((error, client) => (client ? resolve(client) : reject(error!)));
    });
  }

  private admit(callback: Connected): void {
    const client = limitedClient();
    if (client === undefined) return this.attempt(callback, performance.now(), 0);
    const connected: Connected = (error, connection, release) => {
      if (connection) this.holders.set(connection, client);
      else this.limits.giveBack(client);
      callback(error, connection, release);
    };
    this.limits.take(client, (taken) => {
      if (taken) callback(taken, undefined, () => undefined);
      else this.attempt(connected, performance.now(), 0);
    });
  }

  private giveBack(connection: object): void {
    const client = this.holders.get(connection);
    if (client === undefined) return;
    this.holders.delete(connection);
    this.limits.giveBack(client);
  }

  private attempt(callback: Connected, begun: number, tries: number): void {
    super.connect((error, client, release) => {
      this.connectFailure = error;
      if (!error || !this.waitsFor(error, performance.now() - begun)) return callback(error, client, release);
      setTimeout(() => this.attempt(callback, begun, tries + 1), growingPause(tries, CONNECT_PAUSE, Math.random()));
    });
  }

  private waitsFor(error: Error, waited: number): boolean {
    const failure = isConnectFailure(error);
    return failure !== undefined && waited < this.patience[failure];
  }
}

/**
 * Refuses a read-only server, with PostgreSQL's own code for it; then sends what the start of a session cannot set. For the pool
 * the connection is already made, and nobody watches it yet: the statement has the same time limit as the connection.
 */
async function prepare(client: pg.ClientBase, limitMs: number | undefined): Promise<void> {
  const { takesNoWrites, serverVersion } = client as unknown as WatchedClient;
  const text = laterSettings(serverVersion);
  if (!takesNoWrites) return void (text && (await client.query({ text, query_timeout: limitMs } as QueryConfig)));
  throw Object.assign(new Error('the database server takes no writes: it is a replica, or read-only'), {
    code: SQL_STATE.READ_ONLY,
  });
}
