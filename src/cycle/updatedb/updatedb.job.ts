/**
 * UPDATEDB: closes a batch and updates the table with its results.
 *
 * Each partition reads its range of the batch in chunks of source pages; one transaction a chunk (update-chunk.ts).
 */
import { chunksOf } from '../../core/bounded-chunks.js';
import type { BatchCursor } from '../../core/frontier/batch-cursor.js';
import { Injectable } from '@nestjs/common';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { makeScoring } from '../../plugin/scoring-filters.js';
import { expectLag } from '../../webpage/exact-ranks.sql.js';
import { ALL, batchSize, batchesWithPages } from '../batch-chunks.sql.js';
import { refuseUnwritten } from '../require-pages.js';
import { leftBatches } from '../left-batches.sql.js';
import { resolveBatches } from '../resolve-batch.js';
import { isStopping } from '../halt.js';
import type { Run, Step } from '../step.js';
import { closeTable, hasClosing } from './after-update.js';
import { purgeAll } from './purge.js';
import { writeNaming } from '../write-bisecting.js';
import { ChunkUpdate } from './update-chunk.js';
import type { UpdateDbArgs } from './updatedb.args.js';
import { nextSources } from './updatedb.sql.js';

/**
 * Source pages in one transaction: some fifty thousand outlinks. The larger it is, the less often the pages to which all
 * others link are written.
 */
const CHUNK = 2_000;

/**
 * Keys read at once, and sorted by host: pages of a site link to the same pages, so each of these is written
 * once a chunk and not in every chunk.
 */
const READ_AHEAD = 100_000;

/** Batches with fewer pages are done by one task. */
const WORTH_A_TASK = 2_000;

interface Plan extends Record<string, unknown> {
  parts: number;
  batches: string[];
  selected: number;
}

@Injectable()
export class UpdateDbJob implements Step<UpdateDbArgs> {
  async run(run: Run<UpdateDbArgs>): Promise<TaskOutcome> {
    const plan = await run.plan(() => makePlan(run));
    if (plan === null) return { reason: 'stopped' };
    const scoring = makeScoring(run.conf);
    const update = new ChunkUpdate(run, scoring, plan.parts);
    const unparsed = { pages: 0 };
    for (const batch of plan.batches) {
      if (!(await this.updateBatch(run, update, { batch, parts: plan.parts, unparsed }))) return { reason: 'stopped' };
    }
    if (unparsed.pages > 0) await run.warn(unparsedWarning(unparsed.pages));
    await update.addPending(null);
    // Contributions may be left: the next attempt adds them.
    if (run.stopping.aborted) return { reason: 'stopped' };
    if (hasClosing(run.conf, scoring) && !(await closeTable(run, scoring))) return { reason: 'stopped' };
    return { reason: plan.selected === 0 ? 'no-urls' : 'done' };
  }

  /** Closes the pages of a batch that belong to this partition. @returns whether it finished: the job was not stopped */
  private async updateBatch(
    run: Run<UpdateDbArgs>,
    update: ChunkUpdate,
    { batch, parts, unparsed }: { batch: string; parts: number; unparsed: { pages: number } },
  ): Promise<boolean> {
    const fetchedOnly = run.args.ofCrawl === 'fetched';
    const query = { crawl: run.job.crawl, batch, part: run.part, parts, limit: READ_AHEAD, fetchedOnly };
    for (let cursor: BatchCursor | undefined; ;) {
      if (isStopping(run)) return false;
      const pages = await nextSources(run.pool, query, cursor);
      if (pages.length === 0) return true;
      const last = pages.at(-1)!;
      cursor = { mark: last.mark, hash: last.hash, key: last.key };
      pages.sort((a, b) => (a.key < b.key ? -1 : 1));
      for (const chunk of chunksOf(pages, CHUNK)) {
        if (isStopping(run)) return false;
        await writeNaming(chunk, async (portion) => {
          unparsed.pages += await run.write((tx, count) => update.chunk(tx, portion, count));
        });
      }
      await update.addPending(run.part);
    }
  }
}

/** PARSE does not read pages of closed batches, except with `-reparse`; and UPDATEDB does not see the links that this finds. */
const unparsedWarning = (pages: number): string =>
  `Pages that were fetched but not parsed: ${pages}. Their links are unknown until their next visit. Run PARSE before UPDATEDB, or FETCH with parse.`;

async function makePlan(run: Run<UpdateDbArgs>): Promise<Plan | null> {
  if (!(await run.lock('UPDATEDB'))) return null;
  const { pool, job } = run;
  await refuseUnwritten(run);
  await expectLag(pool, job.crawl);
  const batches = await batchesToUpdate(run);
  // Enough to know whether there is anything, and whether for all workers.
  const enough = WORTH_A_TASK * run.workers;
  const sizes = await Promise.all(batches.map((batch) => batchSize(pool, job.crawl, [batch], { max: enough })));
  const selected = sizes.reduce((sum, n) => sum + n, 0);
  // Before the first chunk of any partition: links to these pages contribute nothing, in any partition.
  if (run.conf['db.update.purge.404'] && !(await purgeAll(run, 'gone'))) return null;
  const alone = hasClosing(run.conf, makeScoring(run.conf));
  const parts = alone ? 1 : Math.max(1, Math.min(run.workers, Math.ceil(selected / WORTH_A_TASK)));
  return { parts, batches, selected };
}

/**
 * The batches of a job: those named, or those that its crawl has open. UPDATEDB takes pages out of their batch, so of the
 * thousands that a continuous crawl of some days has open, most are empty, and are not looked at.
 */
async function batchesToUpdate({ args, pool, job, batches }: Run<UpdateDbArgs>): Promise<string[]> {
  if (args.ofCrawl === 'left') return (await leftBatches(pool, job)).map(({ batch }) => batch);
  if (args.ofCrawl && batches) {
    const withPages = await batchesWithPages(pool, job.crawl, { visited: args.ofCrawl === 'fetched' });
    const open = await batches.among(withPages);
    return withPages.filter((batch) => open.has(batch));
  }
  const named = args.batch === undefined ? (args.segment ?? [ALL]) : [args.batch];
  return named.includes(ALL)
    ? batchesWithPages(pool, job.crawl, { visited: true })
    : resolveBatches(pool, job.crawl, named);
}
