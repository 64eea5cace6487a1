/**
 * One run through the candidates, best first, until the batch is full or nothing is left.
 *
 * It decides and does not write: selected pages are passed to a sink, in chunks. GENERATE marks them; the inspector counts
 * them, and so finds in a transaction that writes nothing what GENERATE would select now.
 */
import { DAY_MS } from '../../core/day.js';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Conf } from '../../core/conf/properties.js';
import { BatchSelector } from '../../core/frontier/batch-selector.js';
import { type PageTest, compileExpression } from '../../core/frontier/expression.js';
import { factsOf } from '../../core/frontier/page-variables.js';
import { type Sql, keepAlive } from '../../db/sql.js';
import { makeScoring } from '../../plugin/scoring-filters.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { ExcludedHosts } from '../../politeness/excluded-hosts.js';
import { boundOf } from '../../core/url/key-range.js';
import { rankBelow } from '../../webpage/rank.sql.js';
import { atPage } from '../page-error.js';
import { Eligibility, type LeftOut } from '../../core/frontier/eligibility.js';
import type { GenerateArgs } from './generate.args.js';
import {
  type Candidate,
  type CandidateFacts,
  type CandidateQuery,
  CandidateWalk,
  type Refused,
  closeCandidates,
} from './candidates.sql.js';
import type { Selected } from './generate.sql.js';
import { GroupKeys } from './group-keys.js';
import { ChunkSender } from './chunk-sender.js';
import { HostNumbers } from './host-numbers.js';
import { PartitionKeys } from './partition-keys.js';

/** Candidates processed in one tick of the event loop. Between two ticks queries to PostgreSQL continue. */
const PER_ITERATION = 500;

/**
 * The outcome for a candidate. Left out: by itself, by the expression of the job, by the limit of its host, by the limit of
 * its partition.
 */
export type SelectionOutcome = 'SELECTED' | LeftOut | 'EXPR_REJECTED' | 'HOST_LIMIT' | 'PARTITION_LIMIT';

/** Outcomes that all later pages of the host share. */
const HOST_EXHAUSTED: ReadonlySet<SelectionOutcome> = new Set(['HOST_LIMIT', 'HOST_DRAINED', 'HOST_BLOCKED']);

/** What gives scope `generate_host_count` normalizers of its own. */
const COUNT_SCOPE = [
  'urlnormalizer.regex.rules.generate_host_count',
  'urlnormalizer.regex.file.generate_host_count',
  'urlnormalizer.scope.generate_host_count',
] as const;

export interface SelectionSink {
  /** Receives pages of a segment, in the order of selection; returns those that another job has taken meanwhile. */
  take(segment: number, pages: Selected[]): Promise<Selected[]>;
  /** Receives pages that are not due after all although they were selectable. */
  early(pages: Candidate[]): Promise<void>;
  /** Called with every candidate that was processed, in order. */
  seen(page: Candidate, outcome: SelectionOutcome): void;
  /** Whether to end before the batch is full. */
  enough(): boolean;
}

export interface SelectionQuery {
  crawl: number;
  conf: Conf;
  args: GenerateArgs;
  now: Date;
  /** Ranks from here on match their scores; when the selection reaches others, it throws RanksLag. */
  settledFrom?: number;
  /** Due pages were not promoted before: waiting pages are read too. */
  unpromoted?: boolean;
}

/** The number of partitions of a batch. */
export const partitionsOf = ({ numFetchers = 0 }: GenerateArgs, conf: Conf): number =>
  numFetchers > 0 ? numFetchers : conf['mapreduce.job.reduces'];

/** The time by which pages are due. */
export const selectionTime = (args: GenerateArgs, now: Date): Date =>
  new Date((args.curTime ?? now.getTime()) + (args.adddays ?? 0) * DAY_MS);

/** Fetch times after this are a mistake or an old setting: such a page is due now. */
export const beyondOf = (conf: Conf, now: Date): Date =>
  new Date(now.getTime() + conf['db.fetch.interval.max'] * 1_000);

/** The part of the table that the job is limited to, in row keys. */
const boundsOf = ({ startKey, endKey }: GenerateArgs): { from?: string; to?: string } => ({
  ...(startKey ? { from: boundOf(startKey) } : {}),
  ...(endKey ? { to: boundOf(endKey) } : {}),
});

