/**
 * Searches beside a crawl under faults: whatever goes wrong, an answer is right or is none. Each hit is a page of the table, and stands
 * there once; nothing fails in a way that nobody expects. When all is quiet the index has every page, and answers as that of an
 * undisturbed crawl.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { reverseUrl } from '../../src/core/url/row-key.js';
import type { FleetQuery } from './chaos-fleet.js';
import type { Complaints } from './oracle.js';

interface Answer {
  hits: { id: string; url: string }[];
  total: number;
}

/** Every page of the synthetic web has the first in its title; the others some of them have. */
const EVERY = 'host';
const QUERIES = [EVERY, '"page 1"', 'type:html', '+host +7', 'title:page -7'];
/** Database away, starting, too many at once, nothing indexed yet. */
const EXPECTED = [503, 429, 404, 400];

export class ChaosSearches {
  readonly complaints = new Set<string>();
  answered = 0;
  private ended = false;
  private readonly searching: Promise<void>;

  /** @param url of the server now, which is another one after each start */
  constructor(
    private readonly url: () => string,
    private readonly query: FleetQuery,
    private readonly crawl: { id: number; name: string },
  ) {
    this.searching = this.search();
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.searching;
  }

  private async search(): Promise<void> {
    for (let n = 0; !this.ended; n++) {
      const q = QUERIES[n % QUERIES.length]!;
      const answer = await this.ask(q).catch(() => undefined);
      if (answer) await this.judge(q, answer);
      await sleep(40);
    }
  }

  /** Undefined where none came for a reason that a fault explains. Rejects where nobody answered at all. */
  async ask(q: string): Promise<Answer | undefined> {
    const address = `${this.url()}/v1/search?${new URLSearchParams({ q, crawlId: this.crawl.name, limit: '50', expand: 'off' })}`;
    const response = await fetch(address, { signal: AbortSignal.timeout(10_000) });
    const text = await response.text();
    if (response.ok) return JSON.parse(text) as Answer;
    if (!EXPECTED.includes(response.status))
      this.complaints.add(`search ${q}: ${response.status} ${text.slice(0, 300)}`);
    return undefined;
  }

  private async judge(q: string, { hits, total }: Answer): Promise<void> {
    this.answered++;
    const keys = hits.map(({ url }) => reverseUrl(url));
    if (new Set(keys).size < keys.length) this.complaints.add(`search ${q}: a page stands twice among the hits`);
    const [found] = await this.query<{ pages: number; known: number }>(
      `select (select count(*)::int from webpage where crawl = $1) as pages,
              (select count(*)::int from webpage where crawl = $1 and key = any ($2) and parse_major is not null) as known`,
      [this.crawl.id, keys],
    );
    if (found!.known < keys.length) this.complaints.add(`search ${q}: ${keys.length - found!.known} hits are no pages`);
    if (total > found!.pages) this.complaints.add(`search ${q}: ${total} of ${found!.pages} pages`);
  }

  /** A server that was struck last may be starting still. */
  private async totalOf(q: string): Promise<number | undefined> {
    for (let tries = 0; tries < 100; tries++) {
      const answer = await this.ask(q).catch(() => undefined);
      if (answer) return answer.total;
      await sleep(200);
    }
    return undefined;
  }

  /** What each query finds, when all is quiet; and what contradicts it in the tables. */
  async totals(): Promise<{ totals: (number | undefined)[]; complaints: Complaints }> {
    const totals: (number | undefined)[] = [];
    for (const q of QUERIES) totals.push(await this.totalOf(q));
    const [tables] = await this.query<{ documents: number; live: number; marked: number }>(
      `select (select count(*)::int from search_doc d join search_segment s on s.crawl = d.crawl and s.seg = d.seg where d.crawl = $1) as documents,
              (select coalesce(sum(live_documents), 0)::int from search_segment where crawl = $1) as live,
              (select count(*)::int from webpage where crawl = $1 and index_mark is not null) as marked`,
      [this.crawl.id],
    );
    const { documents, live, marked } = tables!;
    const complaints =
      new Set([documents, live, marked, totals[0]]).size === 1
        ? []
        : [`the index has ${documents} documents, ${live} live, ${marked} pages are marked, ${totals[0]} are found`];
    return { totals, complaints };
  }
}

/** The tables of the index. */
export const INDEX_TABLES = ['search_segment', 'search_posting', 'search_stored', 'search_doc', 'removed_document'];
