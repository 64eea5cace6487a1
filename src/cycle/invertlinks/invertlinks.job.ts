/**
 * INVERTLINKS: from the links out of pages to the links into them, with their anchors (Nutch 1.x `LinkDb`).
 *
 * UPDATEDB has stored the inlinks of its batch already, by the properties `db.*`. This job reads the pages of one batch,
 * of several, or of all, before or after their UPDATEDB, and applies the rules of 1.x: `linkdb.*`, and the present URL rules in
 * the scope `linkdb`. It merges with the existing inlinks. Each partition reads its pages in chunks: one transaction stores the
 * inlinks of a chunk, the next one deletes the surplus and stores the cursor, from which the next attempt continues. A
 * repeated chunk adds nothing.
 */
import { chunksOf } from '../../core/bounded-chunks.js';
import type { UrlRules } from '../../core/url/url-rules.js';
import { Injectable } from '@nestjs/common';
import { reverseUrl, unreverseUrl } from '../../core/url/row-key.js';
import { cursorRows } from '../../db/cursor-rows.js';
import type { Sql } from '../../db/sql.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import type { PageKey } from '../../core/page/page-row.js';
import { linksInDocuments } from '../../plugin/indexing-filters.js';
import { recordDue } from '../../webpage/document-due.store.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { namesFolder } from '../args.js';
import { ALL } from '../batch-chunks.sql.js';
import { resolveBatches } from '../resolve-batch.js';
import { type Linking, lockRelinked, removeFormerInlinks } from '../former-links.sql.js';
import { capInlinks } from '../inlinks.sql.js';
import { isStopping, untilHalted } from '../halt.js';
import type { Count, Run, Step } from '../step.js';
import { judgeLinks } from '../filter-links.js';
import type { InvertLinksArgs } from './invertlinks.args.js';
import {
  type InvertOptions,
  type Linker,
  countLinkers,
  invertLinks,
  linkersOf,
  nextLinkers,
} from './invertlinks.sql.js';

/** Pages in one transaction. */
const CHUNK = 1_000;
/** Keys read at once. */
const READ_AHEAD = 20_000;
/** Batches with fewer pages are done by one task. */
const WORTH_A_TASK = 5_000;

interface Plan extends Record<string, unknown> {
  parts: number;
  batches: string[];
}

/** The position of a partition: the batch, and the last page in the order of hosts and keys. */
interface At extends Record<string, unknown> {
  batch: number;
  behind: Linker | null;
}

/** A chunk whose inlinks are stored. */
interface Stored {
  pages: number;
  filtered: number;
  links: number;
  /** Pages that may have too many inlinks now. */
  linked: { host: string; key: string }[];
}

@Injectable()
export class InvertLinksJob implements Step<InvertLinksArgs> {
  async run(run: Run<InvertLinksArgs>): Promise<TaskOutcome> {
    const plan = await run.plan(() => makePlan(run));
    if (plan === null) return { reason: 'stopped' };
    if (plan.batches.length === 0) return { reason: 'no-urls' };
    return untilHalted(run, (signal) => this.invert(run, plan, signal));
  }

  private async invert(run: Run<InvertLinksArgs>, plan: Plan, signal: AbortSignal): Promise<TaskOutcome> {
    const inverter = new Inverter(run);
    const begun = run.progress as At | null;
    for (let batch = begun?.batch ?? 0; batch < plan.batches.length; batch++) {
      if (run.stopping.aborted) return { reason: 'stopped' };
      const behind = begun?.batch === batch ? (begun.behind ?? undefined) : undefined;
      for await (const pages of linkers(run, plan, { batch, behind, signal })) {
        if (!(await this.invertPages(run, inverter, { batch, pages }))) return { reason: 'stopped' };
      }
    }
    return { reason: 'done' };
  }

  /** @returns whether it finished: the job was not stopped */
  private async invertPages(
    run: Run<InvertLinksArgs>,
    inverter: Inverter,
    { batch, pages }: { batch: number; pages: Linker[] },
  ): Promise<boolean> {
    for (const chunk of chunksOf(pages, CHUNK)) {
      if (isStopping(run)) return false;
      const at: At = { batch, behind: chunk.at(-1)! };
      const inverted = await run.write((tx, count) => inverter.store(tx, chunk, count));
      await run.write((tx, count) => inverter.cap(tx, inverted, count), at);
    }
    return true;
  }
}

/** The pages of a batch after a page, in chunks. */
async function* linkers(
  run: Run,
  plan: Plan,
  { batch, behind, signal }: { batch: number; behind: Linker | undefined; signal: AbortSignal },
): AsyncGenerator<Linker[]> {
  const { crawl } = run.job;
  const name = plan.batches[batch]!;
  if (name !== ALL) {
    const statement = linkersOf({ crawl, batch: name, part: run.part, parts: plan.parts }, behind);
    yield* cursorRows<Linker>(run.pool, statement, READ_AHEAD, signal);
    return;
  }
  for (let after = behind; ;) {
    const pages = await nextLinkers(run.pool, crawl, READ_AHEAD, after);
    if (pages.length === 0) return;
    yield pages;
    after = pages.at(-1);
  }
}