export class Selection {
  private readonly topN: number;
  /** Whether not all selectable pages may fit: then their order matters. */
  private readonly isLimited: boolean;
  private readonly selector: BatchSelector;
  private readonly eligibility: Eligibility;
  private readonly groups: GroupKeys;
  private readonly partitions: PartitionKeys;
  private readonly hosts: HostNumbers;
  private readonly excluded: ExcludedHosts;
  private readonly sender: ChunkSender;
  private readonly expr: PageTest | undefined;
  /** Scope `generate_host_count` has normalizers of its own. By address it is always the page's own host that counts. */
  private readonly recounts: boolean;
  /** Scoring filters sort, and not by the score alone. */
  private readonly byValue: boolean;
  /** The refused pages of the current chunk. */
  private refused: Refused = { full: new Set(), pages: 0 };
  private leftByPartition = 0;
  private lastScore = 0;
  /** Chosen pages that another job has taken meanwhile. */
  private takenByOthers = 0;
  /** Candidates that were read but not processed, because the batch was full. */
  unseen = 0;

  constructor(
    private readonly tx: Sql,
    private readonly query: SelectionQuery,
    private readonly sink: SelectionSink,
  ) {
    const { args, conf } = query;
    const segments = args.maxNumSegments ?? 1;
    const topN = args.topN ?? conf['generate.topN'];
    this.topN = topN < 0 ? Infinity : topN * (conf['generate.topN.per.segment'] ? segments : 1);
    const maxCount = conf['generate.max.count'];
    this.isLimited = this.topN < Infinity || maxCount > 0 || conf['generate.max.count.expr'] !== '';
    this.selector = new BatchSelector({
      topN: this.topN,
      maxCount: maxCount > 0 ? maxCount : Infinity,
      partitions: partitionsOf(args, conf),
      segments,
      seed: conf['partition.url.seed'],
    });
    const modes = { partition: conf['partition.url.mode'], count: conf['generate.count.mode'] };
    this.groups = new GroupKeys(modes, conf['partition.hosts']);
    this.hosts = new HostNumbers(tx, query.crawl, conf);
    const waits = { maxWaitS: conf['fetcher.backoff.max.wait'], maxBackOffS: conf['fetcher.backoff.max'] };
    this.excluded = new ExcludedHosts(tx, query.crawl, waits);
    this.sender = new ChunkSender(
      (segment, pages) => sink.take(segment, pages),
      (segment, { group, hash }) => {
        this.takenByOthers++;
        this.selector.giveBack(group!, { segment, hash });
      },
    );
    if (args.expr !== undefined) this.expr = compileExpression(args.expr);
    const rules = makeUrlRules(conf);
    this.partitions = new PartitionKeys(this.groups, rules, conf);
    this.recounts =
      conf['generate.count.mode'].toLowerCase() !== 'ip' && COUNT_SCOPE.some((name) => conf[name].length > 0);
    const scoring = makeScoring(conf);
    this.byValue = !scoring.sortedByScore && !args.noScore;
    this.eligibility = new Eligibility(conf, args, rules, scoring.sortValue);
  }

  /**
   * Selects, in the current transaction (it needs a cursor); returns the number of pages of each segment. If another job
   * has taken some of the selected pages meanwhile (`force`) it selects again, from the remaining ones.
   */
  async fill(): Promise<ReadonlyMap<number, number>> {
    for (;;) {
      const { takenByOthers } = this;
      await this.fillOnce();
      if (this.takenByOthers === takenByOthers || this.sink.enough()) return this.sender.sizes;
      await closeCandidates(this.tx);
    }
  }

  private async fillOnce(): Promise<void> {
    const { tx, query, sink } = this;
    const walk = new CandidateWalk(tx, this.candidates(), {
      maxWaitS: query.conf['fetcher.backoff.max.wait'],
      maxBackOffS: query.conf['fetcher.backoff.max'],
      ...(this.isLimited && query.settledFrom !== undefined && { settledFrom: query.settledFrom }),
      ...(this.byValue ? { sortBy: (page: Candidate) => this.eligibility.valueOf(page) } : {}),
    });
    await walk.open();
    while (!this.full && !sink.enough()) {
      const chunk = await walk.next(this.topN - this.selector.size);
      if (chunk.length === 0) break;
      await this.groups.resolve(tx, chunk, () => sink.enough());
      await this.hosts.load(chunk);
      await this.excluded.judge(chunk);
      this.refused = { full: new Set(), pages: 0 };
      await this.choose(chunk, walk);
      if (!this.full) await walk.skipHosts(chunk.length, this.refused);
    }
    await this.sender.finish();
  }

