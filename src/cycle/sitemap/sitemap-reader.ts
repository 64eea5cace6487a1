/** Processes one sitemap of the list: fetches it, parses it, writes its pages in chunks, and removes it from the list. */
import { unlessNegated } from '../../core/conf/negated-flag.js';
import { STORED_LENGTHS } from '../../core/page/stored-lengths.js';
import type { Reservation } from '../../core/queueing/memory-budget.js';
import { isGzip } from '../../core/sitemap/document-text.js';
import { parseSitemap } from '../../core/sitemap/sitemap.js';
import type { SitemapDocument } from '../../core/sitemap/sitemap-document.js';
import { type Sql, databaseNow, storableStart } from '../../db/sql.js';
import type { HttpSuccess } from '../../net/http-answer.js';
import {
  type SitemapResult,
  type SitemapWork,
  dropHostWork,
  endSitemap,
  forgetLost,
  forgetSitemapValidators,
  otherNamers,
  storePosition,
  wantNamedBy,
  wantSitemaps,
} from '../../webpage/sitemap.store.js';
import { mayLead } from '../../core/url/external-links.js';
import { purgedSince } from '../purged-pages.sql.js';
import type { Count, Run } from '../step.js';
import { documentBudget } from './document-budget.js';
import { haveToWait, purgedAmong, putEntries } from './entries.sql.js';
import { type EntryRow, entryRowsOf } from './entry-rows.js';
import type { SitemapArgs } from './sitemap.args.js';
import { withinHostBudget } from './host-budget.js';
import { SitemapCaps } from './sitemap-caps.js';
import type { SitemapAnswer, SitemapFetch } from './sitemap-fetch.js';
import {
  MAX_INDEX_DEPTH,
  type SitemapRules,
  type WantedSitemap,
  originsVouchedBy,
} from '../../core/sitemap/sitemap-rules.js';

/** Entries written in one transaction. */
const CHUNK = 2_000;
/** Documents without entries that are no sitemaps. */
const NO_SITEMAP: ReadonlySet<string> = new Set(['html', 'unknown', 'empty']);

/** Errors of documents that were not read to the end, for lack of time or memory. */
const PARTIAL: ReadonlySet<string> = new Set(['truncated', 'timeout', 'too-large', 'coding']);

/** Whether validators of an answer can be stored: with those of such a document, the rest would never be sent. */
const isWhole = (answer: HttpSuccess, { errors }: SitemapDocument): boolean =>
  answer.truncated === false && !errors.some(({ reason }) => PARTIAL.has(reason));

/** The result of a request for a sitemap: a document has been read, and its bytes are released. */
type RequestOutcome = Exclude<SitemapAnswer, { kind: 'document' }> | Read;
interface Read {
  kind: 'read';
  document: SitemapDocument;
  httpStatus: number;
  etag: string | null;
  lastModified: string | null;
}

/** Memory of an entry without its URL, bytes. */
const ENTRY_BYTES = 300;
const documentBytes = ({ entries, sitemaps }: SitemapDocument): number =>
  [...entries, ...sitemaps].reduce((sum, { loc }) => sum + loc.length + ENTRY_BYTES, 0);

export type ReadEnd = 'done' | 'failed' | 'later' | 'excluded';

export class SitemapReader {
  private readonly crawl: number;
  private readonly job: string;
  private readonly caps: SitemapCaps;

  constructor(
    private readonly run: Run<SitemapArgs>,
    private readonly options: { rules: SitemapRules; fetch: SitemapFetch },
  ) {
    this.crawl = run.job.crawl;
    this.job = run.job.id;
    this.caps = new SitemapCaps(run.conf, { crawl: this.crawl, job: this.job });
  }

