/**
 * Reads the pages of a partition of the batch chunk by chunk, and assigns each to its fetch queue. Pages whose queue is full are
 * left, and read when it needs further ones.
 */
import { type BatchCursor, BATCH_START, cursorOf, compareCursors } from '../../core/frontier/batch-cursor.js';
import type { UrlRules } from '../../core/url/url-rules.js';
import type { Conf } from '../../core/conf/properties.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import type { HttpFailureCode } from '../../net/http-answer.js';
import type { QueueIds } from '../../politeness/queue-ids.js';
import { DeferredHosts } from '../../core/politeness/deferred-hosts.js';
import type { ChunkOf, Waiting } from './fetch.sql.js';

/** A page in the fetch queues. */
export interface FetchItem {
  page: Waiting;
  url: string;
  queueId: string;
  /** As the job names it: its batch, or `-all`. */
  batch: string;
  /** How its requests failed although they may be sent again: a closed connection, a challenge. */
  resent?: readonly HttpFailureCode[];
  /** Redirects followed in this run that led to it. */
  hops: number;
}

/** A host whose pages left their queue unfetched. None of those from `first` on is in a queue, or visited and not written. */
export interface LeftHost {
  readonly batch: string;
  readonly host: string;
  readonly queueId: string;
  /** The page with the least position in the batch. */
  readonly first: BatchCursor;
  /** Keys of pages that joined the batch by a redirect. */
  readonly joined: readonly string[];
}

/** The lengths of the queues. */
export interface QueueLengths {
  /** How many further pages a queue should have; 0 or less: it has enough for now. */
  remainingCapacity(queueId: string): number;
  /** Whether it has so few pages that it needs further ones. */
  isLow(queueId: string): boolean;
}

export interface ChunkFeederOptions {
  /** Reads the pages of a batch, after a cursor, that wait to be fetched. */
  read: (chunk: ChunkOf, after: BatchCursor | undefined) => Promise<Waiting[]>;
  /** With the first batches to read. */
  query: { readonly batches: readonly string[] };
  rules: UrlRules;
}

export class ChunkFeeder {
  private cursor: BatchCursor | undefined;
  /** Batches that are not read to the end. */
  private readonly batches: string[];
  private readonly deferred = new DeferredHosts();
  /** Pages that joined a batch by a redirect of this run: reads may return them again. */
  private readonly joined = new Set<string>();
  /** Those that are written, so that no further read returns them. */
  private readonly written: string[] = [];
  /** Pages that were skipped, because the current rules reject them, or because their key is not that of a URL. */
  filtered = 0;

  constructor(
    private readonly options: ChunkFeederOptions & { lengths: QueueLengths },
    private readonly conf: Conf,
    private readonly ids: QueueIds,
  ) {
    this.batches = [...options.query.batches];
  }

  /** Whether the whole partition has been read, except for pages of hosts whose queues were full. */
  get isThrough(): boolean {
    return this.batches.length === 0;
  }

  /** Whether the whole partition has been read. */
  get ended(): boolean {
    return this.isThrough && this.deferred.size === 0;
  }

  /** Adds a batch, to be read after the others. */
  add(batch: string): void {
    this.batches.push(batch);
  }

  /** The next pages, at most `limit`, in random order: the load is distributed differently in each run, as in Nutch. */
  async next(limit: number): Promise<FetchItem[]> {
    const [batch] = this.batches;
    if (batch === undefined) return [];
    const before = this.cursor;
    this.forgetWritten();
    const pages = await this.options.read({ batch, limit, without: this.deferred.named(batch) }, before);
    const last = pages.at(-1);
    if (last) this.cursor = cursorOf(last);
    const isUnread = ({ host }: Waiting) => !this.deferred.has(batch, host);
    const items = await this.take(batch, { pages, before, isUnread });
    if (pages.length < limit) {
      this.batches.shift();
      this.cursor = undefined;
    }
    return items;
  }

  /** Hosts of which pages were left. */
  get deferredHosts(): number {
    return this.deferred.size;
  }

  /** Whether the queue of a deferred host needs further pages. */
  get needsRefill(): boolean {
    return this.deferred.needs((queueId) => this.options.lengths.isLow(queueId));
  }

