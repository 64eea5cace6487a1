/**
 * GENERATE: chooses the pages of the next batch and marks them.
 *
 * What the clock has passed becomes selectable; then candidates are read best first, normalized and filtered, and
 * taken or left by the limits of their partition and host, until the batch is full or nothing is left. Reading and
 * marking is one transaction: after a kill there is either a whole batch or none.
 */
import { randomInt } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { statusCode } from '../../core/page/page-status.js';
import { BatchSelector } from '../../core/frontier/batch-selector.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { type Sql, row, sql } from '../../db/sql.js';
import type { TaskOutcome } from '../../job/job-row.js';
import { type UrlRules, makeUrlRules } from '../../plugin/url-rules.js';
import type { Count, Run, Step } from '../step.js';
import type { GenerateArgs } from './generate.args.js';
import {
  type Candidate,
  type Selected,
  demote,
  markBatch,
  nextCandidates,
  openCandidates,
  promoteDue,
  rememberBatch,
} from './generate.sql.js';
import { GroupKeys } from './group-keys.js';

const DAY_MS = 86_400_000;
/** Candidates asked for at once at least: small reads cost as much as this. */
const FEWEST = 1_000;
/** Due pages promoted in one transaction. */
const PROMOTE = 20_000;

interface Plan extends Record<string, unknown> {
  parts: number;
  batch: string;
}

/** A batch that was made, and how many pages it has. */
interface Batch {
  id: string;
  count: number;
}

/** What one run selected; `warning` says why it is less than was asked for although more was due. */
interface Made extends Record<string, unknown> {
  batches: Batch[];
  warning: string | null;
}

@Injectable()
export class GenerateJob implements Step<GenerateArgs> {
  async run(run: Run<GenerateArgs>): Promise<TaskOutcome> {
    const plan = await run.plan(() => makePlan(run));
    if (plan === null) return { reason: 'stopped' };
    const made = run.progress?.['batches'] ? (run.progress as Made) : await this.generate(run, plan.batch);
    if (made === null) return { reason: 'stopped' };
    const { batches, warning } = made;
    if (warning) await run.warn(warning);
    const total = batches.reduce((sum, batch) => sum + batch.count, 0);
    return {
      reason: total === 0 ? 'no-urls' : 'done',
      extra: {
        'generate.batch.id': total === 0 ? null : batches[0]!.id,
        'generate.count': total,
        ...(batches.length > 1 ? { 'generate.batch.ids': batches.map(({ id }) => id) } : {}),
        ...(warning ? { warnings: [warning] } : {}),
      },
    };
  }

  /** Null when the job was stopped before it marked anything. */
  private async generate(run: Run<GenerateArgs>, batch: string): Promise<Made | null> {
    const now = await databaseNow(run);
    await this.promote(run, now);
    if (run.stopping.aborted) return null;
    return run.write(
      (tx, count) => new Selection(run, tx, count, now).fill(batch),
      // An attempt that died after this transaction left a whole batch: the next one must not fill it again.
      (made) => made,
    );
  }

  private async promote(run: Run<GenerateArgs>, now: Date): Promise<void> {
    const maxInterval = run.conf['db.fetch.interval.max'];
    for (let promoted = PROMOTE; promoted === PROMOTE && !run.stopping.aborted;) {
      promoted = await run.write(async (tx, count) => {
        const n = await promoteDue(tx, run.job.crawl, { now, maxInterval, limit: PROMOTE });
        if (n > 0) count('Generator', 'BECAME_DUE', n);
        return n;
      });
    }
  }
}

async function makePlan(run: Run<GenerateArgs>): Promise<Plan | null> {
  if (!run.args.force && !(await run.lock('GENERATE'))) return null;
  return { parts: 1, batch: run.args.batch ?? (await newBatchId(run)) };
}

/** `<epoch seconds>-<positive random int>`, as Nutch makes it. */
async function newBatchId(run: Run): Promise<string> {
  return `${Math.floor((await databaseNow(run)).getTime() / 1000)}-${randomInt(1, 2 ** 31 - 1)}`;
}

async function databaseNow(run: Run): Promise<Date> {
  return (await row<{ now: Date }>(run.pool, sql`select now() as now`))!.now;
}

/** One run through the candidates, inside the transaction that marks them. */
class Selection {
  private readonly selector: BatchSelector;
  private readonly rules: UrlRules;
  private readonly groups: GroupKeys;
  private readonly clock: Date;
  private readonly normalize: boolean;
  private readonly filter: boolean;
  private readonly topN: number;
  private leftByPartition = 0;