  /** Reads one row of the list. `later`, `excluded`: the row stays. */
  async read(work: SitemapWork): Promise<ReadEnd> {
    if (work.source === 'host') return this.origin(work);
    const named = await this.namedByItsOrigin(work);
    if (named === 'later') return named;
    if (named !== undefined) return this.readNamed(work, named);
    const reservation = documentBudget.reservation(AbortSignal.any([this.run.stopping, this.run.aborted]));
    try {
      const outcome = await this.ask(work, reservation);
      if (outcome.kind === 'later' || outcome.kind === 'excluded') return outcome.kind;
      if (outcome.kind === 'unchanged') await this.unchanged(work);
      else if (outcome.kind === 'none') await this.none(work, outcome);
      else await this.document(work, outcome);
      return outcome.kind === 'none' && outcome.status === 'failed' ? 'failed' : 'done';
    } finally {
      reservation.shrink(0);
    }
  }

  /** Requests a sitemap and reads it, within the memory budget of the process. */
  private async ask(work: SitemapWork, reservation: Reservation): Promise<RequestOutcome> {
    const fetched = await this.options.fetch.get(work, reservation);
    if (fetched.kind !== 'document') return fetched;
    const { answer, url } = fetched;
    const bytes = isGzip(answer.body) ? this.run.conf['sitemap.size.max'] : answer.body.length;
    if (!(await reservation.reserve(bytes))) return { kind: 'later' };
    const document = this.parse(answer, { url, work });
    reservation.shrink(documentBytes(document));
    const { etag = null, 'last-modified': lastModified = null } = isWhole(answer, document) ? answer.headers : {};
    return { kind: 'read', document, httpStatus: answer.status, etag, lastModified };
  }

  /** The sitemaps that the robots.txt of an origin names. */
  private async origin(work: SitemapWork): Promise<ReadEnd> {
    const { origin } = new URL(work.url);
    const answer = await this.options.fetch.robotsOf(origin);
    if (answer === undefined) return 'later';
    if (answer === 'excluded') return answer;
    const isDefaultUrl = this.run.conf['sitemap.url.default.sitemap.xml'] && answer.kind !== 'wait';
    const named = answer.kind === 'rules' ? answer.robots.sitemaps : [];
    const sitemaps = this.options.rules.ofRobots(origin, named, isDefaultUrl);
    await this.run.write(async (tx, count) => {
      if (answer.kind === 'wait') count('Sitemap', 'robots_unavailable');
      await this.want(tx, count, {
        sitemaps,
        filteredCounter: 'filtered_sitemaps_from_hostname',
        addedCounter: 'sitemaps_from_hostname',
      });
      await dropHostWork(tx, this.crawl, work);
    });
    return answer.kind === 'wait' ? 'failed' : 'done';
  }

  /**
   * The sitemap as the robots.txt of its own origin names it, if that is not known yet: it may be an argument, or named by another
   * origin only, as by http of a site that redirects to https. With `db.ignore.external.links` what named it first decides about
   * other hosts. The file is requested before the sitemap in any case.
   */
  private async namedByItsOrigin(work: SitemapWork): Promise<WantedSitemap | 'later' | undefined> {
    const { conf } = this.run;
    const { rules, fetch } = this.options;
    const { source, vouchedBy, url } = work;
    const { origin } = new URL(url);
    // A default URL is that of an origin whose robots.txt names none. The table compares URL and origin as texts.
    if (source === 'default' || vouchedBy === origin || !url.startsWith(`${origin}/`)) return undefined;
    if (!mayLead(scopeOf(work), url, { conf, rules: rules.urls })) return undefined;
    const answer = await fetch.robotsOf(origin);
    if (answer === undefined) return 'later';
    if (answer === 'excluded' || answer.kind !== 'rules') return undefined;
    return rules.ofRobots(origin, answer.robots.sitemaps, false).find((named) => named?.url === url) ?? undefined;
  }

  private async readNamed(work: SitemapWork, named: WantedSitemap): Promise<ReadEnd> {
    await this.run.write((tx) => wantSitemaps(tx, this.crawl, this.job, [named]));
    return this.read({ ...work, ...named, position: 0, etag: null, lastModified: null });
  }

  private async unchanged(work: SitemapWork): Promise<void> {
    await this.run.write(async (tx, count) => {
      count('SitemapStatus', 'not_modified');
      await wantNamedBy(tx, this.crawl, this.job, work.url);
      const { etag, lastModified } = work;
      await this.end(tx, work, {
        status: 'not_modified',
        httpStatus: 304,
        entries: null,
        error: null,
        etag,
        lastModified,
      });
    });
  }

