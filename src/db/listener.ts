/** A connection that listens for NOTIFY. Notifications sent while it is broken are lost: users of a listener also poll. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { SESSION } from './session-settings.js';

/** Milliseconds before a broken connection is opened again. */
const PAUSE_MS = 1_000;
/** A connection that only listens would never notice a failed network: a statement is sent this often, ms. */
const PING_MS = 10_000;

/** Called for each notification of a channel, with its payload. */
export type NotificationHandlers = Readonly<Record<string, (payload: string) => void>>;

export class Listener {
  private client: Client | undefined;
  private readonly closing = new AbortController();

  /** @param url connection string of PostgreSQL; the connection belongs to no pool */
  constructor(
    private readonly url: string,
    private readonly handlers: NotificationHandlers,
  ) {}

  /** Resolves when it listens, or when the first attempt has failed; from then on it is opened again whenever it breaks. */
  open(): Promise<void> {
    return new Promise((resolve) => void this.keepOpen(resolve));
  }

  async close(): Promise<void> {
    this.closing.abort();
    await this.client?.end().catch(() => undefined);
  }

  private async keepOpen(tried: () => void): Promise<void> {
    while (!this.closing.signal.aborted) {
      await this.listen(tried).catch(() => undefined);
      tried();
      await sleep(PAUSE_MS, undefined, { signal: this.closing.signal, ref: false }).catch(() => undefined);
    }
  }

  /** Listens until the connection ends. */
  private async listen(listening: () => void): Promise<void> {
    const client = new Client({
      connectionString: this.url,
      application_name: 'orbweaver listener',
      keepAlive: true,
      connectionTimeoutMillis: PING_MS,
      query_timeout: PING_MS,
      ...SESSION,
    });
    const ended = new Promise<void>((resolve) => client.once('end', resolve));
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload }) => this.handlers[channel]?.(payload ?? ''));
    this.client = client;
    let pinging: NodeJS.Timeout | undefined;
    try {
      await client.connect();
      for (const channel of Object.keys(this.handlers))
        await client.query(`listen ${client.escapeIdentifier(channel)}`);
      listening();
      await new Promise<void>((resolve) => {
        void ended.then(resolve);
        pinging = setInterval(() => void client.query('select 1').catch(resolve), PING_MS).unref();
      });
    } finally {
      clearInterval(pinging);
      // Not awaited: a connection that does not respond does not close either.
      void client.end().catch(() => undefined);
    }
  }
}