  /** Pages, at most `max`, of deferred hosts whose queues need further ones. */
  async refill(max: number): Promise<FetchItem[]> {
    const { lengths } = this.options;
    const from = this.deferred.next((queueId) => lengths.isLow(queueId));
    if (from === undefined) return [];
    const { batch, hosts, queueIds, after } = from;
    const capacity = queueIds.reduce((sum, queueId) => sum + lengths.remainingCapacity(queueId), 0);
    const limit = Math.max(1, Math.min(max, capacity));
    this.forgetWritten();
    const pages = await this.options.read({ batch, limit, only: hosts }, after);
    // What is behind the position of the whole batch, `next` reads.
    const limitAt = batch === this.batches[0] ? this.cursor : undefined;
    const isBehind = (page: Waiting) => limitAt !== undefined && compareCursors(cursorOf(page), limitAt) > 0;
    const full = new Set<string>();
    const isUnread = (page: Waiting) =>
      !full.has(page.host) && !isBehind(page) && this.deferred.isUnread(batch, page.host, cursorOf(page));
    const items = await this.take(batch, { pages, before: after, isUnread, deferred: (host) => full.add(host) });
    const isEnd = pages.length < limit || isBehind(pages.at(-1)!);
    const end = isEnd ? undefined : cursorOf(pages.at(-1)!);
    for (const host of hosts) if (!full.has(host)) this.deferred.advance(batch, host, end);
    return items;
  }

  /** Records a page that joins the batch, so that later reads skip it. */
  join(page: Waiting): void {
    // No read is running that may have begun before they were written.
    if (this.ended) this.forgetWritten();
    this.joined.add(page.key);
  }

  /** These pages were written. */
  noteWritten(pages: readonly { key: string }[]): void {
    for (const { key } of pages) if (this.joined.has(key)) this.written.push(key);
  }

  private forgetWritten(): void {
    for (const key of this.written.splice(0)) this.joined.delete(key);
  }

  /** A page that joins the batch, with its queue, if the rules accept it. */
  async itemOf(page: Waiting, hops: number): Promise<FetchItem[]> {
    const url = this.admitted(unreverseUrl(page.key));
    if (url === null) this.filtered++;
    return url === null ? [] : [{ page, url, hops, queueId: await this.ids.idOf(url), batch: page.mark }];
  }

  /** Reads pages of a host again. */
  readAgain({ batch, host, queueId, first, joined }: LeftHost): void {
    for (const key of joined) this.joined.delete(key);
    const nth = this.batches.indexOf(batch);
    const readTo = nth === 0 ? this.cursor : 'end';
    const isUnread = nth > 0 || readTo === undefined || (readTo !== 'end' && compareCursors(first, readTo) > 0);
    if (!isUnread) this.deferred.deferFrom(batch, host, { queueId, first, readTo });
  }

  /**
   * Those of the pages that are unread, with their queues, without those that the rules reject. The first one whose queue is full
   * defers its host.
   * @param before position of the read
   */
  private async take(batch: string, { pages, before = BATCH_START, isUnread, deferred }: Read): Promise<FetchItem[]> {
    const urls = pages.map((page) => (isUnread(page) ? this.admitted(unreverseUrl(page.key)) : null));
    const queueIds = await this.ids.idsOf(urls.filter((url) => url !== null));
    const items: FetchItem[] = [];
    const taken = new Map<string, number>();
    let [nth, after] = [0, before];
    for (const [i, page] of pages.entries()) {
      const url = urls[i]!;
      const queueId = url === null ? null : queueIds[nth++]!;
      if (isUnread(page) && !this.joined.has(page.key)) {
        const more = queueId === null ? 0 : (taken.get(queueId) ?? 0);
        if (url === null || queueId === null) this.filtered += this.deferred.wasRead(batch, page.host, page) ? 0 : 1;
        else if (this.options.lengths.remainingCapacity(queueId) <= more) {
          this.deferred.defer(batch, page.host, { queueId, after });
          deferred?.(page.host);
        } else {
          items.push({ page, url, queueId, batch, hops: 0 });
          taken.set(queueId, more + 1);
        }
      }
      after = cursorOf(page);
    }
    return shuffled(items);
  }

  /** The URL to request: as it is, or filtered and normalized by the current rules (1.x); null: rejected. */
  private admitted(url: string): string | null {
    const { 'fetcher.filter.urls': filter, 'fetcher.normalize.urls': normalize } = this.conf;
    if (!isUrl(url)) return null;
    if (!filter && !normalize) return url;
    const admission = this.options.rules.admit(url, 'fetcher', { filter, normalize });
    return 'rejected' in admission ? null : admission.url;
  }
}

interface Read {
  pages: readonly Waiting[];
  before: BatchCursor | undefined;
  isUnread: (page: Waiting) => boolean;
  /** Called for each host that is deferred. */
  deferred?: (host: string) => void;
}

/** Of any scheme: one that no active protocol has fails as PROTO_NOT_FOUND. */
const isUrl = (url: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/./.test(url) && URL.canParse(url);

function shuffled<T>(items: T[]): T[] {
  for (let i = items.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [items[i], items[j]] = [items[j]!, items[i]!];
  }
  return items;
}