  private async none(
    work: SitemapWork,
    { status, error, httpStatus }: Extract<SitemapAnswer, { kind: 'none' }>,
  ): Promise<void> {
    await this.run.write(async (tx, count) => {
      count('SitemapStatus', status);
      if (status === 'failed') count('Sitemap', 'failed_fetches');
      await this.end(tx, work, { status, httpStatus, entries: null, error, etag: null, lastModified: null });
    });
  }

  private async document(work: SitemapWork, { document, httpStatus, etag, lastModified }: Read): Promise<void> {
    const { entries, sitemaps, kind } = document;
    let from = Math.min(work.position, entries.length);
    // If entries have to wait, the sitemap is to be read again, even unchanged. For those of an earlier attempt this is unknown.
    let isSettled = from === 0;
    while (entries.length - from > CHUNK) {
      if (this.run.stopping.aborted) return;
      const to = from + CHUNK;
      await this.run.write(async (tx, count) => {
        isSettled = (await this.entries(tx, count, { work, entries: entries.slice(from, to) })) && isSettled;
        await storePosition(tx, this.crawl, work, to);
      });
      from = to;
    }
    const isNone = entries.length + sitemaps.length === 0 && NO_SITEMAP.has(kind);
    const status = isNone ? 'not_a_sitemap' : 'fetched';
    await this.run.write(async (tx, count) => {
      isSettled = (await this.entries(tx, count, { work, entries: entries.slice(from) })) && isSettled;
      isSettled = (await this.children(tx, count, { work, document })) && isSettled;
      count('SitemapStatus', status);
      for (const { reason, count: n } of document.errors) count('SitemapErrors', reason, n);
      await this.end(tx, work, {
        status,
        httpStatus,
        entries: entries.length + sitemaps.length,
        error: errorOf(document),
        etag: isSettled ? etag : null,
        lastModified: isSettled ? lastModified : null,
      });
    });
  }

  private parse(answer: HttpSuccess, { url, work }: { url: string; work: SitemapWork }): SitemapDocument {
    const { conf, args } = this.run;
    const until = performance.now() + conf['sitemap.parser.timeout'] * 1000;
    return parseSitemap(answer.body, {
      url,
      contentType: answer.headers['content-type'] ?? null,
      isCut: answer.truncated !== false,
      extensions: false,
      strict: unlessNegated(args.noStrict, conf['sitemap.strict.parsing']),
      alsoOrigins: work.vouchedBy === null ? [] : originsVouchedBy(work.vouchedBy),
      maxBytes: conf['sitemap.size.max'],
      isOver: () => performance.now() > until,
    });
  }

  /** Returns whether none of them has to wait. */
  private async entries(
    tx: Sql,
    count: Count,
    { work, entries }: { work: SitemapWork; entries: SitemapDocument['entries'] },
  ): Promise<boolean> {
    const { conf } = this.run;
    const { urls: rules, switches } = this.options.rules;
    const from = scopeOf(work);
    const now = await databaseNow(tx);
    const entryRows = entryRowsOf(entries, { rules, switches, conf, from, now: Number(now), count });
    const mayEnter = await this.withoutPurged(tx, entryRows);
    const purged = entryRows.length - mayEnter.length;
    if (purged > 0) count('Sitemap', 'purged_sitemap_entries', purged);
    const pages = await withinHostBudget(tx, this.crawl, mayEnter, conf);
    if (pages.length < mayEnter.length) count('sitemap_rejected', 'host-budget', mayEnter.length - pages.length);
    const isSettled = purged === 0 && !(await haveToWait(tx, this.crawl, pages));
    const overwrite = conf['sitemap.url.overwrite.existing'];
    const { added, updated } = await putEntries(tx, this.crawl, pages, overwrite);
    count('Sitemap', 'new_sitemap_entries', added);
    count('Sitemap', 'existing_sitemap_entries', pages.length - added);
    if (updated > 0) count('Sitemap', 'updated_sitemap_entries', updated);
    return isSettled;
  }

