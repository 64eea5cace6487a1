/**
 * GENERATE: chooses the pages of the next batch and marks them.
 *
 * Pages that have become due are made selectable; then candidates are read best first, normalized and filtered, and
 * selected or not by the limits of their partition and host, until the batch is full or nothing is left. Reading and
 * marking is one transaction: after a kill there is either a whole batch or none.
 */
import { Injectable } from '@nestjs/common';
import { faultPoint } from '../../db/fault-point.js';
import { type Sql, databaseNow } from '../../db/sql.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { recordBatches } from '../../webpage/batch.store.js';
import { settledFrom } from '../../webpage/exact-ranks.sql.js';
import { MAX_RANK, MIN_RANK, RANK_SLACK } from '../../webpage/rank.sql.js';
import { newBatchId, segmentId } from '../batch-names.js';
import type { Count, Run, Step } from '../step.js';
import type { GenerateArgs } from './generate.args.js';
import { demote, releaseAbandoned, markBatch, promoteDue, recordNewestBatch, withoutMark } from './generate.sql.js';
import { clearUnusedDelays, hasDelays, saveDelays } from './host-numbers.sql.js';
import { RanksLag, refreshRanks } from './refresh-ranks.js';
import { markSeeds } from './freegen-batch.js';
import { Selection, selectionTime, partitionsOf } from './selection.js';

/** Due pages promoted in one transaction. */
const PROMOTE = 20_000;

interface Plan extends Record<string, unknown> {
  parts: number;
  batch: string;
}

/** A batch that was made, and its number of pages. */
interface Batch {
  id: string;
  count: number;
  /** Its name as a segment (1.x). */
  segment: string;
}

interface Warning {
  message: string;
  data?: Record<string, unknown>;
}

/** What one run selected; `warnings`: why it is less than requested although more was due, and faults of the seed list. */
interface MadeBatches extends Record<string, unknown> {
  batches: Batch[];
  warnings: Warning[];
}

@Injectable()
export class GenerateJob implements Step<GenerateArgs> {
  async run(run: Run<GenerateArgs>): Promise<TaskOutcome> {
    const plan = await run.plan(() => makePlan(run));
    if (plan === null) return { reason: 'stopped' };
    const generated = run.progress?.['batches'] ? (run.progress as MadeBatches) : await this.generate(run, plan.batch);
    if (generated === null) return { reason: 'stopped' };
    const { batches, warnings } = generated;
    for (const { message, data } of warnings) await run.warn(message, data);
    const total = batches.reduce((sum, batch) => sum + batch.count, 0);
    return {
      reason: total === 0 ? 'no-urls' : 'done',
      extra: {
        'generate.batch.id': total === 0 ? null : batches[0]!.id,
        'generate.count': total,
        'generate.segment': total === 0 ? null : batches[0]!.segment,
        ...(batches.length > 1
          ? {
              'generate.batch.ids': batches.map(({ id }) => id),
              'generate.segments': batches.map(({ segment }) => segment),
            }
          : {}),
      },
    };
  }

  /** Null when the job was stopped before it marked anything. */
  private async generate(run: Run<GenerateArgs>, batch: string): Promise<MadeBatches | null> {
    const now = await databaseNow(run.pool);
    await this.release(run, now);
    await this.promote(run, now);
    await this.clearDelays(run);
    if (run.stopping.aborted) return null;
    for (let reach = RANK_SLACK; ; reach *= 2) {
      const settled = await settledFrom(run.pool, run.job.crawl);
      try {
        return await run.write(
          (tx, count) => fillBatch(run, tx, count, { batch, now, settledFrom: settled }),
          // An attempt that died after this transaction left a whole batch: the next one must not fill it again.
          (generated) => generated,
        );
      } catch (error) {
        if (!(error instanceof RanksLag)) throw error;
        if (!(await refreshRanks(run, error.rank - reach))) return null;
      }
    }
  }

