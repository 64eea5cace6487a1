/**
 * The extension points and the interface of plugins. A plugin has an id and, for every point it implements, a maker: a
 * function that creates the extension from a configuration. Everything expensive (reading rules, compiling expressions)
 * happens there, once, and invalid rules are rejected there.
 *
 * A normalizer rewrites a URL, or returns null to drop it (Nutch `URLNormalizer`). A filter accepts or rejects a URL, and
 * names the deciding rule (Nutch `URLFilter`); an exemption lets a link leave its host nevertheless (Nutch
 * `URLExemptionFilter`). A parser parses documents of some types (Nutch `Parser`), and a parse filter changes the parsed
 * page (Nutch `HtmlParseFilter`). An indexing filter changes or drops the document of a page (Nutch `IndexingFilter`), and
 * an index writer sends documents to an engine (Nutch `IndexWriter`). A segment merge filter decides whether a page enters
 * the segment that MERGESEGS writes (Nutch `SegmentMergeFilter`). A protocol fetches URLs of schemes other than http and https
 * (Nutch `Protocol`).
 */
import type { Conf } from '../core/conf/properties.js';
import { PropertyRefused } from '../core/conf/property-refused.js';
import type { DocumentTest } from '../core/indexing/exchange-expression.js';
import type { IndexWriter } from '../core/indexing/index-writer.js';
import type { IndexBoost, IndexingFilter } from '../core/indexing/indexing-filter.js';
import type { ParseFilter, Parser } from '../core/page/parser.js';
import type { HttpAnswer } from '../net/http-answer.js';
import type { FetchLimits, HttpRequest } from '../net/http-client.js';
import type { OwnPort } from '../core/address/own-ports.js';
import type { Resolve } from '../core/address/egress-guard.js';
import type { SegmentMergeFilter } from '../core/page/merged-page.js';
import type { Signature } from '../core/page/signature.js';
import type { Distribute, OrphanLimits, PageScore, SeedScore, SortValue } from '../core/score/scoring-filter.js';
import type { FetchSchedule } from '../core/schedule/fetch-schedule.js';
import type { FilterUrl } from '../core/url/url-filter.js';
import { RuleError } from '../core/url/linear-regex.js';
import type { ExemptLink, Normalizer } from '../core/url/url-rules.js';

/** A parser and its types, used unless a rule of `parser.plugins` overrides them: `type/subtype`, lower case. */
export interface TypedParser {
  readonly types: readonly string[];
  readonly parse: Parser;
}

/** Parameters of one writer of the configuration (index-writers.xml). */
export type WriterParameters = Readonly<Record<string, string>>;

/** The context of a writer. */
export interface WriterContext {
  /** The writer's id in the configuration: a plugin may have several writers. */
  readonly writerId: string;
  readonly crawlId: string;
  readonly job: string;
  /** The partition of the job that writes, from 0. */
  readonly part: number;
  /** Ports on which this server and its database listen: no writer may connect to them. */
  readonly ownPorts: readonly OwnPort[];
  /** Opens the built-in index of the crawl for writing. */
  readonly openBuiltIn: () => IndexWriter;
  /** The folder for files of this writer and crawl, which may not exist yet; null where the server has none. */
  readonly folder: string | null;
  /** The last result of this writer's `position` in an earlier attempt of the task; null in the first. */
  readonly position: readonly number[] | null;
}

/** The context of the client of a protocol. */
export interface ProtocolContext {
  /** Ports on which this server and its database listen: never connected to. */
  readonly ownPorts: readonly OwnPort[];
  /** Resolves names to addresses; default: the system's resolver with a cache. */
  readonly resolve?: Resolve | undefined;
  /** Receives what a client and a server say to each other. */
  readonly talk?: ((url: string, line: string) => void) | undefined;
}

/** Fetches pages of one task; its answers have the form and the status of HTTP. It never rejects. */
export interface ProtocolClient {
  fetch(request: HttpRequest, limits: FetchLimits): Promise<HttpAnswer>;
  /** Ends all fetches. */
  close(): void;
}

