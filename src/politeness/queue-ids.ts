/** Which fetch queue a URL belongs to. With `byIP` host names are resolved, and their addresses kept for an hour. */
import { lookup } from 'node:dns/promises';
import { withoutBrackets } from '../core/url/ip-host.js';
import { queueKeyOf } from '../core/url/partition.js';
import { addressLookups } from '../net/bounded-lookups.js';

/** Age at which an address is resolved again. */
const MAX_AGE_MS = 3_600_000;
/** Age at which a name without an address is resolved again: not for each page of its host. */
const FAILURE_MS = 10_000;
/** Interval at which old addresses are forgotten. */
const SWEEP_MS = 60_000;
/** Addresses that are kept, apart from those of queues in use. */
const MAX_ADDRESSES = 50_000;

interface Resolved {
  address: string;
  /** ms by the monotonic clock. */
  since: number;
}

interface QueueIdOptions {
  /** The address of a host; null if it has none now. */
  resolve?: (host: string) => Promise<string | null>;
  /** ms by the monotonic clock. */
  now?: () => number;
  max?: number;
}

/**
 * Maps a URL to its fetch queue, that of its host, domain or address (`fetcher.queue.mode`). An address is resolved once per host,
 * and again after an hour: a task may run for weeks. But a host stays in its queue while the task uses that: in two queues it
 * would get two requests at a time. That of its name, while it has no address, is no exception.
 */
export class QueueIds {
  /** By host; those needed longest ago first. */
  private readonly addresses = new Map<string, Resolved>();
  /** When names had no address, ms by the monotonic clock; the oldest first. */
  private readonly failures = new Map<string, number>();
  private sweptAt: number;
  /** Number of addresses at which they are swept early; it grows while most are in use. */
  private sweptAbove: number;
  private readonly resolve: (host: string) => Promise<string | null>;
  private readonly now: () => number;
  private readonly max: number;
  private isUsed: (queueId: string) => boolean = () => false;

  constructor(
    private readonly mode: string,
    { resolve = addressOf, now = () => performance.now(), max = MAX_ADDRESSES }: QueueIdOptions = {},
  ) {
    this.resolve = resolve;
    this.now = now;
    this.max = max;
    this.sweptAt = now();
    this.sweptAbove = max;
  }

  /** @param isUsed whether a queue is in use: its hosts stay in it */
  keepWhile(isUsed: (queueId: string) => boolean): void {
    this.isUsed = isUsed;
  }

  async idOf(url: string): Promise<string> {
    return (await this.idsOf([url]))[0]!;
  }

  /** @returns one id per URL, in the same order */
  async idsOf(urls: readonly string[]): Promise<string[]> {
    if (this.mode !== 'byIP') return urls.map((url) => queueKeyOf(url, this.mode));
    const hosts = urls.map((url) => new URL(url).hostname);
    const addresses = await this.resolveAll(new Set(hosts));
    return urls.map((url, i) => queueKeyOf(url, this.mode, addresses.get(hosts[i]!)));
  }

  /** Hosts whose address is kept (for tests). */
  get known(): string[] {
    return [...this.addresses.keys()];
  }

  private async resolveAll(hosts: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    const addresses = new Map<string, string>();
    await Promise.all(
      [...hosts].map(async (host) => {
        const address = await this.addressOf(host);
        if (address !== null) addresses.set(host, address);
      }),
    );
    this.sweep();
    return addresses;
  }

  private async addressOf(host: string): Promise<string | null> {
    if (host === '') return null;
    const known = this.addresses.get(host);
    if (known && !this.isOld(known)) return this.keep(host, known).address;
    if (this.isUsed(host) || this.hasFailed(host)) return null;
    const address = await addressLookups.run(() => this.resolve(host));
    this.failures.delete(host);
    if (address === null) {
      this.failures.set(host, this.now());
      return null;
    }
    // Another call may have resolved it meanwhile: both have the same answer.
    const meanwhile = this.addresses.get(host);
    const current = meanwhile && !this.isOld(meanwhile) ? meanwhile : { address, since: this.now() };
    return this.keep(host, current).address;
  }

  private hasFailed(host: string): boolean {
    return this.now() - (this.failures.get(host) ?? -Infinity) < FAILURE_MS;
  }

  /** Keeps an address as the one that was needed last. */
  private keep(host: string, resolved: Resolved): Resolved {
    this.addresses.delete(host);
    this.addresses.set(host, resolved);
    return resolved;
  }

  private isOld({ address, since }: Resolved): boolean {
    return this.now() - since >= MAX_AGE_MS && !this.isUsed(address);
  }

  private sweep(): void {
    const now = this.now();
    for (const host of this.failures.keys()) {
      if (this.hasFailed(host)) break;
      this.failures.delete(host);
    }
    if (this.addresses.size <= this.sweptAbove && now - this.sweptAt < SWEEP_MS) return;
    this.sweptAt = now;
    let excess = this.addresses.size - this.max;
    for (const [host, resolved] of this.addresses) {
      const isLeftOver = excess > 0 && !this.isUsed(resolved.address);
      if (!isLeftOver && !this.isOld(resolved)) continue;
      this.addresses.delete(host);
      excess--;
    }
    this.sweptAbove = Math.max(this.max, Math.ceil(this.addresses.size * 1.1));
  }
}

const addressOf = (host: string): Promise<string | null> =>
  lookup(withoutBrackets(host)).then(
    ({ address }) => address,
    () => null,
  );