  /** Without the pages that `db.update.purge.404` has removed: a link would not add them again either. */
  private async withoutPurged(tx: Sql, entryRows: EntryRow[]): Promise<EntryRow[]> {
    const { conf, job } = this.run;
    if (!conf['db.update.purge.404'] || entryRows.length === 0) return entryRows;
    const purged = await purgedAmong(tx, this.crawl, entryRows, purgedSince(job.startedAt, conf));
    return purged.size === 0 ? entryRows : entryRows.filter(({ key }) => !purged.has(key));
  }

  /**
   * The sitemaps of an index, within the limits on depth and on sitemaps of a host. Returns whether all of them can be read again
   * without it, as `wantNamedBy` does if it is unchanged.
   */
  private async children(
    tx: Sql,
    count: Count,
    { work, document }: { work: SitemapWork; document: SitemapDocument },
  ): Promise<boolean> {
    if (document.sitemaps.length === 0) return true;
    if (work.depth >= MAX_INDEX_DEPTH) {
      count('Sitemap', 'too_deep_sitemaps', document.sitemaps.length);
      return false;
    }
    const { conf } = this.run;
    const { rules } = this.options;
    const named = document.sitemaps.map(({ loc }) => rules.ofIndex(loc, work));
    // A sitemap that no robots.txt vouches for counts on its own site only: in a crawl that stays there, others are useless.
    const sitemaps = named.filter(
      (sitemap) =>
        sitemap === null || work.vouchedBy !== null || mayLead(work.url, sitemap.url, { conf, rules: rules.urls }),
    );
    if (sitemaps.length < named.length) count('Sitemap', 'external_sitemaps', named.length - sitemaps.length);
    const urls = sitemaps.flatMap((sitemap) => sitemap?.url ?? []);
    await forgetLost(tx, this.crawl, work, urls);
    const counters = { filteredCounter: 'filtered_sitemaps', addedCounter: 'sitemaps_from_index' };
    return this.want(tx, count, { sitemaps, ...counters });
  }

  /** Returns whether all of them, without those that the rules refuse, are known by what names them here, and by nothing else. */
  private async want(
    tx: Sql,
    count: Count,
    {
      sitemaps,
      filteredCounter,
      addedCounter,
    }: { sitemaps: (WantedSitemap | null)[]; filteredCounter: string; addedCounter: string },
  ): Promise<boolean> {
    const admitted = sitemaps.filter((sitemap) => sitemap !== null);
    if (sitemaps.length > admitted.length) count('Sitemap', filteredCounter, sitemaps.length - admitted.length);
    const fitting = await this.caps.fitting(tx, admitted);
    if (fitting.length < admitted.length) count('Sitemap', 'too_many_sitemaps', admitted.length - fitting.length);
    const others = await otherNamers(tx, this.crawl, fitting);
    // An index that has named them until now may lose them: unchanged, it would not lead to them.
    await forgetSitemapValidators(
      tx,
      this.crawl,
      others.filter((url) => url !== null),
    );
    count('Sitemap', addedCounter, await wantSitemaps(tx, this.crawl, this.job, fitting));
    return others.length === 0 && fitting.length === admitted.length;
  }

  private end(tx: Sql, work: SitemapWork, result: SitemapResult): Promise<void> {
    return endSitemap(tx, this.crawl, this.job, { work, result });
  }
}

/** The URL from which a sitemap counts as a link, for a crawl that keeps to its hosts: of what vouches for it, or leads to it. */
const scopeOf = ({ vouchedBy, source, foundIn, url }: SitemapWork): string =>
  vouchedBy ?? (source === 'index' ? foundIn : null) ?? url;

/** The errors of a document as text; null for none. */
function errorOf({ errors }: SitemapDocument): string | null {
  if (errors.length === 0) return null;
  const texts = errors.map(({ reason, count, example }) => `${reason} ${count}${example && ` (${example})`}`);
  return storableStart(texts.join(', '), STORED_LENGTHS.sitemapErrors);
}
