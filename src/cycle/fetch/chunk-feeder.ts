/** Reads the pages of a part of the batch chunk by chunk, and assigns each to its fetch queue. */
import type { UrlRules } from '../../core/url/url-rules.js';
import type { Conf } from '../../core/conf/properties.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import type { QueueIds } from '../../politeness/queue-ids.js';
import type { Cursor } from '../batch-marks.js';
import type { Waiting } from './fetch.sql.js';

/** A page in the fetch queues. */
export interface Item {
  page: Waiting;
  url: string;
  queueId: string;
  /** Its request failed on a kept connection that was being closed, and is repeated once. */
  resent?: boolean;
  /** Redirects followed in this run that led to it. */
  hops: number;
}

export interface FeederParts {
  /** Reads the pages of a batch, after a cursor, that wait to be fetched. */
  read: (from: { batch: string; limit: number }, after: Cursor | undefined) => Promise<Waiting[]>;
  /** With the first batches to read. */
  query: { readonly batches: readonly string[] };
  rules: UrlRules;
}

export class ChunkFeeder {
  private cursor: Cursor | undefined;
  /** Batches that are not read to the end. */
  private readonly batches: string[];
  /** Pages that joined a batch by a redirect of this run, while there is one to read: the reads may return them again. */
  private readonly joined = new Set<string>();
  /** Pages read so far. */
  read = 0;
  /** Pages that were skipped, because the current rules reject them, or because their key is not that of a URL. */
  filtered = 0;

  constructor(
    private readonly parts: FeederParts,
    private readonly conf: Conf,
    private readonly ids: QueueIds,
  ) {
    this.batches = [...parts.query.batches];
  }

  /** Whether the whole part has been read. */
  get ended(): boolean {
    return this.batches.length === 0;
  }

  /** Adds a batch, to be read after the others. */
  add(batch: string): void {
    this.batches.push(batch);
  }

  /** The next pages, at most `limit`, in random order: the load is distributed differently in each run, as in Nutch. */
  async next(limit: number): Promise<Item[]> {
    const [batch] = this.batches;
    if (batch === undefined) return [];
    const pages = await this.parts.read({ batch, limit }, this.cursor);
    this.read += pages.length;
    const last = pages.at(-1);
    if (last) this.cursor = { mark: last.mark, hash: last.hash, key: last.key };
    const fresh = shuffled(pages).filter(({ key }) => !this.joined.has(key));
    if (pages.length < limit) {
      this.batches.shift();
      this.cursor = undefined;
      if (this.ended) this.joined.clear();
    }
    return this.items(fresh);
  }

  /** Records a page that joins the batch, so that later reads skip it. */
  join(page: Waiting): void {
    if (!this.ended) this.joined.add(page.key);
  }

  /** Pages with their queues, without those that the rules reject. */
  async items(pages: Waiting[], hops = 0): Promise<Item[]> {
    const found = pages.flatMap((page) => {
      const url = this.admitted(unreverseUrl(page.key));
      return url === null ? [] : [{ page, url, hops }];
    });
    this.filtered += pages.length - found.length;
    const queueIds = await this.ids.ofAll(found.map(({ url }) => url));
    return found.map((item, i) => ({ ...item, queueId: queueIds[i]! }));
  }

  /** The URL to request: as it is, or filtered and normalized by the current rules (1.x); null: rejected. */
  private admitted(url: string): string | null {
    const { 'fetcher.filter.urls': filter, 'fetcher.normalize.urls': normalize } = this.conf;
    if (!isUrl(url)) return null;
    if (!filter && !normalize) return url;
    const admission = this.parts.rules.admit(url, 'fetcher', { filter, normalize });
    return 'rejected' in admission ? null : admission.url;
  }
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
