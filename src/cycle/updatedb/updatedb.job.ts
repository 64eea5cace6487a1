/**
 * UPDATEDB: closes a batch and updates the table with its results.
 *
 * Each part reads its range of the batch in chunks of source pages; one transaction a chunk. A page's new status and
 * next fetch time are decided in pure code (core/page/next-state); its frozen cash goes to the targets of its outlinks,
 * aggregated by target in one statement; then its marks are cleared. So the effects of a source page are written completely
 * or not at all, a repetition adds nothing, and because GENERATE froze what is handed out, the order of chunks does not
 * matter.
 */
import type { UrlRules } from '../../core/url/url-rules.js';
import { Injectable } from '@nestjs/common';
import { type NextState, nextState } from '../../core/page/next-state.js';
import { PAGE_STATUS, statusName } from '../../core/page/page-status.js';
import { type FetchSchedule, fixedIntervalOf } from '../../core/schedule/fetch-schedule.js';
import { changefreqSeconds } from '../../core/schedule/sitemap-hints.js';
import { type Distribution, keepingAll } from '../../core/score/scoring.js';
import { hasBudgets } from '../../core/trap/budget.js';
import { unreverseHost, unreverseUrl } from '../../core/url/row-key.js';
import { faultPoint } from '../../db/fault-point.js';
import type { Sql } from '../../db/sql.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { makeSchedule } from '../../plugin/chosen-by-class.js';
import { type Scoring, makeScoring } from '../../plugin/scoring.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host.store.js';
import { ALL, type Cursor, batchSize, batchesWithPages } from '../batch-chunks.sql.js';
import { resolveBatches } from '../resolve-batch.js';
import { exactFrom, expectLag } from '../../webpage/exact-ranks.sql.js';
import { recordSignatures } from '../../webpage/signature-due.store.js';
import { removeFormerInlinks } from '../former-links.sql.js';
import { capInlinks } from '../inlinks.sql.js';
import { atPage } from '../page-error.js';
import type { Count, Run, Step } from '../step.js';
import { refuseUnwritten } from '../require-pages.js';
import { LINKS_KEY } from '../passed-metadata.js';
import { closeTable, hasClosing } from './after-update.js';
import { type Signed, takeFetchSignatures } from './fetch-signature.sql.js';
import { judgeLinks } from '../filter-links.js';
import { withinBudgets } from './trap-budget.js';
import type { UpdateDbArgs } from './updatedb.args.js';
import { type Payer, type Settled, closeChunk } from './update-chunk.sql.js';
import type { LinkOptions } from './proposed-rows.sql.js';
import { purgeAll } from './purge.js';
import { tracePages } from './trace-pages.sql.js';
import { addContributions, writeContributions, claimContributions } from './pending-contributions.sql.js';
import {
  type InBatch,
  type Source,
  carryRepresentatives,
  nextSources,
  purgePages,
  readSources,
} from './updatedb.sql.js';

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
    const update = new Update(run, scoring, plan.parts);
    for (const batch of plan.batches) {
      if (!(await this.updateBatch(run, update, { batch, parts: plan.parts }))) return { reason: 'stopped' };
    }
    await update.addPending(null);
    // Contributions may be left: the next attempt adds them.
    if (run.stopping.aborted) return { reason: 'stopped' };
    if (hasClosing(run.conf, scoring) && !(await closeTable(run, scoring))) return { reason: 'stopped' };
    return { reason: plan.selected === 0 ? 'no-urls' : 'done' };
  }

  /** Closes the pages of a batch that belong to this part. @returns whether it finished: the job was not stopped */
  private async updateBatch(
    run: Run<UpdateDbArgs>,
    update: Update,
    { batch, parts }: { batch: string; parts: number },
  ): Promise<boolean> {
    const fetchedOnly = run.args.ofCrawl === 'fetched';
    const wanted = { crawl: run.job.crawl, batch, part: run.part, parts, limit: READ_AHEAD, fetchedOnly };
    for (let cursor: Cursor | undefined; ;) {
      run.aborted.throwIfAborted();
      if (run.stopping.aborted) return false;
      const pages = await nextSources(run.pool, wanted, cursor);
      if (pages.length === 0) return true;
      const last = pages.at(-1)!;
      cursor = { mark: last.mark, hash: last.hash, key: last.key };
      pages.sort((a, b) => (a.key < b.key ? -1 : 1));
      for (let from = 0; from < pages.length; from += CHUNK) {
        run.aborted.throwIfAborted();
        if (run.stopping.aborted) return false;
        const chunk = pages.slice(from, from + CHUNK);
        await run.write((tx, count) => update.chunk(tx, chunk, count));
      }
      await update.addPending(run.part);
    }
  }
}

