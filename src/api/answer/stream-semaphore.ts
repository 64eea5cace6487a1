/**
 * A semaphore for large answers.
 *
 * A streamed answer costs a chunk of pages in memory and now and then a database connection, for as long as its client reads. So
 * the number of streams is bounded. One client has at most half of the permits, and keys leave some to admin keys. When no permit is
 * free, the stream whose reader has taken nothing for longest is evicted, if that is long enough to call it slow. Else the new
 * request is refused. A reader that goes on reading is never evicted.
 */
import { type Asker, limitReached, takenBy } from '../access/client-limits.js';
import { withOptions } from '../problem.js';
import { tooManyExports } from './answer.problems.js';

export interface StreamLimits {
  /** Streams in all. */
  readonly max: number;
  /** Streams of one client. */
  readonly maxOfOne: number;
  /** Of those in all, streams that keys leave to admin keys. */
  readonly reserved?: number;
  /** Time without a read after which a reader is slow and may be evicted, ms. */
  readonly slowMs: number;
}

/** A chunk is a megabyte or two, kept as rows, as text and in the socket: some 100 MiB when no client reads. */
export const DEFAULT_STREAMS: StreamLimits = { max: 16, maxOfOne: 8, reserved: 4, slowMs: 10_000 };

export interface StreamPermit {
  readonly asker: Asker;
  /** Ends the stream from outside. */
  readonly cut: () => void;
  /** Since when its reader has a piece to take, ms of a monotonic clock; Infinity while the piece is being made. */
  waitingSince: number;
}

export class StreamSemaphore {
  private readonly permits = new Set<StreamPermit>();
  /** Streams that were evicted. */
  evicted = 0;

  constructor(private readonly limits: StreamLimits = DEFAULT_STREAMS) {}

  get size(): number {
    return this.permits.size;
  }

  /** Streams whose reader has taken nothing for a second. */
  get unread(): number {
    const since = performance.now() - 1_000;
    return [...this.permits].filter(({ waitingSince }) => waitingSince <= since).length;
  }

  /** Throws TOO_MANY_EXPORTS when no permit is free and no stream can be evicted. */
  acquire(asker: Asker, cut: () => void): StreamPermit {
    const { max, maxOfOne, reserved = 0 } = this.limits;
    const own = [...this.permits].filter((permit) => permit.asker.client === asker.client);
    const taken = takenBy(
      asker,
      [...this.permits].map((permit) => permit.asker),
    );
    if (own.length >= maxOfOne) this.evict(own);
    else if (limitReached(asker, taken, { max, maxPerKey: maxOfOne, reserved }) !== undefined)
      this.evict([...this.permits].filter((permit) => asker.kind !== 'key' || permit.asker.kind !== 'admin key'));
    const permit = { asker, cut, waitingSince: Infinity };
    this.permits.add(permit);
    return permit;
  }

  release(permit: StreamPermit): void {
    this.permits.delete(permit);
  }

  private evict(among: readonly StreamPermit[]): void {
    const slowest = among.toSorted((one, other) => one.waitingSince - other.waitingSince)[0];
    if (slowest === undefined || !(performance.now() - slowest.waitingSince >= this.limits.slowMs)) {
      throw withOptions(tooManyExports(among.length), { headers: { 'Retry-After': '10' } });
    }
    this.evicted += 1;
    this.permits.delete(slowest);
    slowest.cut();
  }
}