/** Batches without parsed pages are left out; `-all` and folders of segments mean every page. */
async function makePlan(run: Run<InvertLinksArgs>): Promise<Plan | null> {
  const { args, pool, job, workers } = run;
  const named = args.batch === undefined ? args.segment : [args.batch];
  const whole = named?.includes(ALL) ?? namesFolder(args);
  const batches = whole ? [ALL] : await resolveBatches(pool, job.crawl, named);
  if (!(await run.lock('INVERTLINKS'))) return null;
  if (whole) return { parts: 1, batches };
  const sizes = await Promise.all(batches.map((batch) => countLinkers(pool, job.crawl, batch)));
  const largest = Math.max(...sizes);
  return {
    parts: Math.max(1, Math.min(workers, Math.ceil(largest / WORTH_A_TASK))),
    batches: batches.filter((_, i) => sizes[i]! > 0),
  };
}

/** The rules of one job: its limits, its URL rules. */
class Inverter {
  private readonly options: InvertOptions;
  private readonly rules: UrlRules | undefined;
  private readonly admit: { normalize: boolean; filter: boolean };

  constructor(run: Run<InvertLinksArgs>) {
    const { conf, args, job } = run;
    this.options = {
      crawl: job.crawl,
      ignoreInternal: conf['linkdb.ignore.internal.links'],
      ignoreExternal: conf['linkdb.ignore.external.links'],
      maxAnchorLength: conf['linkdb.max.anchor.length'],
      maxInlinks: conf['linkdb.max.inlinks'],
      inDocuments: args.documentsDue === true ? linksInDocuments(conf) : undefined,
    };
    this.admit = { normalize: args.noNormalize !== true, filter: args.noFilter !== true };
    this.rules = this.admit.normalize || this.admit.filter ? makeUrlRules(conf) : undefined;
  }

  /** Stores the inlinks of a chunk. A repetition stores, and counts, nothing more. */
  async store(tx: Sql, pages: Linker[], count: Count): Promise<Stored> {
    const sources = this.sources(pages);
    const seen = { pages: sources.length, filtered: pages.length - sources.length };
    if (sources.length === 0) return { ...seen, links: 0, linked: [] };
    const options = await this.judged(tx, sources);
    const unlinked = await this.removeFormer(tx, sources, options, count);
    const { links, added, changed, linked, inDocuments } = await invertLinks(tx, sources, options);
    if (options.inDocuments)
      await recordDue(tx, options.crawl, { linked: [...unlinked, ...inDocuments] }, { toDelete: false });
    count('LinkDb', 'inlinks_added', added);
    count('LinkDb', 'inlinks_changed', changed);
    return { ...seen, links, linked };
  }

  /**
   * Removes the inlinks of links that pages no longer have: those stored under their key, and under their URL by the present
   * rules.
   */
  private async removeFormer(
    tx: Sql,
    sources: Linking[],
    { crawl, rewrites }: InvertOptions,
    count: Count,
  ): Promise<PageKey[]> {
    const relinked = await lockRelinked(tx, crawl, sources);
    if (relinked.length === 0) return [];
    const byKey = relinked.flatMap(({ host, key, source }) => (source === key ? [] : [{ host, key, source: key }]));
    const removed = await removeFormerInlinks(tx, crawl, { pages: [...relinked, ...byKey], rewrites });
    count('LinkDb', 'inlinks_removed', removed.length);
    return removed;
  }

  /** Ends a stored chunk: in a transaction of its own, which sees the inlinks stored by other partitions. */
  async cap(tx: Sql, { pages, filtered, links, linked }: Stored, count: Count): Promise<void> {
    const { crawl, maxInlinks } = this.options;
    count('LinkDb', 'pages', pages);
    count('LinkDb', 'pages_filtered', filtered);
    count('LinkDb', 'links', links);
    if (linked.length > 0) count('LinkDb', 'inlinks_dropped', await capInlinks(tx, crawl, linked, maxInlinks));
  }

  /** Pages that the rules accept, under their URL by the present rules. */
  private sources(pages: Linker[]): Linking[] {
    const { rules } = this;
    if (rules === undefined) return pages.map(({ host, key }) => ({ host, key, source: key }));
    return pages.flatMap(({ host, key }) => {
      const admitted = rules.admit(unreverseUrl(key), 'linkdb', this.admit);
      return 'rejected' in admitted ? [] : [{ host, key, source: reverseUrl(admitted.url) }];
    });
  }

  private async judged(tx: Sql, sources: { host: string; key: string }[]): Promise<InvertOptions> {
    if (this.rules === undefined) return this.options;
    const pages = { crawl: this.options.crawl, sources };
    const rewrites = await judgeLinks(tx, pages, this.rules, { ...this.admit, scope: 'linkdb' });
    return { ...this.options, rewrites };
  }
}
