/**
 * MERGESEGS: merges several segments into one (Nutch 1.x `SegmentMerger`).
 *
 * A page has its data once, from its last visit, and belongs to the batch of that visit: so the newest data of a page wins
 * without any comparison, and merging batches means assigning their pages to another one. Pages that URL filters, normalizers (if
 * enabled) or plugins of the point SegmentMergeFilter refuse stay in their batch. Only batches that UPDATEDB has closed are
 * merged.
 *
 * Chunks of pages move in a transaction each, with their cursor. After a kill the next attempt continues there; until the end
 * some pages are in the old batches and some in the new one.
 */
import { chunksOf } from '../../core/bounded-chunks.js';
import type { UrlRules } from '../../core/url/url-rules.js';
import { Injectable } from '@nestjs/common';
import type { SegmentMergeFilter } from '../../core/page/merged-page.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { cursorRows } from '../../db/cursor-rows.js';
import { type Sql, databaseNow } from '../../db/sql.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { makeMergeFilter } from '../../plugin/merge-filter.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { isKnownBatch, recordBatches } from '../../webpage/batch.store.js';
import { namesFolder } from '../args.js';
import { newBatchId, segmentId } from '../batch-names.js';
import { ALL } from '../batch-chunks.sql.js';
import { resolveBatches } from '../resolve-batch.js';
import { isStopping, untilHalted } from '../halt.js';
import { refuseUnwritten } from '../require-pages.js';
import { type Count, type Run, type Step, StepError } from '../step.js';
import type { MergeSegsArgs } from './mergesegs.args.js';
import {
  type MergeRow,
  closedBatches,
  findOpen,
  firstGenerated,
  lockMerged,
  moveToBatches,
  pagesOfSegments,
  replaceNewest,
} from './mergesegs.sql.js';
import type { PageKey } from '../../core/page/page-row.js';

/** Pages in one transaction. */
const CHUNK = 1_000;
/** Keys read at once. */
const READ_AHEAD = 20_000;
/** Batches that one job merges. */
const MAX_BATCHES = 1_000;

interface Plan extends Record<string, unknown> {
  parts: number;
  /** The batches that are merged. */
  batches: string[];
  /** The new batch. */
  batch: string;
  generatedAt: string | null;
}

/** The position of the job. */
interface At extends Record<string, unknown> {
  after: PageKey | null;
  merged: number;
  /** Segment names of the new batches. */
  segments: string[];
}

const START: At = { after: null, merged: 0, segments: [] };

@Injectable()
export class MergeSegsJob implements Step<MergeSegsArgs> {
  async run(run: Run<MergeSegsArgs>): Promise<TaskOutcome> {
    const plan = await run.plan(() => makePlan(run));
    if (plan === null) return { reason: 'stopped' };
    const merger = new Merger(run, plan);
    return untilHalted(run, async (signal) => {
      const ended = await this.walk(run, merger, signal);
      const reason = ended ? (merger.at.merged === 0 ? 'no-urls' : 'done') : 'stopped';
      return { reason, extra: merger.newBatches() };
    });
  }

  /** @returns whether it finished: the job was not stopped */
  private async walk(run: Run<MergeSegsArgs>, merger: Merger, signal: AbortSignal): Promise<boolean> {
    const statement = pagesOfSegments(run.job.crawl, merger.plan.batches, merger.at.after);
    for await (const pages of cursorRows<PageKey>(run.pool, statement, READ_AHEAD, signal)) {
      for (const chunk of chunksOf(pages, CHUNK)) {
        if (isStopping(run)) return false;
        await merger.merge(chunk);
      }
    }
    return true;
  }
}

async function makePlan(run: Run<MergeSegsArgs>): Promise<Plan | null> {
  const { args, pool, job } = run;
  await refuseUnwritten(run);
  const isWhole = args.segment?.includes(ALL) ?? namesFolder(args);
  if (args.segment === undefined && !isWhole)
    throw new StepError('name the segments to merge: segment, or segment_dir for all of the crawl', 'ARGS_INVALID');
  if (args.batch !== undefined && (args.batch.startsWith('-') || (await isKnownBatch(pool, job.crawl, args.batch))))
    throw new StepError(`batch "${args.batch}" exists already: the merged batch needs another name`, 'ARGS_INVALID');
  // INDEX reads closed batches, too: none of their pages may leave meanwhile.
  if (!(await run.lock('INDEX'))) return null;
  const batches = isWhole ? await oldestClosed(run) : await resolveBatches(pool, job.crawl, args.segment);
  const open = await findOpen(pool, job.crawl, batches);
  if (open)
    throw new StepError(
      `batch "${open.batch}" has pages that wait for UPDATEDB (${open.pages}): only what it has taken in can be merged`,
      'BATCH_OPEN',
    );
  const generatedAt = (await firstGenerated(pool, job.crawl, batches))?.toISOString() ?? null;
  return { parts: 1, batches, batch: args.batch ?? (await newBatchId(pool)), generatedAt };
}