  /**
   * Releases pages whose batch was not fetched in time, for another batch (1.x: `generate.update.crawldb`,
   * `crawl.gen.delay`).
   */
  private async release(run: Run<GenerateArgs>, now: Date): Promise<void> {
    if (!run.conf['generate.update.crawldb']) return;
    const madeBefore = new Date(selectionTime(run.args, now).getTime() - run.conf['crawl.gen.delay']);
    for (let released = PROMOTE; released === PROMOTE && !run.stopping.aborted;) {
      released = await run.write(async (tx, count) => {
        const n = await releaseAbandoned(tx, run.job.crawl, { madeBefore, now, limit: PROMOTE });
        if (n > 0) count('Generator', 'GIVEN_BACK', n);
        return n;
      });
    }
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

  /**
   * Clears the delays of an expression that is no longer set. While it is set, each batch replaces the delays of its hosts.
   * Before the batch is made: afterwards its hosts would have pages that wait.
   */
  private async clearDelays(run: Run<GenerateArgs>): Promise<void> {
    const { crawl } = run.job;
    if (run.conf['generate.fetch.delay.expr'].trim() !== '' || !(await hasDelays(run.pool, crawl))) return;
    await run.write((tx) => clearUnusedDelays(tx, crawl));
  }
}

async function makePlan(run: Run<GenerateArgs>): Promise<Plan | null> {
  if (!run.args.force && !(await run.lock('GENERATE'))) return null;
  return { parts: 1, batch: run.args.batch ?? (await newBatchId(run.pool)) };
}

interface Filling {
  batch: string;
  now: Date;
  settledFrom: number;
}

/** Fills the batches in the current transaction and records them; empty ones are left out. */
async function fillBatch(
  run: Run<GenerateArgs>,
  tx: Sql,
  count: Count,
  { batch, ...how }: Filling,
): Promise<MadeBatches> {
  const { now } = how;
  const { crawl } = run.job;
  const filled = run.args.freegen
    ? await markListed(run, tx, count, batch)
    : await markSelected(run, tx, count, { batch, ...how });
  run.aborted.throwIfAborted();
  const partitions = partitionsOf(run.args, run.conf);
  const newBatches = [...filled.sizes]
    .filter(([, pages]) => pages > 0)
    .sort(([a], [b]) => a - b)
    .map(([segment, pages]) => ({ id: segmentId(batch, segment), pages, partitions }));
  // Pages whose rank is within a third of the cut are likely to be selected soon.
  const exactFrom = filled.cut === null ? MAX_RANK : Math.max(MIN_RANK, filled.cut - RANK_SLACK);
  if (newBatches.length > 0) await recordNewestBatch(tx, crawl, newBatches[0]!.id, exactFrom);
  const segments = await recordBatches(tx, crawl, newBatches, now);
  const batches = newBatches.map(({ id, pages }, i) => ({ id, count: pages, segment: segments[i]! }));
  return { batches, warnings: filled.warnings };
}

/** The number of pages of each segment, and the rank at which the selection was cut. */
interface Filled {
  sizes: ReadonlyMap<number, number>;
  warnings: Warning[];
  cut: number | null;
}

async function markListed(run: Run<GenerateArgs>, tx: Sql, count: Count, batch: string): Promise<Filled> {
  const { marked, warnings } = await markSeeds(run, tx, count, batch);
  return { sizes: new Map([[0, marked]]), warnings, cut: null };
}

/** Marks the selected pages; its warning says why they are fewer than requested. */
async function markSelected(
  run: Run<GenerateArgs>,
  tx: Sql,
  count: Count,
  { batch, ...how }: Filling,
): Promise<Filled> {
  const { crawl } = run.job;
  const selection = new Selection(
    tx,
    { crawl, conf: run.conf, args: run.args, ...how },
    {
      async take(segment, pages) {
        await faultPoint('generate.selected', tx);
        const id = segmentId(batch, segment);
        const marked = await markBatch(tx, crawl, { batch: id, trace: run.trace }, pages);
        await faultPoint('generate.marked', tx);
        count('Generator', 'GENERATE_MARK', marked);
        return marked === pages.length ? [] : withoutMark(tx, crawl, id, pages);
      },
      early: (pages) => demote(tx, crawl, pages),
      seen: (_page, outcome) => void (outcome !== 'SELECTED' && count('Generator', outcome)),
      enough: () => run.aborted.aborted,
    },
  );
  const sizes = await selection.fill();
  await saveDelays(tx, crawl, selection.delays);
  count('Generator', 'GENERATE_MARK', 0);
  count('Generator', 'PARTITION_NORMALIZED', selection.normalized);
  if (selection.lookedUp > 0) count('Generator', 'NAMES_LOOKED_UP', selection.lookedUp);
  const short = selection.shortBatch();
  return { sizes, warnings: short === null ? [] : [{ message: short }], cut: selection.cut };
}
