/**
 * Memory budget for the sitemaps that a process reads at a time. Fifty kilobytes of gzip decompress to fifty mebibytes, and each
 * host at work has a document of its own: without a common bound they would add up until the worker dies, with all its tasks.
 */
import { SITEMAP_MAX_BYTES } from '../../core/sitemap/sitemap-document.js';

interface Waiting {
  bytes: number;
  start: () => void;
}

export class DocumentBudget {
  private used = 0;
  private readonly waiting: Waiting[] = [];

  constructor(private readonly bytes: number) {}

  /** The reservation of one document; it has no bytes yet. */
  reservation(signal: AbortSignal): DocumentReservation {
    return new DocumentReservation(this, signal);
  }

  /** First come, first served: a large document is not passed over. What is larger than the budget gets all of it. */
  async reserve(wanted: number, signal: AbortSignal): Promise<number | null> {
    const bytes = Math.min(wanted, this.bytes);
    if (signal.aborted) return null;
    if (this.waiting.length === 0 && this.used + bytes <= this.bytes) {
      this.used += bytes;
      return bytes;
    }
    const { promise, resolve } = Promise.withResolvers<number | null>();
    const leave = (): void => {
      this.waiting.splice(this.waiting.indexOf(one), 1);
      resolve(null);
      this.startWaiting();
    };
    const start = (): void => {
      signal.removeEventListener('abort', leave);
      resolve(bytes);
    };
    const one: Waiting = { bytes, start };
    this.waiting.push(one);
    signal.addEventListener('abort', leave, { once: true });
    return promise;
  }

  release(bytes: number): void {
    this.used -= bytes;
    this.startWaiting();
  }

  private startWaiting(): void {
    for (let [next] = this.waiting; next && this.used + next.bytes <= this.bytes; [next] = this.waiting) {
      this.waiting.shift();
      this.used += next.bytes;
      next.start();
    }
  }
}

/** Bytes of the budget that one document has. */
export class DocumentReservation {
  private reserved = 0;

  constructor(
    private readonly budget: DocumentBudget,
    private readonly signal: AbortSignal,
  ) {}

  /** Waits until the bytes are free; does nothing where some are reserved already. False: the wait was ended. */
  async reserve(bytes: number): Promise<boolean> {
    if (this.reserved > 0) return true;
    const taken = await this.budget.reserve(Math.max(1, bytes), this.signal);
    this.reserved = taken ?? 0;
    return taken !== null;
  }

  /** Keeps so much of it at most. */
  shrink(bytes: number): void {
    const over = this.reserved - Math.min(this.reserved, bytes);
    this.reserved -= over;
    if (over > 0) this.budget.release(over);
  }
}

/** That of this process: one document of the largest size that sitemaps.org allows, and some smaller ones. */
export const documentBudget = new DocumentBudget(SITEMAP_MAX_BYTES * 1.25);
