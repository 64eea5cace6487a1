/**
 * Limits of a connection pool for clients: how many connections one of them may have, and how many all of them together.
 *
 * A request that waits for a lock or reads much keeps its connection for seconds. Without limits, one client with as many
 * requests as the pool has connections would make all others wait until they time out. Work for clients without a
 * limit is not counted, and uses the connections that are left.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { LimitedClient } from '../core/queueing/client-limits.js';
import { Semaphore } from '../core/queueing/semaphore.js';

const current = new AsyncLocalStorage<string>();

/** Runs `work`, and everything it starts, on behalf of this client. */
export const asLimitedClient = <T>(client: string, work: () => T): T => current.run(client, work);

/** Runs `work` on behalf of the server: work that a request starts and others need, too. */
export const asServer = <T>(work: () => T): T => current.exit(work);

/** The client on whose behalf this code runs; undefined for the server and for clients without a limit. */
export const limitedClient = (): string | undefined => current.getStore();

/** The limits of limited clients for `max` connections: half of them for one, and together all but a fifth, but at least one. */
export const makeConnectionLimiter = (max: number, patienceMs: number): ConnectionLimiter =>
  new ConnectionLimiter(Math.max(1, max - Math.max(1, Math.floor(max / 5))), Math.ceil(max / 2), patienceMs);

/** A client had all connections that it may have, until the time to wait for one was over. */
export class ConnectionsTaken extends Error {}

export class ConnectionLimiter {
  private readonly semaphore: Semaphore;

  /**
   * @param max connections of all limited clients together
   * @param maxOfOne connections of one
   * @param patienceMs how long to wait for one; 0: forever
   */
  constructor(
    max: number,
    maxOfOne: number,
    private readonly patienceMs: number,
  ) {
    this.semaphore = new Semaphore({ max, maxOfOne });
  }

  /** Calls `callback` when the client may have another connection, or with ConnectionsTaken. */
  take(client: string, callback: (error?: ConnectionsTaken) => void): void {
    if (this.semaphore.tryAcquire(clientOf(client)) === undefined) return callback();
    let timer: NodeJS.Timeout | undefined;
    const leave = this.semaphore.enqueue(clientOf(client), () => {
      clearTimeout(timer);
      callback();
    });
    if (this.patienceMs <= 0) return;
    timer = setTimeout(() => {
      leave();
      callback(new ConnectionsTaken(`${client} has all connections that a client may have`));
    }, this.patienceMs);
  }

  /**
   * Runs work that needs one: at once without a limited client, else when the client may have another one. Throws
   * ConnectionsTaken.
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const client = limitedClient();
    if (client === undefined) return work();
    await new Promise<void>((resolve, reject) => this.take(client, (error) => (error ? reject(error) : resolve())));
    try {
      return await work();
    } finally {
      this.giveBack(client);
    }
  }

  giveBack(client: string): void {
    this.semaphore.release(clientOf(client));
  }
}

const clientOf = (id: string): LimitedClient => ({ id, kind: 'key' });
