/**
 * Searches during a crawl under faults: a result is correct, or there is none. Each hit is a page of the table and occurs
 * once; no request fails with an unexpected status. After the faults the index has every page and gives the results of an
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

/** Every page of the synthetic web has the first in its title; some have the others. */
const EVERY = 'host';
const QUERIES = [EVERY, '"page 1"', 'type:html', '+host +7', 'title:page -7'];
/** Words that exact copies have in common, which URLs and anchors are not: any of them may be the one that stays. */
const QUERIES_OF_COPIES = [EVERY, 'title:"page 1"', 'type:html', '+title:host +title:7', 'title:page -title:7'];
/** Database unavailable, starting, too many requests, nothing indexed yet. */
const EXPECTED = [503, 429, 404, 400];

export class ChaosSearches {
  readonly complaints = new Set<string>();
  answered = 0;
  private ended = false;
  private readonly queries: readonly string[];
  private readonly searching: Promise<void>;

  /** @param url of the current server, which changes with each start */
  constructor(
    private readonly url: () => string,
    private readonly query: FleetQuery,
    private readonly crawl: { id: number; name: string; dedup: boolean },
  ) {
    this.queries = crawl.dedup ? QUERIES_OF_COPIES : QUERIES;
    this.searching = this.search();
  }

  async end(): Promise<void> {
    this.ended = true;
    await this.searching;
  }

  private async search(): Promise<void> {
    for (let n = 0; !this.ended; n++) {
      const q = this.queries[n % this.queries.length]!;
      const answer = await this.ask(q).catch(() => undefined);
      if (answer) await this.judge(q, answer);
      await sleep(40);
    }
  }

  /** Undefined for a failure that a fault explains. Rejects without a response. */
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

  /** The server may still be starting after the last fault. */
  private async totalOf(q: string): Promise<number | undefined> {
    for (let attempts = 0; attempts < 100; attempts++) {
      const answer = await this.ask(q).catch(() => undefined);
      if (answer) return answer.total;
      await sleep(200);
    }
    return undefined;
  }

  /** Totals of each query after the faults, and contradictions to them in the tables. */
  async totals(): Promise<{ totals: (number | undefined)[]; complaints: Complaints }> {
    const totals: (number | undefined)[] = [];
    for (const q of this.queries) totals.push(await this.totalOf(q));
    const [tables] = await this.query<{ documents: number; live: number; marked: number; due: number }>(
      `select (select count(*)::int from search_doc d join search_segment s on s.crawl = d.crawl and s.seg = d.seg where d.crawl = $1) as documents,
              (select coalesce(sum(live_documents), 0)::int from search_segment where crawl = $1) as live,
              (select count(*)::int from webpage where crawl = $1 and index_mark is not null) as marked,
              (select count(*)::int from document_due where crawl = $1) as due`,
      [this.crawl.id],
    );
    const { documents, live, marked, due } = tables!;
    const complaints =
      new Set([documents, live, marked, totals[0]]).size === 1
        ? []
        : [`the index has ${documents} documents, ${live} live, ${marked} pages are marked, ${totals[0]} are found`];
    if (due > 0) complaints.push(`${due} pages still wait for INDEX`);
    return { totals, complaints };
  }
}

/** The tables of the index. */
export const INDEX_TABLES = [
  'search_segment',
  'search_posting',
  'search_stored',
  'search_doc',
  'removed_document',
  'document_due',
];
