/**
 * Pages of a FETCH that stay in their batch because their host is drained or blocked. A FETCH may run for hours, in a continuous
 * crawl for weeks: when the host is not excluded any more, its pages are read again.
 *
 * While a host is recorded as excluded, all its pages of the batch are excluded, whatever its state: so none of those behind the
 * first one is in a queue when they are read again. Pages that the time limit removed from their queue are recorded, too: they are
 * read again with the others of their host, and then are not out of time.
 */
import { type BatchCursor, cursorOf, compareCursors } from '../../core/frontier/batch-cursor.js';
import type { ExclusionCounter } from '../../politeness/host-pace.js';
import { EXCLUDED_HOST, WAITING } from '../../core/job/fetch-counters.js';
import type { FetchItem, LeftHost } from './chunk-feeder.js';

/** Hosts that are recorded; the pages of further ones stay in the batch until this FETCH ends. */
const MAX_HOSTS = 100_000;
/** Hosts that one check looks at. */
const MAX_CHECKED = 1_000;
/** Interval of the checks, and limits for the time until a host is checked again: an operator may have lifted its block. */
const CHECK_MS = 1_000;
const MAX_CHECK_MS = 60_000;

/** Why a page stays in its batch: the name of its counter. */
type LeftCounter = ExclusionCounter | typeof WAITING.inQueue;
type Counts = Record<LeftCounter, number>;

export interface ExcludedHost extends LeftHost {
  readonly counts: Counts;
  /** That of the page that was excluded last. */
  queueId: string;
  first: BatchCursor;
  readonly joined: string[];
  /** ms by the monotonic clock; Infinity: the host is not excluded. */
  checkAt: number;
}

/** Why a page is excluded, and when its host is presumably not any more, ms by the monotonic clock. */
export interface Exclusion {
  counter: ExclusionCounter;
  until: number;
}

const COUNTERS = [EXCLUDED_HOST.blocked, EXCLUDED_HOST.drained, WAITING.inQueue] as const;
const none = (): Counts => ({ [EXCLUDED_HOST.blocked]: 0, [EXCLUDED_HOST.drained]: 0, [WAITING.inQueue]: 0 });

export class ExcludedPages {
  /** The number of pages. */
  readonly counts = none();
  /** By batch and host; those that were checked longest ago first. */
  private readonly hosts = new Map<string, ExcludedHost>();
  private checkedAt = -Infinity;

  /** Why further pages of a host are excluded; null: they are not, as far as is known here. */
  counterOf({ batch, page }: FetchItem): ExclusionCounter | null {
    const known = this.hosts.get(batchHostId(batch, page.host));
    if (known === undefined || known.checkAt === Infinity) return null;
    return known.counts[EXCLUDED_HOST.drained] > 0 ? EXCLUDED_HOST.drained : EXCLUDED_HOST.blocked;
  }

  add(item: FetchItem, { counter, until }: Exclusion, now: number): void {
    const known = this.leave(item, counter);
    // Not later for each page: those of a large host arrive as long as its batch is read.
    if (known) known.checkAt = Math.min(known.checkAt, checkTime(until, now));
  }

  /** Adds a page that the time limit has removed from its queue. */
  addOutOfTime(item: FetchItem): void {
    this.leave(item, WAITING.inQueue);
  }

  private leave(item: FetchItem, counter: LeftCounter): ExcludedHost | undefined {
    this.counts[counter]++;
    const known = this.record(item);
    if (known === undefined) return undefined;
    known.counts[counter]++;
    known.queueId = item.queueId;
    if (compareCursors(item.page, known.first) < 0) known.first = cursorOf(item.page);
    if (item.hops > 0) known.joined.push(item.page.key);
    return known;
  }

  private record({ batch, page, queueId }: FetchItem): ExcludedHost | undefined {
    const id = batchHostId(batch, page.host);
    const known = this.hosts.get(id);
    if (known !== undefined || this.hosts.size >= MAX_HOSTS) return known;
    const first = cursorOf(page);
    const host = { batch, host: page.host, queueId, first, counts: none(), joined: [], checkAt: Infinity };
    this.hosts.set(id, host);
    return host;
  }

  /** Hosts that are to be checked now. */
  due(now: number): ExcludedHost[] {
    if (now - this.checkedAt < CHECK_MS) return [];
    this.checkedAt = now;
    const due: ExcludedHost[] = [];
    for (const host of this.hosts.values()) {
      if (host.checkAt > now) continue;
      due.push(host);
      if (due.length === MAX_CHECKED) break;
    }
    return due;
  }

  /** A host was checked. */
  postpone(host: ExcludedHost, until: number, now: number): void {
    host.checkAt = checkTime(until, now);
    const id = batchHostId(host.batch, host.host);
    this.hosts.delete(id);
    this.hosts.set(id, host);
  }

  /** The pages of a host are not excluded any more. */
  remove({ batch, host, counts }: ExcludedHost): void {
    this.hosts.delete(batchHostId(batch, host));
    for (const counter of COUNTERS) this.counts[counter] -= counts[counter];
  }
}

/** Neither a batch nor a host has spaces. */
export const batchHostId = (batch: string, host: string): string => `${batch} ${host}`;

const checkTime = (until: number, now: number): number => Math.min(Math.max(until, now + CHECK_MS), now + MAX_CHECK_MS);
