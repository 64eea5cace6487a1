/**
 * Hosts of a batch of which pages are left for later, since their queues were full when these were met: otherwise the pages of
 * one slow host would fill the memory of the task, and no other host would be fetched.
 *
 * A batch is read in one order. All pages of a host up to its position were read; those behind it were not.
 */
import { type BatchCursor, compareCursors } from '../frontier/batch-cursor.js';

interface Deferred {
  /** The queue of the first page that was left. */
  readonly queueId: string;
  after: BatchCursor;
  /** Pages up to there were read before. */
  readonly readTo?: BatchCursor | 'end';
}

/** Hosts that a read names: so many that their names cost less than their pages. */
const MAX_NAMED = 1_000;

export class DeferredHosts {
  private readonly batches = new Map<string, Map<string, Deferred>>();

  private count = 0;

  /** The number of hosts, of each batch. Counted: a crawl of some days has thousands of batches with pages of a slow host. */
  get size(): number {
    return this.count;
  }

  /** Leaves the pages of a host behind a position of the batch. */
  defer(batch: string, host: string, deferred: Deferred): void {
    const hosts = this.batches.get(batch) ?? new Map<string, Deferred>();
    if (!hosts.has(host)) this.count++;
    this.batches.set(batch, hosts.set(host, { ...hosts.get(host), ...deferred }));
  }

  /** Leaves all pages of a host from `first` on, of which those up to `readTo` were read before. */
  deferFrom(
    batch: string,
    host: string,
    from: { queueId: string; first: BatchCursor; readTo: BatchCursor | 'end' },
  ): void {
    const known = this.batches.get(batch)?.get(host);
    // Keys are not empty: the position before all pages of the same hash.
    const before = { ...from.first, key: '' };
    this.defer(batch, host, {
      queueId: from.queueId,
      after: known === undefined ? before : earlier(known.after, before),
      readTo: known === undefined ? from.readTo : later(known.after, known.readTo),
    });
  }

  /** Whether a page was read before its host was deferred: if the rules reject it, it is counted already. */
  wasRead(batch: string, host: string, at: BatchCursor): boolean {
    const readTo = this.batches.get(batch)?.get(host)?.readTo;
    return readTo !== undefined && (readTo === 'end' || compareCursors(at, readTo) <= 0);
  }

  has(batch: string, host: string): boolean {
    return this.batches.get(batch)?.has(host) ?? false;
  }

  /** Hosts whose pages a read of the whole batch may leave out. */
  named(batch: string): string[] {
    return [...(this.batches.get(batch)?.keys() ?? [])].slice(0, MAX_NAMED);
  }

  /** Whether the queue of any host satisfies a condition. */
  needs(isWanted: (queueId: string) => boolean): boolean {
    for (const deferred of this.batches.values())
      for (const { queueId } of deferred.values()) if (isWanted(queueId)) return true;
    return false;
  }

  /** Some hosts of the oldest batch whose queues satisfy a condition, and the position behind which to read. */
  next(
    isWanted: (queueId: string) => boolean,
  ): { batch: string; hosts: string[]; queueIds: string[]; after: BatchCursor } | undefined {
    for (const [batch, deferred] of this.batches) {
      const chosen = [...deferred].filter(([, { queueId }]) => isWanted(queueId)).slice(0, MAX_NAMED);
      const [first, ...others] = chosen.map(([, { after }]) => after);
      if (first === undefined) continue;
      const after = others.reduce(earlier, first);
      return { batch, hosts: chosen.map(([host]) => host), queueIds: chosen.map(([, { queueId }]) => queueId), after };
    }
    return undefined;
  }

  /** Whether a page is behind the position of its host. */
  isUnread(batch: string, host: string, at: BatchCursor): boolean {
    const deferred = this.batches.get(batch)?.get(host);
    return deferred !== undefined && compareCursors(at, deferred.after) > 0;
  }

  /** The pages of a host were read up to `to`; undefined: none is left. */
  advance(batch: string, host: string, to: BatchCursor | undefined): void {
    const hosts = this.batches.get(batch);
    const deferred = hosts?.get(host);
    if (hosts === undefined || deferred === undefined) return;
    if (to === undefined) {
      hosts.delete(host);
      this.count--;
    } else if (compareCursors(to, deferred.after) > 0) deferred.after = to;
    if (hosts.size === 0) this.batches.delete(batch);
  }
}

const earlier = (a: BatchCursor, b: BatchCursor): BatchCursor => (compareCursors(a, b) < 0 ? a : b);
const later = (a: BatchCursor, b: BatchCursor | 'end' = a): BatchCursor | 'end' =>
  b === 'end' || compareCursors(b, a) > 0 ? b : a;