/** The oldest closed batches of the crawl; warns if there are more than one job merges. */
async function oldestClosed(run: Run<MergeSegsArgs>): Promise<string[]> {
  const batches = await closedBatches(run.pool, run.job.crawl, MAX_BATCHES + 1);
  if (batches.length > MAX_BATCHES)
    await run.warn(
      `the crawl has more than ${MAX_BATCHES} segments: only the oldest ${MAX_BATCHES} are merged; name others in segment`,
    );
  return batches.slice(0, MAX_BATCHES);
}

/** Merges the pages of one job. */
class Merger {
  at: At;
  private readonly keeps: SegmentMergeFilter;
  private readonly rules: UrlRules | null;

  constructor(
    private readonly run: Run<MergeSegsArgs>,
    readonly plan: Plan,
  ) {
    const { filter = false, normalize = false } = run.args;
    this.at = { ...START, ...(run.progress as Partial<At> | null) };
    this.keeps = makeMergeFilter(run.conf);
    this.rules = filter || normalize ? makeUrlRules(run.conf) : null;
  }

  async merge(pages: readonly PageKey[]): Promise<void> {
    this.at = await this.run.write(
      (tx, count) => this.move(tx, pages, count),
      (at) => at,
    );
  }

  /** The new batches, for the result of the job. */
  newBatches(): Record<string, unknown> {
    const { segments } = this.at;
    return { 'merge.batch.ids': segments.map((_, n) => segmentId(this.plan.batch, n)), 'merge.segments': segments };
  }

  private async move(tx: Sql, pages: readonly PageKey[], count: Count): Promise<At> {
    const { crawl } = this.run.job;
    const { batches } = this.plan;
    const slice = this.run.args.slice ?? Number.MAX_SAFE_INTEGER;
    const locked = await lockMerged(tx, crawl, { pages, batches });
    const kept = locked.filter((page) => this.isKept(page, count));
    const numbered = kept.map(({ host, key }, n) => ({ host, key, number: Math.floor((this.at.merged + n) / slice) }));
    count('SegmentMerger', 'merged', kept.length);
    const segments = [...this.at.segments];
    if (kept.length > 0) {
      await moveToBatches(
        tx,
        crawl,
        numbered.map(({ number, ...page }) => ({ ...page, batch: segmentId(this.plan.batch, number) })),
      );
      const sizes = new Map<number, number>();
      for (const { number } of numbered) sizes.set(number, (sizes.get(number) ?? 0) + 1);
      for (const [number, segment] of await this.record(tx, sizes)) segments[number] = segment;
      await replaceNewest(tx, crawl, { batches, by: segmentId(this.plan.batch, numbered.at(-1)!.number) });
    }
    return { after: pages.at(-1)!, merged: this.at.merged + kept.length, segments };
  }

  private isKept(page: MergeRow, count: Count): boolean {
    const refused = this.refusal(page);
    if (refused !== null) count('SegmentMerger', refused);
    return refused === null;
  }

  /** The counter of a page that stays in its batch; null: it is merged. */
  private refusal({ host: _host, key, fetchTime, metadata, ...page }: MergeRow): string | null {
    const { filter = false, normalize = false } = this.run.args;
    const url = unreverseUrl(key);
    if (this.rules !== null) {
      const admitted = this.rules.admit(url, 'default', { filter, normalize });
      if ('rejected' in admitted) return 'urls_filtered';
      if (admitted.url !== url) return 'urls_normalized';
    }
    return this.keeps({ ...page, url, fetchTime: fetchTime.getTime(), metadata: metadata ?? {} })
      ? null
      : 'pages_filtered';
  }

  /** Records the batches with as many further pages each. @returns their segment names by number */
  private async record(tx: Sql, sizes: ReadonlyMap<number, number>): Promise<[number, string][]> {
    const { batch, generatedAt } = this.plan;
    const newBatches = [...sizes].map(([number, pages]) => ({
      id: segmentId(batch, number),
      pages,
      partitions: 1,
      segnum: number + 1,
      ...(generatedAt !== null && { generatedAt: new Date(generatedAt) }),
    }));
    const names = await recordBatches(tx, this.run.job.crawl, newBatches, await databaseNow(tx));
    return [...sizes.keys()].map((number, n) => [number, names[n]!]);
  }
}