  constructor(
    private readonly run: Run<GenerateArgs>,
    private readonly tx: Sql,
    private readonly count: Count,
    private readonly now: Date,
  ) {
    const { args, conf } = run;
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
    this.rules = makeUrlRules(conf);
    this.clock = new Date((args.curTime ?? now.getTime()) + (args.adddays ?? 0) * DAY_MS);
    this.normalize = args.normalize ?? (args.noNorm ? false : conf['generate.normalise']);
    this.filter = args.filter ?? (args.noFilter ? false : conf['generate.filter']);
  }

  /** Marks the batch (and further segments); answers their ids and sizes, empty ones left out. */
  async fill(batch: string): Promise<Made> {
    const { tx, run } = this;
    const ahead = this.clock > this.now;
    await openCandidates(tx, { crawl: run.job.crawl, clock: this.clock, ahead, sitemap: run.args.sitemap ?? false });
    const sizes = new Map<number, number>();
    while (!this.selector.full && !run.aborted.aborted) {
      const candidates = await nextCandidates(tx, Math.max(this.topN - this.selector.size, FEWEST));
      if (candidates.length === 0) break;
      await this.groups.resolve(candidates);
      for (const [segment, pages] of await this.choose(candidates)) {
        const marked = await markBatch(tx, run.job.crawl, segmentId(batch, segment), pages);
        sizes.set(segment, (sizes.get(segment) ?? 0) + marked);
        this.count('Generator', 'GENERATE_MARK', marked);
      }
    }
    run.aborted.throwIfAborted();
    const made = [...sizes]
      .sort(([a], [b]) => a - b)
      .map(([segment, n]) => ({ id: segmentId(batch, segment), count: n }));
    if (made.length > 0) await rememberBatch(tx, run.job.crawl, made[0]!.id);
    return { batches: made, warning: this.shortBatch() };
  }

  /** Why the batch has fewer pages than topN although more were due; null when it has not. */
  private shortBatch(): string | null {
    const { size, partitions, perPartition } = this.selector;
    if (this.leftByPartition === 0 || size >= this.topN) return null;
    return (
      `${size} of topN ${this.topN} selected: each of ${partitions} partitions (mapreduce.job.reduces, numFetchers) ` +
      `takes at most ${perPartition}, and ${this.leftByPartition} pages were over that`
    );
  }

  private async choose(candidates: Candidate[]): Promise<Map<number, Selected[]>> {
    const chosen = new Map<number, Selected[]>();
    const early: Candidate[] = [];
    for (const page of candidates) {
      if (this.selector.full) break;
      const left = this.leftOut(page);
      if (left !== null) {
        this.count('Generator', left);
        if (left === 'NOT_DUE') early.push(page);
        continue;
      }
      const choice = this.selector.take(this.groups.partitionKey(page.host), this.groups.countKey(page.host));
      if ('left' in choice) {
        this.count('Generator', choice.left === 'max-count' ? 'HOST_LIMIT' : 'PARTITION_LIMIT');
        if (choice.left === 'top-n') this.leftByPartition++;
        continue;
      }
      const pages = chosen.get(choice.segment) ?? [];
      pages.push({ host: page.host, key: page.key, hash: choice.hash });
      chosen.set(choice.segment, pages);
    }
    if (early.length > 0) await demote(this.tx, this.run.job.crawl, early);
    return chosen;
  }

  /** The counter that says why a candidate is left out before its place is asked for, or null. */
  private leftOut(page: Candidate): string | null {
    const { conf } = this.run;
    if (!page.due) return 'NOT_DUE';
    const maxDistance = conf['generate.max.distance'];
    if (maxDistance >= 0 && page.distance > maxDistance) return 'DISTANCE';
    if (page.score < conf['generate.min.score']) return 'SCORE_TOO_LOW';
    const wanted = conf['generate.restrict.status'];
    if (wanted && statusCode(wanted) !== page.status) return 'STATUS_REJECTED';
    const minInterval = conf['generate.min.interval'];
    if (minInterval >= 0 && page.fetchInterval > minInterval) return 'INTERVAL_REJECTED';
    return this.refused(page) ? 'URL_FILTERS_REJECTED' : null;
  }

  private refused(page: Candidate): boolean {
    if (!this.normalize && !this.filter) return false;
    const url = unreverseUrl(page.key);
    return (
      'rejected' in this.rules.admit(url, 'generate_host_count', { normalize: this.normalize, filter: this.filter })
    );
  }
}

const segmentId = (batch: string, segment: number): string => (segment === 0 ? batch : `${batch}-${segment + 1}`);
