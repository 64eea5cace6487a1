/**
 * The extension points, one method each, and what a plugin is: an id and, for every point it serves, a function that
 * makes the one from a configuration. Everything that costs time (reading rules, compiling expressions) happens there,
 * once, and bad rules are refused there.
 *
 * A normalizer takes a URL and gives it in another spelling, or null to drop it (Nutch `URLNormalizer`). A filter takes
 * a URL and says whether it may stay, and by which of its rules (Nutch `URLFilter`); an exemption lets a link leave its
 * host all the same (Nutch `URLExemptionFilter`). A parser reads documents of some
 * types (Nutch `Parser`), and a parse filter changes what a parser made of a page (Nutch `HtmlParseFilter`). An indexing
 * filter adds to the document of a page, or drops it (Nutch `IndexingFilter`), and an index writer sends documents to an
 * engine (Nutch `IndexWriter`). A segment merge filter says whether a page enters the segment that MERGESEGS makes (Nutch
 * `SegmentMergeFilter`).
 */
import type { Conf } from '../conf/properties.js';
import type { DocumentTest } from '../core/indexing/exchange-expression.js';
import type { IndexWriter } from '../core/indexing/index-writer.js';
import type { IndexBoost, IndexingFilter } from '../core/indexing/indexing-filter.js';
import type { ParseFilter, Parser } from '../core/page/parser.js';
import type { OwnPort } from '../net/own-ports.js';
import type { SegmentMergeFilter } from '../core/page/merged-page.js';
import type { Signature } from '../core/page/signature.js';
import type { Distribute, OrphanLimits, PageScore, SeedScore, SortValue } from '../core/score/scoring.js';
import type { FetchSchedule } from '../core/schedule/fetch-schedule.js';
import type { FilterAnswer, FilterUrl } from '../core/url/filter-regex.js';
import { RuleError, type Rule } from '../core/url/linear-regex.js';

export interface Normalizer {
  /** The URL in another spelling, the same text, or null to drop it. */
  normalize(url: string): string | null;
  /** The rules that change this URL, for a normalizer that has rules. */
  appliedRules?(url: string): Rule[];
}

/** A parser and the types it reads when no rule of `parser.plugins` says otherwise: `type/subtype`, lower case. */
export interface TypedParser {
  readonly types: readonly string[];
  readonly parse: Parser;
}

/** Says whether a link from one page to another may leave its host; `accepted` means that it is exempt. */
export type ExemptLink = (from: string, to: string) => FilterAnswer;

/** Parameters of one writer of the configuration (index-writers.xml). */
export type WriterParameters = Readonly<Record<string, string>>;

/** What a writer is made for. */
export interface WriterContext {
  /** The writer's id in the configuration: two may be of one plugin. */
  readonly writerId: string;
  readonly crawlId: string;
  readonly job: string;
  /** Which part of the job writes, from 0. */
  readonly part: number;
  /** Where this server and its database listen: no writer may reach it. */
  readonly ownPorts: readonly OwnPort[];
  /** Opens the built-in index of the crawl for writing. */
  readonly openBuiltIn: () => IndexWriter;
  /** The folder for the files of this writer and crawl, which may not exist yet; null where the server has none. */
  readonly folder: string | null;
  /** What `position` of this writer said last, in an earlier attempt of the task; null in the first. */
  readonly position: readonly number[] | null;
}

