/**
 * What UPDATEDB does with a chunk of source pages, in one transaction.
 *
 * A page's new status and next fetch time are decided in pure code (core/page/next-state); its frozen cash goes to the targets
 * of its outlinks, aggregated by target in one statement; then its marks are cleared. So the effects of a source page are
 * written completely or not at all, a repetition adds nothing, and because GENERATE froze what is distributed, the order of
 * chunks does not matter.
 */
import { unlessNegated } from '../../core/conf/negated-flag.js';
import { type NextState, nextState } from '../../core/page/next-state.js';
import { PAGE_STATUS, statusName } from '../../core/page/page-status.js';
import { PROTOCOL_STATUS, statusOfProtocol } from '../../core/page/protocol-status.js';
import { type FetchSchedule, fixedIntervalOf } from '../../core/schedule/fetch-schedule.js';
import { changefreqSeconds } from '../../core/schedule/sitemap-hints.js';
import { type Distribution, keepingAll } from '../../core/score/scoring-filter.js';
import { hasBudgets } from '../../core/trap/budget.js';
import { unreverseHost, unreverseUrl } from '../../core/url/row-key.js';
import type { UrlRules } from '../../core/url/url-rules.js';
import { faultPoint } from '../../db/fault-point.js';
import type { Sql } from '../../db/sql.js';
import type { PageKey } from '../../core/page/page-row.js';
import { linksInDocuments } from '../../plugin/indexing-filters.js';
import { makeSchedule } from '../../plugin/chosen-by-class.js';
import type { Scoring } from '../../plugin/scoring-filters.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { exactFrom } from '../../webpage/exact-ranks.sql.js';
import { type ChangedPages, recordDue } from '../../webpage/document-due.store.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host-counts.store.js';
import { recordSignatures } from '../../webpage/signature-due.store.js';
import { judgeLinks } from '../filter-links.js';
import { type StoredLinks, removeFormerInlinks, underOwnKeys } from '../former-links.sql.js';
import { capInlinks } from '../inlinks.sql.js';
import { type InvertedLinks, makeInvertedLinks } from '../inverted-links.js';
import { atPage } from '../page-error.js';
import { LINKS_KEY } from '../passed-metadata.js';
import { purgedSince } from '../purged-pages.sql.js';
import type { Count, Run } from '../step.js';
import { type Signed, takeFetchSignatures } from './fetch-signature.sql.js';
import { dateLinkedPages } from './orphan-pages.sql.js';
import { addContributions, claimContributions, writeContributions } from './pending-contributions.sql.js';
import type { LinkOptions } from './proposed-rows.sql.js';
import { tracePages } from './trace-pages.sql.js';
import { withinBudgets } from './trap-budget.js';
import { type Contributor, type UpdatedPage, closeChunk } from './update-chunk.sql.js';
import type { UpdateDbArgs } from './updatedb.args.js';
import { type InBatch, type Source, carryRepresentatives, purgePages, readSources } from './updatedb.sql.js';

/** Updates the table with the chunks of one task of UPDATEDB. */
export class ChunkUpdate {
  private readonly schedule: FetchSchedule;
  private readonly links: Omit<LinkOptions, 'exactFrom'>;
  private rules: UrlRules | undefined;
  private readonly inverted: InvertedLinks | undefined;

  constructor(
    private readonly run: Run<UpdateDbArgs>,
    private readonly scoring: Scoring,
    parts: number,
  ) {
    const { conf, args, job } = run;
    this.schedule = makeSchedule(conf);
    this.inverted = makeInvertedLinks(conf);
    this.links = {
      crawl: job.crawl,
      additions: unlessNegated(args.noAdditions, conf['db.update.additions.allowed']),
      interval: conf['db.fetch.interval.default'],
      ignoreInternal: conf['db.ignore.internal.links'],
      maxInlinks: conf['db.update.max.inlinks'],
      ...(conf['db.update.purge.404'] && {
        purgedSince: purgedSince(job.startedAt, conf),
      }),
      initialValues: scoring.readsPages,
      dated: scoring.orphans !== null,
      history: scoring.textbook,
      inDocuments: args.documentsDue === true ? linksInDocuments(conf) : undefined,
      // Budgets count new URLs chunk by chunk; initial values need the page that links.
      ...(parts > 1 && !scoring.readsPages && !hasBudgets(conf) && { pendingFor: parts }),
    };
  }

