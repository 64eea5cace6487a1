/**
 * The table of plugins, and which of them a configuration switches on.
 *
 * `plugin.includes` is an expression over plugin ids that must match a whole id; `plugin.excludes` takes away again.
 * Ids that Nutch knows and that are not built here are accepted and do nothing, so that a configuration made for
 * Nutch works; ids that nobody knows are named, as they are most likely misspelt.
 */
import type { Conf } from '../conf/properties.js';
import { compileLinear } from '../core/url/linear-regex.js';
import { builtinPlugins } from './builtins.js';
import { type Plugin, type PluginFor, type Point, withRules } from './extension-points.js';
import { literalAlternatives } from './literal-alternatives.js';

/** All plugins there are, in the order in which they run when no order is given. */
export const plugins: readonly Plugin[] = builtinPlugins;

/** Plugins that serve a point. */
export function pluginsFor<P extends Point>(point: P): PluginFor<P>[] {
  return plugins.filter((plugin): plugin is PluginFor<P> => plugin[point] !== undefined);
}

/** Plugins that live in the steps of the crawl, which ask whether their id is active. */
const builtInSteps = ['headings', 'parse-html', 'parse-text', 'protocol-http', 'scoring-opic'];

/** Every id that is built here. */
export const builtInIds: readonly string[] = [...plugins.map(({ id }) => id), ...builtInSteps];

/** Ids of Nutch 1.x and 2.x that are not built here. */
const nutchIds = new Set(
  [
    'any23 creativecommons feed language-identifier lib-htmlunit lib-http lib-nekohtml lib-rabbitmq',
    'lib-regex-filter lib-selenium lib-xml microformats-reltag mimetype-filter nutch-extensionpoints subcollection',
    'tld urlmeta exchange-jexl index-anchor index-arbitrary index-basic index-geoip index-html index-jexl-filter',
    'index-links index-metadata index-more index-replace index-static indexer-cloudsearch indexer-csv indexer-dummy',
    'indexer-elastic indexer-elastic2 indexer-hbase indexer-kafka indexer-opensearch-1x indexer-rabbit indexer-solr',
    'parse-ext parse-js parse-metatags parse-swf parse-tika parse-zip parsefilter-debug parsefilter-naivebayes',
    'parsefilter-regex protocol-file protocol-foo protocol-ftp protocol-htmlunit protocol-httpclient',
    'protocol-interactiveselenium protocol-okhttp protocol-selenium protocol-sftp publish-rabbitmq scoring-depth',
    'scoring-link scoring-metadata scoring-orphan scoring-similarity urlfilter-automaton urlfilter-domainblacklist',
    'urlfilter-domaindenylist urlfilter-fast urlfilter-ignoreexempt urlfilter-prefix urlfilter-validator',
    'urlnormalizer-ajax urlnormalizer-host urlnormalizer-protocol urlnormalizer-querystring urlnormalizer-slash',
  ].flatMap((line) => line.split(' ')),
);

export interface ActivePlugins {
  /** Ids that are switched on and built here. */
  readonly active: ReadonlySet<string>;
  /** Ids that `plugin.includes` spells out and Nutch has, but not we. */
  readonly notBuilt: readonly string[];
  /** Ids that `plugin.includes` spells out and nobody has. */
  readonly unknown: readonly string[];
}

/**
 * What `plugin.includes` and `plugin.excludes` switch on.
 * @throws UrlRulesError when either is no expression that runs in linear time.
 */
export function activePlugins(conf: Conf): ActivePlugins {
  const included = wholeMatch('plugin.includes', conf['plugin.includes']);
  const excluded = wholeMatch('plugin.excludes', conf['plugin.excludes']);
  const others = literalAlternatives(conf['plugin.includes']).filter((id) => !builtInIds.includes(id) && !excluded(id));
  return {
    active: new Set(builtInIds.filter((id) => included(id) && !excluded(id))),
    notBuilt: others.filter((id) => nutchIds.has(id)),
    unknown: others.filter((id) => !nutchIds.has(id)),
  };
}

/** A test for whole ids; an empty expression matches none. */
function wholeMatch(property: string, expression: string): (id: string) => boolean {
  const trimmed = expression.trim();
  if (trimmed === '') return () => false;
  const rule = { number: 1, text: trimmed };
  return withRules(property, trimmed, (text) => {
    compileLinear(text, { rule, offset: 0 });
    return compileLinear(`^(?:${text})$`, { rule, offset: -'^(?:'.length }).test;
  });
}

/**
 * Plugins of `all` that are active, those that `order` names first (by class or id), in that order.
 * Names in `order` that are not active are passed over.
 */
export function inOrder<P extends { id: string; className: string }>(
  all: readonly P[],
  active: ReadonlySet<string>,
  order: readonly string[],
): P[] {
  const enabled = all.filter(({ id }) => active.has(id));
  const named = order.flatMap((name) => enabled.filter(({ id, className }) => name === id || name === className));
  return [...new Set([...named, ...enabled])];
}