export interface Plugin {
  /** Nutch's plugin id, which `plugin.includes` chooses by. */
  readonly id: string;
  /** Nutch's class, which the order properties name. */
  readonly className: string;
  /** What it does, in a sentence. */
  readonly description: string;
  /** Of an index writer: it writes where no parameters are given, too. */
  readonly writesWithoutParameters?: boolean;
  /** Ids of plugins that it cannot do without: with `plugin.auto-activation` they are switched on together with it. */
  readonly requires?: readonly string[];
  /** @throws UrlRulesError when a rule cannot be used. */
  makeNormalizer?(conf: Conf, scope: string): Normalizer;
  /** @throws UrlRulesError when a rule cannot be used. */
  makeFilter?(conf: Conf): FilterUrl;
  /** @throws UrlRulesError when a rule cannot be used. */
  makeExemption?(conf: Conf): ExemptLink;
  makeParser?(conf: Conf): TypedParser;
  /** @throws UrlRulesError when a rule cannot be used. */
  makeParseFilter?(conf: Conf): ParseFilter;
  /** Chosen by `db.fetch.schedule.class`. @throws UrlRulesError when a rule cannot be used. */
  makeSchedule?(conf: Conf): FetchSchedule;
  /** Chosen by `db.signature.class`. */
  makeSignature?(conf: Conf): Signature;
  makeSeedScore?(conf: Conf): SeedScore;
  /** @throws UrlRulesError when a rule cannot be used. */
  makeSortValue?(conf: Conf): SortValue;
  makePageScore?(conf: Conf): PageScore;
  /** @throws UrlRulesError when a rule cannot be used. */
  makeDistribute?(conf: Conf): Distribute;
  /** Of several plugins the last one counts. */
  makeOrphanLimits?(conf: Conf): OrphanLimits;
  /** @throws UrlRulesError when a rule cannot be used. */
  makeIndexingFilter?(conf: Conf): IndexingFilter;
  makeIndexBoost?(conf: Conf): IndexBoost;
  /** Whether a page stays when its segment is merged with others. */
  makeSegmentMergeFilter?(conf: Conf): SegmentMergeFilter;
  /** Whether the writers of an exchange get a document. @throws ExpressionError for parameters that cannot be used. */
  makeExchange?(conf: Conf, parameters: WriterParameters): DocumentTest;
  /** @throws Error in words when the parameters cannot be used. */
  makeIndexWriter?(conf: Conf, parameters: WriterParameters, context: WriterContext): IndexWriter;
}

/**
 * The table of points, by the maker that serves each: Nutch's name of the point, and the property that orders its
 * plugins (null: their order in the table of plugins). A maker of `Plugin` is one only when it stands here.
 */
export const points = {
  makeNormalizer: { name: 'URLNormalizer', order: 'urlnormalizer.order' },
  makeFilter: { name: 'URLFilter', order: 'urlfilter.order' },
  makeExemption: { name: 'URLExemptionFilter', order: null },
  makeParser: { name: 'Parser', order: null },
  makeParseFilter: { name: 'HtmlParseFilter', order: 'htmlparsefilter.order' },
  makeSchedule: { name: 'FetchSchedule', order: null },
  makeSignature: { name: 'Signature', order: null },
  makeSeedScore: { name: 'ScoringFilter.injectedScore', order: 'scoring.filter.order' },
  makeSortValue: { name: 'ScoringFilter.generatorSortValue', order: 'scoring.filter.order' },
  makePageScore: { name: 'ScoringFilter.passScoreAfterParsing', order: 'scoring.filter.order' },
  makeDistribute: { name: 'ScoringFilter.distributeScoreToOutlinks', order: 'scoring.filter.order' },
  makeOrphanLimits: { name: 'ScoringFilter.orphanedScore', order: 'scoring.filter.order' },
  makeIndexingFilter: { name: 'IndexingFilter', order: 'indexingfilter.order' },
  makeIndexBoost: { name: 'ScoringFilter.indexerScore', order: 'scoring.filter.order' },
  makeSegmentMergeFilter: { name: 'SegmentMergeFilter', order: null },
  makeExchange: { name: 'Exchange', order: null },
  makeIndexWriter: { name: 'IndexWriter', order: null },
} as const;

/** The names of the points, as keys of a plugin. */
export type Point = keyof typeof points;

export type PluginFor<P extends Point> = Plugin & Required<Pick<Plugin, P>>;

/** Rules that cannot be used, with the property they stand in: a 400 where a configuration is given. */
export class UrlRulesError extends Error {
  override readonly name = 'UrlRulesError';

  constructor(
    readonly property: string,
    override readonly cause: RuleError,
  ) {
    super(`${property}: ${cause.message}`, { cause });
  }
}

/** Runs `compile` on the rules of `property`, naming the property when a rule is refused. */
export function withRules<T>(property: string, rules: string, compile: (rules: string) => T): T {
  try {
    return compile(rules);
  } catch (error) {
    if (error instanceof RuleError) throw new UrlRulesError(property, error);
    throw error;
  }
}

/** A property by a name that is made up at run time (`urlnormalizer.scope.<scope>`), as text; `''` when unset. */
export function textOf(conf: Conf, property: string): string {
  const value = (conf as Readonly<Record<string, unknown>>)[property];
  return Array.isArray(value) ? value.join(' ') : typeof value === 'string' ? value : '';
}
