/**
 * A memory budget: a limit of bytes in memory for one purpose. A request beyond it is refused (`reserve`), waits
 * (`reservation`), or evicts the oldest holder (`hold`).
 */
import { ANYONE, type LimitedClient, type LimitSetting, Taken } from './client-limits.js';
import { granting } from './semaphore.js';

interface Waiter {
  readonly bytes: number;
  readonly granted: () => void;
}

/** Bytes that may be evicted. */
export interface Holder {
  readonly bytes: number;
  /** Only when nothing else is left to evict. */
  readonly isLast: boolean;
  readonly evict: () => void;
}

export class MemoryBudget {
  private readonly taken = new Taken();
  private readonly max: number;
  /** In order of arrival. */
  private readonly waiting = new Set<Waiter>();
  /** Oldest first. */
  private readonly holders = new Set<Holder>();

  constructor(private readonly limits: LimitSetting) {
    this.max = typeof limits === 'number' ? limits : limits.max;
  }

  /** Bytes reserved now. */
  get used(): number {
    return this.taken.all;
  }

  /** Reserves bytes; false when the budget, or the limit of the client, is exhausted. */
  reserve(client: LimitedClient, bytes: number): boolean {
    if (this.taken.reached(this.limits, client, bytes) !== undefined) return false;
    this.taken.add(client, bytes);
    return true;
  }

  release(client: LimitedClient, bytes: number): void {
    this.taken.add(client, -bytes);
    this.grant();
  }

  /** Reserves always; while the budget is exceeded, the oldest of the other holders is evicted. */
  hold(newcomer: Holder): void {
    this.taken.add(ANYONE, newcomer.bytes);
    this.holders.add(newcomer);
    for (const last of [false, true]) {
      for (const oldest of this.holders) {
        if (this.used <= this.max) return;
        if (oldest === newcomer || oldest.isLast !== last) continue;
        this.drop(oldest);
        oldest.evict();
      }
    }
  }

  /** Releases the bytes of a holder, once. */
  drop(holder: Holder): void {
    if (this.holders.delete(holder)) this.release(ANYONE, holder.bytes);
  }

  /** A new reservation, without any bytes yet. @param signal ends its waits */
  reservation(signal: AbortSignal): Reservation {
    return new Reservation(this, signal);
  }

  /**
   * Waits for bytes, and returns their number. Waiters are served in order of arrival, large ones too. A request larger
   * than the budget gets all of it. @param signal ends the wait: its reason is thrown, and no bytes are reserved
   */
  async wait(size: number, signal: AbortSignal): Promise<number> {
    const bytes = Math.min(size, this.max);
    signal.throwIfAborted();
    if (this.waiting.size > 0 || !this.reserve(ANYONE, bytes))
      await granting((granted) => this.enqueue({ bytes, granted }), signal);
    return bytes;
  }

  private enqueue(waiter: Waiter): () => void {
    this.waiting.add(waiter);
    return () => {
      this.waiting.delete(waiter);
      this.grant();
    };
  }

  private grant(): void {
    for (const waiter of this.waiting) {
      if (!this.reserve(ANYONE, waiter.bytes)) return;
      this.waiting.delete(waiter);
      waiter.granted();
    }
  }
}

/** Bytes reserved for one operation, which may release some of them earlier. */
export class Reservation {
  private reserved = 0;

  constructor(
    private readonly budget: MemoryBudget,
    private readonly signal: AbortSignal,
  ) {}

  /** Waits until the bytes are free; does nothing where some are reserved already. False: the wait was aborted. */
  async reserve(bytes: number): Promise<boolean> {
    if (this.reserved === 0) this.reserved = await this.budget.wait(Math.max(1, bytes), this.signal).catch(() => 0);
    return this.reserved > 0;
  }

  /** Keeps at most this many bytes and releases the rest. */
  shrink(bytes: number): void {
    const over = this.reserved - Math.min(this.reserved, bytes);
    this.reserved -= over;
    if (over > 0) this.budget.release(ANYONE, over);
  }
}
