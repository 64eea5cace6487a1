/**
 * A connection that knows how long it has been waiting for an answer, and whether its server takes writes.
 *
 * PostgreSQL tells two things by itself whenever they change, at the start of a session too: `in_hot_standby` (a replica)
 * and `default_transaction_read_only`. So a server that takes no writes is recognised without asking, as libpq does it for
 * `target_session_attrs=read-write`.
 */
import { performance } from 'node:perf_hooks';
import pg from 'pg';

/** What the wire below a connection looks like; `pg` has it, its types say less. */
interface Wire {
  readonly stream: { readonly bytesRead?: number; destroy(error?: Error): void };
  on(event: 'parameterStatus', listener: (status: { parameterName: string; parameterValue: string }) => void): unknown;
}

/** An answer that is awaited: `since` distinguishes the waits of one connection. */
export interface Awaited {
  /** When the oldest unanswered statement was sent, ms of the monotonic clock. */
  readonly since: number;
  /** Bytes that had come in when this was read. */
  readonly bytes: number;
}

export class WatchedClient extends pg.Client {
  private since: number | undefined;
  private readonly readOnly = new Set<string>();

  constructor(config?: string | pg.ClientConfig) {
    super(config);
    // Emitted when everything that was asked is answered.
    this.on('drain', () => (this.since = undefined));
    this.wire.on('parameterStatus', ({ parameterName, parameterValue }) => {
      if (!['in_hot_standby', 'default_transaction_read_only'].includes(parameterName)) return;
      if (parameterValue === 'on') this.readOnly.add(parameterName);
      else this.readOnly.delete(parameterName);
    });
    this.query = ((...words: unknown[]) => {
      this.since ??= performance.now();
      return Reflect.apply(pg.Client.prototype.query, this, words) as unknown;
    }) as typeof this.query;
  }

  /** What is waited for; undefined when everything was answered. */
  get awaited(): Awaited | undefined {
    return this.since === undefined ? undefined : { since: this.since, bytes: this.wire.stream.bytesRead ?? 0 };
  }

  /** Whether the server said that it takes no writes. */
  get takesNoWrites(): boolean {
    return this.readOnly.size > 0;
  }

  /** The server's process of this session. */
  get pid(): number {
    return (this as unknown as { processID: number }).processID;
  }

  /** Gives the connection up: what waits for an answer fails as with a connection that broke. */
  cut(): void {
    this.wire.stream.destroy();
  }

  private get wire(): Wire {
    return this.connection as unknown as Wire;
  }
}
