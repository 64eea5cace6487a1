/**
 * The types of `orbweaver/plugin` for authors of plugins (docs/plugins.md).
 *
 * A plugin from outside is one like ours, only that less has to be said: a filter may answer true or false, a parser and
 * a parse filter the fields that they know. What is left out is filled in where the plugin is loaded.
 */
import type { Conf } from '../conf/properties.js';
import type { ParsedPage, ParserInput, ReadPage } from '../core/page/parser.js';
import type { FilterAnswer } from '../core/url/filter-regex.js';
import type { FetchSchedule } from '../core/schedule/fetch-schedule.js';
import type { Distribution, PayingPage } from '../core/score/scoring.js';
import type { FoundLink } from '../core/html/link-collector.js';
import type { Normalizer, Plugin } from './extension-points.js';

/** The configuration: properties of the table by name, typed, and with them those that plugins declare. */
export type PluginConf = Conf & Readonly<Record<string, unknown>>;

/** A property that a plugin declares. It is then known, checked and listed like all others. */
export interface DeclaredProperty {
  /** Default: text. */
  readonly kind?: 'text' | 'int' | 'float' | 'flag' | 'list' | 'rules';
  readonly default: string | number | boolean | readonly string[];
  /** What it does, in a sentence. */
  readonly description: string;
}

type Later<T> = T | Promise<T>;

/** A link as its URL, or with more. */
type GivenLink = string | (Pick<FoundLink, 'url'> & Partial<FoundLink>);

/** The fields of a page that a plugin gives: each may be left out. */
export interface GivenPage extends Partial<Omit<ReadPage, 'outlinks' | 'metadata' | 'facts'>> {
  readonly outlinks?: readonly GivenLink[];
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
}

/** A parser from outside: the types it reads (`type/subtype`, lower case), and how. */
export interface GivenParser {
  readonly types: readonly string[];
  parse(input: ParserInput): Later<GivenPage>;
}

/** What a filter says: true and false do. */
type Verdict = boolean | (Pick<FilterAnswer, 'accepted'> & Partial<FilterAnswer>);

/** The makers for which less has to be said than for built-in plugins. */
type Changed =
  | 'className'
  | 'requires'
  | 'makeNormalizer'
  | 'makeFilter'
  | 'makeExemption'
  | 'makeParser'
  | 'makeParseFilter'
  | 'makeSchedule'
  | 'makeDistribute';

/** The default export of a file in PLUGIN_DIR, or one of an array of them. */
export interface ExternalPlugin extends Omit<Plugin, Changed> {
  /** What order properties may name besides the id. Default: the id. */
  readonly className?: string;
  /** Ids of plugins that it cannot do without. */
  readonly requires?: readonly string[];
  readonly properties?: Readonly<Record<string, DeclaredProperty>>;
  makeNormalizer?(conf: PluginConf, scope: string): Normalizer;
  makeFilter?(conf: PluginConf): (url: string) => Verdict;
  makeExemption?(conf: PluginConf): (from: string, to: string) => Verdict;
  makeParser?(conf: PluginConf): GivenParser;
  makeParseFilter?(conf: PluginConf): (page: ParsedPage, input: ParserInput) => Later<GivenPage>;
  /** Methods that are left out are those of the default schedule. */
  makeSchedule?(conf: PluginConf): Partial<FetchSchedule>;
  /** Fields that are left out stay as the filters before it made them. */
  makeDistribute?(conf: PluginConf): (page: PayingPage, so: Distribution) => Partial<Distribution>;
}
