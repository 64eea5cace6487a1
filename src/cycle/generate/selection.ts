/**
 * One run through the candidates, best first, until the batch is full or nothing is left.
 *
 * It decides and does not write: what is chosen is handed over, piece by piece. GENERATE marks it; the inspector counts
 * it, and so learns in a transaction that writes nothing what GENERATE would do now.
 */
import type { Conf } from '../../conf/properties.js';
import { BatchSelector } from '../../core/frontier/batch-selector.js';
import { type PageTest, compileExpression } from '../../core/frontier/expression.js';
import { factsOf } from '../../core/frontier/page-facts.js';
import { hostKeyOf, reverseUrl, unreverseUrl } from '../../core/url/row-key.js';
import type { Sql } from '../../db/sql.js';
import { makeScoring } from '../../plugin/scoring.js';
import { type UrlRules, makeUrlRules } from '../../plugin/url-rules.js';
import { Eligibility, type LeftOut } from './eligibility.js';
import type { GenerateArgs } from './generate.args.js';
import {
  type Candidate,
  type CandidateFacts,
  type Selected,
  nextByValue,
  nextCandidates,
  openCandidates,
} from './generate.sql.js';
import { GroupKeys } from './group-keys.js';
import { HostNumbers } from './host-numbers.js';

const DAY_MS = 86_400_000;
/** Candidates asked for at once at least: small reads cost as much as this. */
const FEWEST = 1_000;

/** What became of a candidate. Left out: by itself, by the expression of the job, by the number of its host, by the share of its partition. */
export type Fate = 'SELECTED' | LeftOut | 'EXPR_REJECTED' | 'HOST_LIMIT' | 'PARTITION_LIMIT';

/** Who takes what a selection chooses. */
export interface Taker {
  /** Pages for a segment, in order of choice; answers how many were taken. */
  take(segment: number, pages: Selected[]): Promise<number>;
  /** Pages that are not due after all although they stood among the selectable ones. */
  early(pages: Candidate[]): Promise<void>;
  /** Hears of every candidate that was looked at, in order. */
  seen(page: Candidate, fate: Fate): void;
  /** Whether to end before the batch is full. */
  enough(): boolean;
}

export interface SelectionQuery {
  crawl: number;
  conf: Conf;
  args: GenerateArgs;
  /** The clock of the database. */
  now: Date;
  /** Due pages were not promoted before: those that wait are looked at too. */
  unpromoted?: boolean;
}

/** The clock that says which pages are due. */
export const clockOf = (args: GenerateArgs, now: Date): Date =>
  new Date((args.curTime ?? now.getTime()) + (args.adddays ?? 0) * DAY_MS);

/** Fetch times behind this are a mistake or an old setting: such a page is due now. */
export const beyondOf = (conf: Conf, now: Date): Date =>
  new Date(now.getTime() + conf['db.fetch.interval.max'] * 1_000);

const keyOf = (given: string): string => (given.includes('://') ? reverseUrl(given) : given);

/** The part of the table that the job is held to (C42), in row keys. */
const boundsOf = ({ startKey, endKey }: GenerateArgs): { from?: string; to?: string } => ({
  ...(startKey ? { from: keyOf(startKey) } : {}),
  ...(endKey ? { to: keyOf(endKey) } : {}),
});

export class Selection {
  private readonly topN: number;
  private readonly selector: BatchSelector;
  private readonly eligibility: Eligibility;
  private readonly groups: GroupKeys;
  private readonly hosts: HostNumbers;
  private readonly wanted: PageTest | undefined;
  private readonly rules: UrlRules;
  /** Scoring filters sort, and not by the score alone. */
  private readonly byValue: boolean;
  private leftByPartition = 0;
  /** Candidates that were read but not looked at, because the batch was full. */
  unseen = 0;
  /** URLs that were normalized to be partitioned. */
  normalized = 0;

  constructor(
    private readonly tx: Sql,
    private readonly query: SelectionQuery,
    private readonly taker: Taker,
  ) {
    const { args, conf } = query;
    const topN = args.topN ?? conf['generate.topN'];
    this.topN = topN < 0 ? Infinity : topN;
    const maxCount = conf['generate.max.count'];
    this.selector = new BatchSelector({
      topN: this.topN,
      maxCount: maxCount > 0 ? maxCount : Infinity,
      partitions: args.numFetchers && args.numFetchers > 0 ? args.numFetchers : conf['mapreduce.job.reduces'],
      segments: args.maxNumSegments ?? 1,
      seed: conf['partition.url.seed'],
    });
    const modes = { partition: conf['partition.url.mode'], count: conf['generate.count.mode'] };
    this.groups = new GroupKeys(modes, conf['partition.hosts']);
    this.hosts = new HostNumbers(tx, query.crawl, conf);
    if (args.expr !== undefined) this.wanted = compileExpression(args.expr);
    this.rules = makeUrlRules(conf);
    const scoring = makeScoring(conf);
    this.byValue = !scoring.sortedByScore && !args.noScore;
    this.eligibility = new Eligibility(conf, args, this.rules, scoring);
  }

