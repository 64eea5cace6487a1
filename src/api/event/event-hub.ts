/**
 * Wakes the event streams of this process.
 *
 * One connection listens for all streams; each second one statement queries the newest event of each followed crawl, in
 * case a notification was lost. So 500 streams cost the database no more than one does, until there is something to read.
 */
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import type { LimitedClient } from '../../core/queueing/client-limits.js';
import { Semaphore } from '../../core/queueing/semaphore.js';
import { asServer } from '../../db/connection-limits.js';
import { Listener } from '../../db/listener.js';
import { EVENT_CHANNEL, newestEvents } from '../../job/job-event.store.js';
import { Database } from '../database.js';
import { tooManyStreams } from './event.problems.js';

/** Fewer than the connections that the server accepts: the others stay free for short requests. */
export const MAX_STREAMS = 500;
export const streamLimits = { max: MAX_STREAMS, maxPerKey: 100, reserved: 50 };
const POLL_MS = 1_000;

/** The registration of one stream at the hub. */
export class Watch {
  private woken = false;
  private wakeUp: () => void = () => undefined;
  /** The stream must end: its client has disconnected, or the server stops. */
  isEnded = false;

  constructor(readonly crawl: number) {}

  wake(): void {
    this.woken = true;
    this.wakeUp();
  }

  end(): void {
    this.isEnded = true;
    this.wake();
  }

  /** Waits until it is woken, at most `ms` milliseconds. Returns whether it was; a wake since the last wait counts. */
  async wait(ms: number): Promise<boolean> {
    if (!this.woken) {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, ms);
      this.wakeUp = resolve;
      await promise;
      clearTimeout(timer);
    }
    const was = this.woken;
    this.woken = false;
    return was;
  }
}

@Injectable()
export class EventHub implements OnModuleDestroy {
  private readonly watches = new Map<Watch, LimitedClient>();
  private readonly semaphore = new Semaphore(streamLimits);
  private readonly newest = new Map<number, string>();
  private listener: Listener | undefined;
  private poll: NodeJS.Timeout | undefined;
  private isPolling = false;
  private closed = false;

  constructor(private readonly database: Database) {}

  /** Registers a stream that follows a crawl; `leave` removes it. Throws TOO_MANY_STREAMS. */
  watch(crawl: number, client: LimitedClient): Watch {
    const reached = this.semaphore.tryAcquire(client);
    if (reached !== undefined) throw tooManyStreams(reached.taken, reached.limit === 'own' ? ' of this key' : '');
    const watch = new Watch(crawl);
    this.watches.set(watch, client);
    if (this.closed) watch.end();
    else this.open();
    return watch;
  }

  leave(watch: Watch): void {
    const client = this.watches.get(watch);
    if (client !== undefined) this.semaphore.release(client);
    this.watches.delete(watch);
    if (this.watches.size > 0) return;
    clearInterval(this.poll);
    this.poll = undefined;
    this.newest.clear();
  }

  /** The server stops: streams end, so that their clients resume elsewhere. */
  async onModuleDestroy(): Promise<void> {
    this.closed = true;
    clearInterval(this.poll);
    for (const watch of this.watches.keys()) watch.end();
    await this.listener?.close();
  }

  private open(): void {
    // It serves all streams, so it must not count as work of the client whose request came first.
    this.poll ??= asServer(() => setInterval(() => void this.pollOnce().catch(() => undefined), POLL_MS));
    if (this.listener) return;
    const { url = '' } = this.database.dataSource.options as { url?: string };
    this.listener = new Listener(url, { [EVENT_CHANNEL]: (crawl) => this.wake(Number(crawl)) });
    void this.listener.open();
  }

  private wake(crawl: number): void {
    for (const watch of this.watches.keys()) if (watch.crawl === crawl) watch.wake();
  }

  /** While the database does not answer, no further statement waits for it. */
  private async pollOnce(): Promise<void> {
    if (this.isPolling) return;
    this.isPolling = true;
    try {
      await this.wakeByNewest();
    } finally {
      this.isPolling = false;
    }
  }

  private async wakeByNewest(): Promise<void> {
    const crawls = new Set([...this.watches.keys()].map(({ crawl }) => crawl));
    for (const crawl of this.newest.keys()) if (!crawls.has(crawl)) this.newest.delete(crawl);
    for (const { crawl, id } of await newestEvents(this.database.pool, [...crawls])) {
      if (this.newest.get(crawl) === id) continue;
      this.newest.set(crawl, id);
      this.wake(crawl);
    }
  }
}