  private candidates(): CandidateQuery {
    const { args, conf, crawl, now, unpromoted } = this.query;
    const curTime = selectionTime(args, now);
    return {
      crawl,
      curTime,
      ahead: curTime > now || (unpromoted ?? false),
      sitemap: args.sitemap ?? false,
      facts: this.expr !== undefined,
      metadata: this.byValue,
      byKey: args.noScore ?? false,
      ...boundsOf(args),
      ...(args.notFetchedSince === undefined ? {} : { notFetchedSince: new Date(args.notFetchedSince) }),
      ...(unpromoted ? { beyond: beyondOf(conf, now) } : {}),
    };
  }

  /** Whether no further page can be taken. */
  get full(): boolean {
    return this.selector.isComplete;
  }

  /** The rank at which the next batch will probably end: that of the last page processed; null if all pages fitted. */
  get cut(): number | null {
    return this.isLimited && this.full && this.selector.size > 0 ? rankBelow(this.lastScore) : null;
  }

  /** Why the batch has fewer pages than topN although more were due; null if it has not. */
  shortBatch(): string | null {
    const { size, partitions, perPartition } = this.selector;
    if (this.leftByPartition === 0 || size >= this.topN) return null;
    return (
      `${size} of topN ${this.topN} selected: each of ${partitions} partitions (mapreduce.job.reduces, numFetchers) ` +
      `takes at most ${perPartition}, and ${this.leftByPartition} pages were over that`
    );
  }

  /** Delays of the hosts of the batch between two pages, ms (`generate.fetch.delay.expr`); null: none by the expression. */
  get delays(): ReadonlyMap<string, number | null> {
    return this.hosts.delays;
  }

  /** URLs that were normalized to be partitioned. */
  get normalized(): number {
    return this.partitions.normalized;
  }

  /** Names that were looked up, to partition or to count by address. */
  get lookedUp(): number {
    return this.groups.lookedUp;
  }

  /**
   * The key by which `generate.max.count` counts a page: that of its host, domain or address. The host is the one in the URL as
   * the normalizers of scope `generate_host_count` write it, if that scope has any of its own: those of all scopes have written
   * the row key.
   */
  countKey(page: { host: string; key: string }): string {
    return this.groups.countKey(this.recounts ? this.eligibility.countedHost(page) : page.host);
  }

  /** Whether `generate.max.count` leaves out every further page that counts for the same host as this one. */
  isFull(page: { host: string; key: string }): boolean {
    return this.selector.isGroupFull(this.countKey(page));
  }

  private async choose(chunk: Candidate[], walk: CandidateWalk): Promise<void> {
    this.unseen = 0;
    for (let from = 0; from < chunk.length; from += PER_ITERATION) {
      const early: Candidate[] = [];
      for (const [at, page] of chunk.slice(from, from + PER_ITERATION).entries()) {
        if (this.full || this.sink.enough()) {
          this.unseen = chunk.length - from - at;
          break;
        }
        walk.check(page);
        this.lastScore = page.score;
        const left = atPage(page.key, () => this.eligibility.leftOut(page) ?? this.unwanted(page));
        if (left === 'NOT_DUE') early.push(page);
        const outcome = left ?? atPage(page.key, () => this.take(page));
        // Where normalizers decide for what host a page counts, others of its own host may be below a limit.
        const isOfHost = outcome !== 'HOST_LIMIT' || !this.recounts;
        if (HOST_EXHAUSTED.has(outcome) && isOfHost) this.refused.pages++;
        if (outcome === 'HOST_LIMIT' && isOfHost) this.refused.full.add(page.host);
        this.sink.seen(page, outcome);
      }
      if (early.length > 0) await this.sink.early(early);
      await this.sender.sendFull();
      if (this.unseen > 0) return;
      await (this.sender.busy ? nextIteration() : keepAlive(this.tx));
    }
  }

  /** If there is an expression, the cursor was opened with the facts of each page. */
  private unwanted(page: Candidate): 'EXPR_REJECTED' | null {
    return this.expr === undefined || this.expr(factsOf(page as Candidate & CandidateFacts)) ? null : 'EXPR_REJECTED';
  }

  /** Adds the page to a partition of a segment, unless a limit is reached. */
  private take(page: Candidate): SelectionOutcome {
    const group = this.countKey(page);
    const choice = this.selector.take(this.partitions.keyOf(page), group, this.hosts.maxCount(group, page.host));
    if ('left' in choice) {
      if (choice.left === 'max-count') return 'HOST_LIMIT';
      this.leftByPartition++;
      return 'PARTITION_LIMIT';
    }
    this.sender.add(choice.segment, { host: page.host, key: page.key, hash: choice.hash, group });
    this.hosts.selected(page.host);
    return 'SELECTED';
  }
}
