/**
 * A connection that knows how long it has been waiting for an answer, and whether its server is read-only.
 *
 * PostgreSQL reports some parameters whenever they change, and at the start of a session: its version, `in_hot_standby` (a
 * replica) and `default_transaction_read_only`. So a read-only server is recognized without a query, as libpq does it for
 * `target_session_attrs=read-write`.
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';
import { SQL_STATE } from './sql-state.js';

/** The socket of a connection; `pg` has it, its types do not. */
interface Wire {
  readonly stream: { readonly bytesRead?: number; destroy(error?: Error): void };
  on(event: 'parameterStatus', listener: (status: { parameterName: string; parameterValue: string }) => void): unknown;
  on(event: 'errorMessage', listener: (error: ServerError) => void): unknown;
}

/** An error of the server, as whoever sent the statement gets it. */
interface ServerError {
  readonly code?: string;
  severity?: string;
  isCancelled?: boolean;
}

/** An answer that is awaited: `since` distinguishes the waits of one connection. */
export interface Awaited {
  /** When the oldest unanswered statement was sent, ms of the monotonic clock. */
  readonly since: number;
  /** Bytes received when this was read. */
  readonly bytes: number;
}

export class WatchedClient extends pg.Client {
  private since: number | undefined;
  private readonly readOnly = new Set<string>();
  /** Such as `17.2`; empty until the connection is made. */
  serverVersion = '';

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // An error that arrives in one piece with an answer precedes the listener of who gets the connection next, and would end the
    // process. The next statement fails.
    this.on('error', () => undefined);
    // Emitted when all statements were answered.
    this.on('drain', () => (this.since = undefined));
    this.wire.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (parameterName === 'server_version') this.serverVersion = parameterValue;
      if (!['in_hot_standby', 'default_transaction_read_only'].includes(parameterName)) return;
      if (parameterValue === 'on') this.readOnly.add(parameterName);
      else this.readOnly.delete(parameterName);
    });
    this.wire.on('errorMessage', (error) => this.explain(error));
    this.query = ((...words: unknown[]) => {
      this.since ??= performance.now();
      return Reflect.apply(pg.Client.prototype.query, this, words) as unknown;
    }) as typeof this.query;
  }

  /** The awaited answer; undefined if all statements were answered. */
  get awaited(): Awaited | undefined {
    return this.since === undefined ? undefined : { since: this.since, bytes: this.wire.stream.bytesRead ?? 0 };
  }

  /** Whether the server has reported that it is read-only. */
  get takesNoWrites(): boolean {
    return this.readOnly.size > 0;
  }

  /** The server process of this session. */
  get pid(): number {
    return (this as unknown as { processID: number }).processID;
  }

  /** Cuts the connection: statements that wait for an answer fail as with a broken connection. */
  cut(): void {
    this.wire.stream.destroy();
  }

  /**
   * Adds what the server says only in words of its language (lc_messages): that it lets no one in, and whether it was an operator who
   * ended a statement, which has the code of one that took too long. That one took at least its time limit.
   */
  private explain(error: ServerError): void {
    if (this.serverVersion === '') error.severity = 'FATAL';
    if (error.code !== SQL_STATE.QUERY_CANCELED || this.since === undefined) return;
    const limit = this.statementLimitMs || Number.POSITIVE_INFINITY;
    error.isCancelled = performance.now() - this.since < limit;
  }

  private get statementLimitMs(): number {
    const { statement_timeout } = (this as unknown as { connectionParameters: pg.ClientConfig }).connectionParameters;
    return Number(statement_timeout) || 0;
  }

  private get wire(): Wire {
    return this.connection as unknown as Wire;
  }
}
