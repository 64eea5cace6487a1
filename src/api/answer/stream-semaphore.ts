/**
 * A semaphore for large answers.
 *
 * A streamed answer costs a chunk of pages in memory and now and then a database connection, for as long as its client reads. So
 * the number of streams is bounded. One client has at most half of the permits, and some are reserved for admin keys. When no
 * permit is free, the stream whose reader has read nothing for longest is evicted, if that is at least `slowMs`. Otherwise
 * the new request is refused. A reader that continues to read is never evicted.
 */
import type { LimitedClient, ClientLimits, ReachedLimit } from '../../core/queueing/client-limits.js';
import { Semaphore, longestWaiting } from '../../core/queueing/semaphore.js';
import { tooManyExports } from '../problem.js';

export interface StreamLimits extends ClientLimits {
  /** Time without a read after which a reader counts as slow and may be evicted, ms. */
  readonly slowMs: number;
}

/** A chunk is a megabyte or two, as rows, as text and in the socket buffer: some 100 MiB when no client reads. */
export const DEFAULT_STREAMS: StreamLimits = { max: 16, maxOfOne: 8, reserved: 4, slowMs: 10_000 };

export interface StreamPermit {
  readonly client: LimitedClient;
  /** Closes the connection of the stream. */
  readonly cut: () => void;
  /** When the current piece was offered to the reader, ms of a monotonic clock; Infinity while it is being produced. */
  waitingSince: number;
}

export class StreamSemaphore {
  private readonly permits = new Set<StreamPermit>();
  private readonly semaphore: Semaphore;
  evicted = 0;

  /** @param now ms of a monotonic clock */
  constructor(
    private readonly limits: StreamLimits = DEFAULT_STREAMS,
    private readonly now = () => performance.now(),
  ) {
    this.semaphore = new Semaphore(limits);
  }

  get size(): number {
    return this.permits.size;
  }

  /** Streams whose reader has read nothing for a second. */
  get unread(): number {
    const since = this.now() - 1_000;
    return [...this.permits].filter(({ waitingSince }) => waitingSince <= since).length;
  }

  /** Throws TOO_MANY_EXPORTS when no permit is free and no stream can be evicted. */
  acquire(client: LimitedClient, cut: () => void): StreamPermit {
    const reached = this.semaphore.reached(client);
    if (reached !== undefined) this.evict([...this.permits].filter(isEvictable(client, reached)));
    const permit = { client, cut, waitingSince: Infinity };
    this.permits.add(permit);
    this.semaphore.take(client);
    return permit;
  }

  release(permit: StreamPermit): void {
    if (this.permits.delete(permit)) this.semaphore.release(permit.client);
  }

  private evict(among: readonly StreamPermit[]): void {
    const [slowest] = longestWaiting(among, { now: this.now(), minMs: this.limits.slowMs, n: 1 });
    if (slowest === undefined) throw tooManyExports(among.length);
    this.evicted += 1;
    this.release(slowest);
    slowest.cut();
  }
}

/** Whether the end of a stream frees a permit for the client; a key never evicts a stream of an admin key. */
const isEvictable =
  (client: LimitedClient, { limit }: ReachedLimit) =>
  (permit: StreamPermit): boolean =>
    limit === 'own' ? permit.client.id === client.id : client.kind !== 'key' || permit.client.kind !== 'admin key';
