/**
 * Limits of a connection pool for clients: how many connections one of them may have, and how many all of them together.
 *
 * A request that waits for a lock or reads much keeps its connection for seconds. Without limits, one client with as many
 * requests as the pool has connections keeps all others waiting until they are given up. Work that is done for no
 * limited client is not counted, and finds the connections that are left.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Asker } from '../core/queueing/client-limits.js';
import { Semaphore } from '../core/queueing/semaphore.js';

const current = new AsyncLocalStorage<string>();

/** Runs `work`, and all that it begins, as the work of this client. */
export const asLimitedClient = <T>(client: string, work: () => T): T => current.run(client, work);

/** Runs `work` as the server's own: what a request begins and others need, too. */
export const asServer = <T>(work: () => T): T => current.exit(work);

/** The client whose work is being done now; undefined for the server's own and for clients without a limit. */
export const limitedClient = (): string | undefined => current.getStore();

/** The limits of limited clients where there are `max` connections: half of them for one, and all together leave a fifth, one at least. */
export const limitsOf = (max: number, patienceMs: number): ConnectionLimits =>
  new ConnectionLimits(Math.max(1, max - Math.max(1, Math.floor(max / 5))), Math.ceil(max / 2), patienceMs);

/** A client had all connections that it may have, for as long as one is waited for. */
export class ConnectionsTaken extends Error {}

export class ConnectionLimits {
  private readonly semaphore: Semaphore;

  /**
   * @param max connections of all limited clients together
   * @param maxOfOne connections of one
   * @param patienceMs how long one is waited for; 0: for ever
   */
  constructor(
    max: number,
    maxOfOne: number,
    private readonly patienceMs: number,
  ) {
    this.semaphore = new Semaphore({ max, maxOfOne });
  }

  /** Calls `given` when the client may have a connection more, or with ConnectionsTaken. */
  take(client: string, given: (error?: ConnectionsTaken) => void): void {
    if (this.semaphore.tryAcquire(askerOf(client)) === undefined) return given();
    let timer: NodeJS.Timeout | undefined;
    const leave = this.semaphore.enqueue(askerOf(client), () => {
      clearTimeout(timer);
      given();
    });
    if (this.patienceMs <= 0) return;
    timer = setTimeout(() => {
      leave();
      given(new ConnectionsTaken(`${client} has all connections that a client may have`));
    }, this.patienceMs);
  }

  /** Does work that needs one: at once for no limited client, else when the client may have one more. Throws ConnectionsTaken. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const client = limitedClient();
    if (client === undefined) return work();
    await new Promise<void>((given, refused) => this.take(client, (error) => (error ? refused(error) : given())));
    try {
      return await work();
    } finally {
      this.giveBack(client);
    }
  }

  giveBack(client: string): void {
    this.semaphore.release(askerOf(client));
  }
}

const askerOf = (client: string): Asker => ({ client, kind: 'key' });
