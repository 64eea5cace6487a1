/**
 * The types of `orbweaver/plugin` for authors of plugins (docs/plugins.md).
 *
 * An external plugin has the interface of a built-in one with more defaults: a filter may return true or false, a parser
 * and a parse filter only some fields. The guard fills in the rest.
 */
import type { IndexDocument } from '../core/indexing/index-document.js';
import type { IndexWriter, RefusedDocument } from '../core/indexing/index-writer.js';
import type { ParseStatus } from '../core/page/parse-status.js';
import type { Normalizer } from '../core/url/url-rules.js';
import type { Conf } from '../core/conf/properties.js';
import type { ParsedPage, ParserInput, ReadPage } from '../core/page/parser.js';
import type { FilterVerdict } from '../core/url/url-filter.js';
import type { FetchSchedule } from '../core/schedule/fetch-schedule.js';
import type { Distribution, DistributingPage } from '../core/score/scoring-filter.js';
import type { FoundLink } from '../core/html/link-collector.js';
import type { Plugin, Point, WriterContext, WriterParameters } from './extension-points.js';

/** The configuration: typed properties by name, and those that plugins declare. */
export type PluginConf = Conf & Readonly<Record<string, unknown>>;

/** A property that a plugin declares. It is checked and listed like all others. */
export interface DeclaredProperty {
  /** Default: text. */
  readonly kind?: 'text' | 'int' | 'float' | 'flag' | 'list' | 'rules';
  readonly default: string | number | boolean | readonly string[];
  /** Its purpose, in one sentence. */
  readonly description: string;
}

type Later<T> = T | Promise<T>;

/** A link as its URL, or with further fields. */
type GivenLink = string | (Pick<FoundLink, 'url'> & Partial<FoundLink>);

type MetadataValue = string | number | boolean;

type Refresh = NonNullable<ReadPage['refresh']>;

/** The fields of a page that a plugin returns: all are optional. */
export interface GivenPage extends Partial<
  Omit<ReadPage, 'status' | 'outlinks' | 'robots' | 'refresh' | 'metadata' | 'facts'>
> {
  readonly status?: Pick<ParseStatus, 'major'> & Partial<ParseStatus>;
  readonly robots?: Partial<ReadPage['robots']>;
  readonly refresh?: (Pick<Refresh, 'url'> & Partial<Refresh>) | null;
  readonly outlinks?: readonly GivenLink[];
  /** An array is several values of a name. */
  readonly metadata?: Readonly<Record<string, MetadataValue | readonly MetadataValue[]>>;
}

/** An external parser and its types (`type/subtype`, lower case). */
export interface GivenParser {
  readonly types: readonly string[];
  parse(input: ParserInput): Later<GivenPage>;
}

/** The verdict of a filter, or just true or false. */
type Verdict = boolean | (Pick<FilterVerdict, 'accepted'> & Partial<FilterVerdict>);

/** An external index writer. */
export interface GivenWriter extends Pick<IndexWriter, 'delete' | 'commit' | 'close'> {
  /** Returns the documents that it refuses, or nothing. */
  write(
    documents: readonly IndexDocument[],
  ): Promise<readonly Pick<RefusedDocument, 'id' | 'reason'>[] | null> | Promise<void>;
}

/** The members that differ from those of built-in plugins. */
type Changed =
  | 'makeProtocol'
  | 'makeNormalizer'
  | 'makeFilter'
  | 'makeExemption'
  | 'makeParser'
  | 'makeParseFilter'
  | 'makeSchedule'
  | 'makeDistribute'
  | 'makeIndexWriter';

/** A maker that gets the properties which plugins declare, too. */
type WithPluginConf<Maker> = Maker extends (conf: Conf, ...more: infer More) => infer Made
  ? (conf: PluginConf, ...more: More) => Made
  : never;

type OtherMakers = { readonly [P in Exclude<Point, Changed>]?: WithPluginConf<Required<Plugin>[P]> };

/** The default export of a file in PLUGIN_DIR: a plugin, or an array of plugins. */
export interface ExternalPlugin extends Omit<Plugin, Point | 'className' | 'requires' | 'readsOutlinks'>, OtherMakers {
  /** A name for order properties besides the id. Default: the id. */
  readonly className?: string;
  /** Ids of plugins that it depends on. */
  readonly requires?: readonly string[];
  readonly properties?: Readonly<Record<string, DeclaredProperty>>;
  makeNormalizer?(conf: PluginConf, scope: string): Normalizer;
  makeFilter?(conf: PluginConf): (url: string) => Verdict;
  makeExemption?(conf: PluginConf): (from: string, to: string) => Verdict;
  makeParser?(conf: PluginConf): GivenParser;
  makeParseFilter?(conf: PluginConf): (page: ParsedPage, input: ParserInput) => Later<GivenPage>;
  /** Missing methods are those of the default schedule. */
  makeSchedule?(conf: PluginConf): Partial<FetchSchedule>;
  /** Missing fields keep the values of the previous filter. */
  makeDistribute?(conf: PluginConf): (page: DistributingPage, shares: Distribution) => Partial<Distribution>;
  makeIndexWriter?(conf: PluginConf, parameters: WriterParameters, context: WriterContext): GivenWriter;
}