async function makePlan(run: Run<UpdateDbArgs>): Promise<Plan | null> {
  if (!(await run.lock('UPDATEDB'))) return null;
  const { pool, job } = run;
  await refuseUnwritten(run);
  await expectLag(pool, job.crawl);
  const batches = await batchesToUpdate(run);
  // Enough to know whether there is anything, and whether for all workers.
  const enough = WORTH_A_TASK * run.workers;
  const sizes = await Promise.all(batches.map((batch) => batchSize(pool, job.crawl, batch, { max: enough })));
  const selected = sizes.reduce((sum, n) => sum + n, 0);
  // Before the first chunk of any part: links to these pages contribute nothing, in any partition.
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

/** The rules of one job: its schedule, its rules for links. */
class Update {
  private readonly schedule: FetchSchedule;
  private readonly links: Omit<LinkOptions, 'exactFrom'>;
  private rules: UrlRules | undefined;

  constructor(
    private readonly run: Run<UpdateDbArgs>,
    private readonly scoring: Scoring,
    parts: number,
  ) {
    const { conf, args, job } = run;
    this.schedule = makeSchedule(conf);
    this.links = {
      crawl: job.crawl,
      additions: args.noAdditions === undefined ? conf['db.update.additions.allowed'] : !args.noAdditions,
      interval: conf['db.fetch.interval.default'],
      ignoreInternal: conf['db.ignore.internal.links'],
      maxInlinks: conf['db.update.max.inlinks'],
      ...(conf['db.update.purge.404'] && {
        purgedSince: new Date(job.startedAt.getTime() - conf['db.fetch.interval.max'] * 1_000),
      }),
      endows: scoring.readsPages,
      dated: scoring.orphans !== null,
      history: scoring.textbook,
      // Budgets count new URLs chunk by chunk; endowments need the page that links.
      ...(parts > 1 && !scoring.readsPages && !hasBudgets(conf) && { pendingFor: parts }),
    };
  }

  /** Adds the pending contributions of a partition, or of any, until there are none or the job is asked to stop. */
  async addPending(part: number | null): Promise<void> {
    const { crawl } = this.run.job;
    for (let paid = 1; paid > 0 && !this.run.stopping.aborted;) {
      this.run.aborted.throwIfAborted();
      paid = await this.run.write(async (tx, count) => {
        const contributions = await claimContributions(tx, crawl, part);
        if (contributions.length === 0) return 0;
        const deltas = new StatusDeltas();
        const links = { ...this.links, exactFrom: await exactFrom(tx, crawl) };
        countAdded(await addContributions(tx, contributions, links), deltas, count);
        await addStatusDeltas(tx, crawl, deltas);
        return contributions.length;
      });
    }
  }

  async chunk(tx: Sql, pages: InBatch[], count: Count): Promise<void> {
    const { crawl } = this.run.job;
    const read = await readSources(tx, crawl, pages, { wide: this.scoring.readsPages });
    const sources = read.map(withFetchSignature);
    if (sources.length === 0) return;
    const deltas = new StatusDeltas();
    const payers: Payer[] = [];
    const settled: Settled[] = [];
    for (const source of sources) {
      const { shares, next } = atPage(source.key, () => this.settled(source));
      if (source.outlinks > 0 && shares.follow) payers.push(payerOf(source, shares));
      else if (source.outlinks > 0) count('UpdateDb', 'links_not_followed', source.outlinks);
      deltas.move(source.host, source.status, next.status);
      settled.push({
        ...next,
        host: source.host,
        key: source.key,
        givenBack: shares.follow ? shares.givenBack : source.spend,
      });
      count('UpdateDb', source.fetched ? statusName(next.status) : 'not_fetched');
    }
    const relinked = sources.flatMap(({ relinked, host, key }) => (relinked ? [{ host, key, source: key }] : []));
    const judged = await this.judged(tx, [...payers, ...relinked]);
    const links = await this.withinBudgets(tx, { sources, payers, count }, judged);
    // Before the present links become inlinks: a link that a rule rewrites may equal another link as it is written.
    if (relinked.length > 0)
      count('UpdateDb', 'inlinks_removed', await removeFormerInlinks(tx, crawl, relinked, judged.rewrites));
    const { added, linked, contributions } = await closeChunk(tx, payers, settled, links);
    await carryRepresentatives(
      tx,
      crawl,
      sources.flatMap(({ fetched, target, reprUrl }) => (fetched && target && reprUrl ? [{ target, reprUrl }] : [])),
    );
    await faultPoint('updatedb.settled', tx);
    if (this.run.trace) await tracePages(tx, crawl, settled, this.run.trace);
    countAdded(added, deltas, count);
    await writeContributions(tx, crawl, contributions);
    if (linked.length > 0) await capInlinks(tx, crawl, linked, this.links.maxInlinks);
    await takeFetchSignatures(tx, crawl, read.flatMap(signedByFetch));
    await this.purge(tx, settled, deltas);
    await recordSignatures(tx, crawl, read.flatMap(contentsOf));
    await addStatusDeltas(tx, crawl, deltas);
  }

  /** The rules for links, plus those that lead nowhere because a budget is exhausted. */
  private async withinBudgets(
    tx: Sql,
    chunk: { sources: Source[]; payers: Payer[]; count: Count },
    judged: Omit<LinkOptions, 'exactFrom'>,
  ): Promise<LinkOptions> {
    const { conf, job } = this.run;
    const links = { ...judged, exactFrom: await exactFrom(tx, job.crawl) };
    return hasBudgets(conf) ? withinBudgets(tx, { ...chunk, limits: conf }, links) : links;
  }

  /** The rules for links, with the verdicts of the present URL rules if the job requires them. */
  private async judged(tx: Sql, sources: { host: string; key: string }[]): Promise<Omit<LinkOptions, 'exactFrom'>> {
    const { conf, args, job } = this.run;
    const normalize = args.normalize ?? conf['crawldb.url.normalizers'];
    const filter = args.filter ?? conf['crawldb.url.filters'];
    if (!normalize && !filter) return this.links;
    this.rules ??= makeUrlRules(conf);
    const pages = { crawl: job.crawl, sources };
    return { ...this.links, rewrites: await judgeLinks(tx, pages, this.rules, { normalize, filter }) };
  }

  /** How the page acts on those it links to, and its next state. */
  private settled(source: Source): { shares: Distribution; next: NextState } {
    return { shares: this.distribution(source), next: source.fetched ? this.next(source) : asBefore(source) };
  }

  /** How the page acts on those it links to; without scoring filters it keeps all its cash and its links are followed. */
  private distribution(source: Source): Distribution {
    const metadata = source.metadata ?? {};
    const page = {
      url: this.scoring.readsPages ? unreverseUrl(source.key) : '',
      spend: source.spend,
      outlinks: source.outlinks,
      // The count in the metadata is of the last content with links: a redirect has one.
      links: source.isRedirect ? source.outlinks : Number(metadata[LINKS_KEY] ?? source.outlinks),
      distance: source.distance,
      contentScore: source.contentScore ?? 0,
      metadata,
      headers: source.headers ?? {},
    };
    return this.scoring.distribute(page, keepingAll(source.spend));
  }

  private next(source: Source): NextState {
    const { conf } = this.run;
    return nextState(
      {
        status: source.status,
        fetchTime: source.fetchTime.getTime(),
        prevFetchTime: source.prevFetchTime?.getTime() ?? 0,
        fetchInterval: source.fetchInterval,
        retries: source.retries,
        modifiedTime: source.modifiedTime?.getTime() ?? 0,
        prevModifiedTime: source.prevModifiedTime?.getTime() ?? 0,
        signature: source.signature,
        prevSignature: source.prevSignature,
        lastModified: source.lastModified?.getTime() ?? null,
        parseFailed: source.parseFailed && conf['parser.delete.failed.parse'],
        unasked: source.unasked,
        fixedInterval: fixedIntervalOf(source.fixedInterval),
        host: unreverseHost(source.host),
        contentType: source.contentType,
        sitemap: { changeSeconds: changefreqSeconds(source.changefreq) },
      },
      this.schedule,
      conf,
    );
  }

  /** Removes gone pages from the table if the configuration requires it. */
  private async purge(tx: Sql, settled: Settled[], deltas: StatusDeltas): Promise<void> {
    if (!this.run.conf['db.update.purge.404']) return;
    const gone = settled.filter(({ status }) => status === PAGE_STATUS.gone);
    if (gone.length === 0) return;
    await purgePages(tx, this.run.job.crawl, gone);
    for (const { host } of gone) deltas.move(host, PAGE_STATUS.gone, null);
  }
}

function countAdded(added: { host: string; n: number }[], deltas: StatusDeltas, count: Count): void {
  for (const { host, n } of added) deltas.move(host, null, PAGE_STATUS.unfetched, n);
  count(
    'UpdateDb',
    'urls_added',
    added.reduce((sum, { n }) => sum + n, 0),
  );
}

/**
 * The page with the signatures to compare: those of PARSE, else of FETCH; a page without a new one is compared without an old
 * one.
 */
function withFetchSignature(source: Source): Source {
  if (source.parsed) return source;
  if (!source.fetched || source.fetchSignature === null) return { ...source, prevSignature: null };
  return { ...source, signature: source.fetchSignature, prevSignature: source.signature };
}

/** Signatures of FETCH: used if no PARSE followed. */
const signedByFetch = ({ host, key, fetched, parsed, fetchSignature }: Source): Signed[] =>
  fetchSignature === null ? [] : [{ host, key, signature: fetched && !parsed ? fetchSignature : null }];

/**
 * The present and former contents of a page, as it was read: the groups of equal pages may change for all. A page that was
 * parsed and then fetched once more without success also has one from before this batch.
 */
const contentsOf = ({ host, parsed, signature, prevSignature, fetchSignature }: Source) =>
  [signature, prevSignature, parsed ? null : fetchSignature].map((one) => ({ host, signature: one }));

const payerOf = ({ host, key, distance, ...source }: Source, shares: Distribution): Payer => ({
  host,
  key,
  distance,
  internalShare: shares.internalShare,
  externalShare: shares.externalShare,
  start: shares.start,
  carried: shares.carried,
  kind: source.isRedirect ? 'redirect' : 'link',
});

/** A page that was generated but not fetched is released unchanged, due as it was. */
function asBefore(source: Source): NextState {
  return {
    status: source.status as NextState['status'],
    fetchTime: source.fetchTime.getTime(),
    prevFetchTime: source.prevFetchTime?.getTime() ?? 0,
    fetchInterval: source.fetchInterval,
    retries: source.retries,
    modifiedTime: source.modifiedTime?.getTime() ?? 0,
    prevModifiedTime: source.prevModifiedTime?.getTime() ?? 0,
    unconditional: false,
  };
}