/** A protocol other than HTTP. */
export interface Protocol {
  /** In lower case; none: its properties allow no URL. Only URLs of these schemes enter the crawl. */
  readonly schemes: readonly string[];
  /** The limits of a fetch, which differ from those of HTTP. */
  readonly limits: Partial<FetchLimits>;
  open(context: ProtocolContext): ProtocolClient;
}

export interface Plugin {
  /** Nutch's plugin id, by which `plugin.includes` selects. */
  readonly id: string;
  /** Nutch's class, for the order properties. */
  readonly className: string;
  /** Its purpose, in one sentence. */
  readonly description: string;
  /** For an indexing filter of this program: it reads the links of a page. */
  readonly readsOutlinks?: boolean;
  /** For an index writer: it needs no parameters. */
  readonly writesWithoutParameters?: boolean;
  /** For an index writer: several tasks of a job may write at the same time, each the documents of a partition. */
  readonly writesConcurrently?: boolean;
  /** Ids of plugins that it depends on: `plugin.auto-activation` activates them together with it. */
  readonly requires?: readonly string[];
  makeProtocol?(conf: Conf): Protocol;
  /** @throws RulesRefused when a rule cannot be used. */
  makeNormalizer?(conf: Conf, scope: string): Normalizer;
  /** @throws RulesRefused when a rule cannot be used. */
  makeFilter?(conf: Conf): FilterUrl;
  /** @throws RulesRefused when a rule cannot be used. */
  makeExemption?(conf: Conf): ExemptLink;
  makeParser?(conf: Conf): TypedParser;
  /** @throws RulesRefused when a rule cannot be used. */
  makeParseFilter?(conf: Conf): ParseFilter;
  /** Chosen by `db.fetch.schedule.class`. @throws RulesRefused when a rule cannot be used. */
  makeSchedule?(conf: Conf): FetchSchedule;
  /** Chosen by `db.signature.class`. */
  makeSignature?(conf: Conf): Signature;
  makeSeedScore?(conf: Conf): SeedScore;
  /** @throws RulesRefused when a rule cannot be used. */
  makeSortValue?(conf: Conf): SortValue;
  makePageScore?(conf: Conf): PageScore;
  /** @throws RulesRefused when a rule cannot be used. */
  makeDistribute?(conf: Conf): Distribute;
  /** Of several plugins the last one counts. */
  makeOrphanLimits?(conf: Conf): OrphanLimits;
  /** @throws RulesRefused when a rule cannot be used. */
  makeIndexingFilter?(conf: Conf): IndexingFilter;
  makeIndexBoost?(conf: Conf): IndexBoost;
  /** Whether a page is kept when its segment is merged with others. */
  makeSegmentMergeFilter?(conf: Conf): SegmentMergeFilter;
  /** Whether the writers of an exchange get a document. @throws ExpressionError for invalid parameters. */
  makeExchange?(conf: Conf, parameters: WriterParameters): DocumentTest;
  /** @throws Error with a reason for invalid parameters. */
  makeIndexWriter?(conf: Conf, parameters: WriterParameters, context: WriterContext): IndexWriter;
}

/**
 * The table of points, by maker: Nutch's name of the point, and the property that orders its plugins (null: their order in
 * the table of plugins). A method of `Plugin` is a maker only if it is listed here.
 */
export const points = {
  makeProtocol: { name: 'Protocol', order: null },
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

/** Invalid rules, with their property: status 400 when a configuration is set. */
export class RulesRefused extends PropertyRefused {
  override readonly name = 'RulesRefused';

  constructor(
    property: string,
    override readonly cause: RuleError,
  ) {
    super(property, `${property}: ${cause.message}`, { cause });
  }
}

/** Runs `compile` on the rules of `property`; the error for an invalid rule names the property. */
export function withRules<T>(property: string, rules: string, compile: (rules: string) => T): T {
  try {
    return compile(rules);
  } catch (error) {
    if (error instanceof RuleError) throw new RulesRefused(property, error);
    throw error;
  }
}

/** A property whose name is built at run time (`urlnormalizer.scope.<scope>`), as text; `''` when unset. */
export function propertyText(conf: Conf, property: string): string {
  const value = (conf as Readonly<Record<string, unknown>>)[property];
  return Array.isArray(value) ? value.join(' ') : typeof value === 'string' ? value : '';
}