  /** Chooses, in the present transaction (it needs a cursor); answers the number of pages of each segment. */
  async fill(): Promise<Map<number, number>> {
    const { tx, query, taker } = this;
    const clock = clockOf(query.args, query.now);
    await openCandidates(tx, {
      crawl: query.crawl,
      clock,
      maxWait: query.conf['fetcher.backoff.max.wait'],
      ahead: clock > query.now || (query.unpromoted ?? false),
      sitemap: query.args.sitemap ?? false,
      facts: this.wanted !== undefined,
      metadata: this.byValue,
      byKey: query.args.noScore ?? false,
      ...boundsOf(query.args),
      ...(query.args.notFetchedSince === undefined ? {} : { notFetchedSince: new Date(query.args.notFetchedSince) }),
      ...(query.unpromoted ? { beyond: beyondOf(query.conf, query.now) } : {}),
    });
    const sizes = new Map<number, number>();
    while (!this.full && !taker.enough()) {
      const candidates = await this.next();
      if (candidates.length === 0) break;
      await this.groups.resolve(candidates);
      await this.hosts.meet(candidates);
      for (const [segment, pages] of await this.choose(candidates)) {
        sizes.set(segment, (sizes.get(segment) ?? 0) + (await taker.take(segment, pages)));
      }
    }
    return sizes;
  }

  private next(): Promise<Candidate[]> {
    if (this.byValue) return nextByValue(this.tx, (page) => this.eligibility.valueOf(page));
    const wanted = Math.max(this.topN - this.selector.size, FEWEST);
    return nextCandidates(this.tx, wanted, this.query.args.noScore);
  }

  /** Whether no further page can be taken. */
  get full(): boolean {
    return this.selector.full;
  }

  /** Why the batch has fewer pages than topN although more were due; null when it has not. */
  shortBatch(): string | null {
    const { size, partitions, perPartition } = this.selector;
    if (this.leftByPartition === 0 || size >= this.topN) return null;
    return (
      `${size} of topN ${this.topN} selected: each of ${partitions} partitions (mapreduce.job.reduces, numFetchers) ` +
      `takes at most ${perPartition}, and ${this.leftByPartition} pages were over that`
    );
  }

  /** How long hosts of the batch rest between two pages, ms (`generate.fetch.delay.expr`). */
  get delays(): ReadonlyMap<string, number> {
    return this.hosts.delays;
  }

  /** What `generate.max.count` counts a host by: itself, its domain or its address. */
  countKey(host: string): string {
    return this.groups.countKey(host);
  }

  private async choose(candidates: Candidate[]): Promise<Map<number, Selected[]>> {
    const chosen = new Map<number, Selected[]>();
    const early: Candidate[] = [];
    for (const [at, page] of candidates.entries()) {
      if (this.full || this.taker.enough()) {
        this.unseen = candidates.length - at;
        break;
      }
      const left = this.eligibility.leftOut(page) ?? this.unwanted(page);
      if (left === 'NOT_DUE') early.push(page);
      this.taker.seen(page, left ?? this.place(page, chosen));
    }
    if (early.length > 0) await this.taker.early(early);
    return chosen;
  }

  /** The cursor was opened with the facts of each page where there is an expression. */
  private unwanted(page: Candidate): 'EXPR_REJECTED' | null {
    return this.wanted === undefined || this.wanted(factsOf(page as Candidate & CandidateFacts))
      ? null
      : 'EXPR_REJECTED';
  }

  /**
   * What keeps pages in one partition: that of the host which the URL has after the normalizers of scope `partition`, where
   * they are asked (`partition.url.normalise`). By address it is the page's own host that counts: one lookup a host.
   */
  private partitionKey({ host, key }: Candidate): string {
    const { conf } = this.query;
    if (!conf['partition.url.normalise'] || conf['partition.url.mode'] === 'byIP')
      return this.groups.partitionKey(host);
    this.normalized++;
    const normal = this.rules.normalize(unreverseUrl(key), 'partition');
    return this.groups.partitionKey(normal === null ? host : hostKeyOf(reverseUrl(normal)));
  }

  /** Asks for the page's place and puts it there. */
  private place(page: Candidate, chosen: Map<number, Selected[]>): Fate {
    const group = this.groups.countKey(page.host);
    const choice = this.selector.take(this.partitionKey(page), group, this.hosts.maxCount(group, page.host));
    if ('left' in choice) {
      if (choice.left === 'max-count') return 'HOST_LIMIT';
      this.leftByPartition++;
      return 'PARTITION_LIMIT';
    }
    const pages = chosen.get(choice.segment) ?? [];
    pages.push({ host: page.host, key: page.key, hash: choice.hash });
    chosen.set(choice.segment, pages);
    this.hosts.selected(page.host);
    return 'SELECTED';
  }
}