  /** Adds the pending contributions of a partition, or of any, until there are none or the job is asked to stop. */
  async addPending(part: number | null): Promise<void> {
    const { crawl } = this.run.job;
    for (let added = 1; added > 0 && !this.run.stopping.aborted;) {
      this.run.aborted.throwIfAborted();
      added = await this.run.write(async (tx, count) => {
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

  /** Closes a chunk of pages. @returns how many of them were fetched and never parsed */
  async chunk(tx: Sql, pages: InBatch[], count: Count): Promise<number> {
    const { crawl } = this.run.job;
    const read = await readSources(tx, crawl, pages, { wide: this.scoring.readsPages });
    const sources = read.map(withFetchSignature);
    if (sources.length === 0) return 0;
    const deltas = new StatusDeltas();
    const contributors: Contributor[] = [];
    const updated: UpdatedPage[] = [];
    for (const source of sources) {
      const { shares, next } = atPage(source.key, () => this.outcomeOf(source));
      if (source.outlinks > 0 && shares.follow) contributors.push(contributorOf(source, shares));
      else if (source.outlinks > 0) count('UpdateDb', 'links_not_followed', source.outlinks);
      deltas.move(source.host, source.status, next.status);
      updated.push({
        ...next,
        host: source.host,
        key: source.key,
        givenBack: shares.follow ? shares.givenBack : source.spend,
      });
      count('UpdateDb', source.fetched ? statusName(next.status) : 'not_fetched');
    }
    const relinked = underOwnKeys(sources.filter((source) => source.relinked));
    const unchanged = this.links.dated === true ? sources.filter((source) => this.linksAsBefore(source)) : [];
    const judged = await this.judged(tx, [...contributors, ...relinked, ...unchanged]);
    const links = await this.withinBudgets(tx, { sources, contributors, count }, judged);
    // Before the present links become inlinks: a link that a rule rewrites may equal another link as it is written.
    const unlinked = await this.removeFormer(tx, { pages: relinked, rewrites: judged.rewrites }, count);
    const { added, linked, changed, contributions } = await closeChunk(tx, contributors, updated, links);
    await dateLinkedPages(tx, crawl, unchanged, judged.rewrites);
    await carryRepresentatives(
      tx,
      crawl,
      sources.flatMap(({ fetched, target, reprUrl }) => (fetched && target && reprUrl ? [{ target, reprUrl }] : [])),
    );
    await faultPoint('updatedb.settled', tx);
    if (this.run.trace) await tracePages(tx, crawl, updated, this.run.trace);
    countAdded(added, deltas, count);
    await writeContributions(tx, crawl, contributions);
    if (linked.length > 0) await capInlinks(tx, crawl, linked, this.links.maxInlinks);
    const forgotten = new Set(updated.flatMap(({ key, unconditional }) => (unconditional ? key : [])));
    await takeFetchSignatures(
      tx,
      crawl,
      read.flatMap((source) => signedByFetch(source, forgotten)),
    );
    const unlinkedByPurge = await this.purge(tx, updated, deltas);
    await recordSignatures(tx, crawl, read.flatMap(contentsOf));
    if (this.run.args.documentsDue === true)
      await this.recordDue(tx, { pages: sources, linked: [...unlinked, ...changed, ...unlinkedByPurge] });
    await addStatusDeltas(tx, crawl, deltas);
    const unparsed = sources.filter((source) => source.fetched && source.unparsed).length;
    if (unparsed > 0) count('UpdateDb', 'not_parsed', unparsed);
    return unparsed;
  }

  /** Removes the inlinks of links that pages no longer have: those that UPDATEDB has stored, and those of INVERTLINKS. */
  private async removeFormer(tx: Sql, stored: StoredLinks, count: Count): Promise<PageKey[]> {
    if (stored.pages.length === 0) return [];
    const { crawl } = this.run.job;
    const forms = this.inverted ? [stored, await this.inverted(tx, crawl, stored.pages)] : [stored];
    const removed = await removeFormerInlinks(tx, crawl, ...forms);
    count('UpdateDb', 'inlinks_removed', removed.length);
    return removed;
  }

  /** Records the pages whose documents may have changed. */
  private async recordDue(tx: Sql, { pages, linked }: Required<ChangedPages>): Promise<void> {
    const { conf, job } = this.run;
    const changed = { pages, linked: this.links.inDocuments ? linked : [] };
    await recordDue(tx, job.crawl, changed, { toDelete: conf['indexer.delete'] });
  }

  /** The rules for links, plus those that lead nowhere because a budget is exhausted. */
  private async withinBudgets(
    tx: Sql,
    chunk: { sources: Source[]; contributors: Contributor[]; count: Count },
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
  private outcomeOf(source: Source): { shares: Distribution; next: NextState } {
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

  /** It was fetched and has not changed (304): it has the links of its last content. */
  private linksAsBefore(source: Source): boolean {
    const { fetched, parsed, status } = source;
    return fetched && !parsed && status === PAGE_STATUS.notModified && this.distribution(source).follow;
  }

  private next(source: Source): NextState {
    const { conf } = this.run;
    return nextState(
      {
        ...storedState(source),
        signature: source.signature,
        prevSignature: source.prevSignature,
        lastModified: source.lastModified?.getTime() ?? null,
        parseFailed: source.parseFailed && conf['parser.delete.failed.parse'],
        unasked: source.protocolCode === PROTOCOL_STATUS.RETRY,
        visited: source.protocolCode === null ? undefined : statusOfProtocol(source.protocolCode),
        fixedInterval: fixedIntervalOf(source.fixedInterval),
        host: unreverseHost(source.host),
        contentType: source.contentType,
        sitemap: { changeSeconds: changefreqSeconds(source.changefreq) },
        score: source.score,
      },
      this.schedule,
      conf,
    );
  }

  /** Removes gone pages from the table if the configuration requires it; returns the pages to which they have linked. */
  private async purge(tx: Sql, updated: UpdatedPage[], deltas: StatusDeltas): Promise<PageKey[]> {
    if (!this.run.conf['db.update.purge.404']) return [];
    const gone = updated.filter(({ status }) => status === PAGE_STATUS.gone);
    if (gone.length === 0) return [];
    const { unlinked } = await purgePages(tx, this.run.job.crawl, gone, { inverted: this.inverted });
    for (const { host } of gone) deltas.move(host, PAGE_STATUS.gone, null);
    return unlinked;
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

/** Signatures of FETCH: used if no PARSE followed, and if the page keeps its signature. Those of former content are removed. */
function signedByFetch(source: Source, forgotten: ReadonlySet<string>): Signed[] {
  const { host, key, fetched, parsed, status, fetchSignature } = source;
  const isStale = fetched && !parsed && status === PAGE_STATUS.fetched && source.signature !== null;
  if (fetchSignature === null && !isStale) return [];
  return [{ host, key, signature: fetched && !parsed && !forgotten.has(key) ? fetchSignature : null, isStale }];
}

/**
 * The present and former contents of a page, as it was read: the groups of equal pages may change for all. A page that was
 * parsed and then fetched once more without success also has one from before this batch.
 */
const contentsOf = ({ host, parsed, signature, prevSignature, fetchSignature }: Source) =>
  [signature, prevSignature, parsed ? null : fetchSignature].map((hash) => ({ host, signature: hash }));

const contributorOf = ({ host, key, distance, ...source }: Source, shares: Distribution): Contributor => ({
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
const asBefore = (source: Source): NextState => ({
  ...storedState(source),
  status: source.status as NextState['status'],
  unconditional: false,
});

/** What the row of a page says about its visits; times in ms, 0: none. */
const storedState = (source: Source) => ({
  status: source.status,
  fetchTime: source.fetchTime.getTime(),
  prevFetchTime: source.prevFetchTime?.getTime() ?? 0,
  fetchInterval: source.fetchInterval,
  retries: source.retries,
  modifiedTime: source.modifiedTime?.getTime() ?? 0,
  prevModifiedTime: source.prevModifiedTime?.getTime() ?? 0,
});
