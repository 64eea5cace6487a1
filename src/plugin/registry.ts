/**
 * The table of plugins, and the selection of active ones by a configuration.
 *
 * `plugin.includes` is an expression that must match a whole plugin id, `plugin.includes.also` adds ids, and
 * `plugin.excludes` removes some.
 * Ids of Nutch that are not implemented here are accepted and ignored, so that a configuration for Nutch works; unknown
 * ids are reported, as they are most likely misspelt.
 */
import type { Conf } from '../core/conf/properties.js';
import { compileWhole } from '../core/url/linear-regex.js';
import { builtinPlugins } from './builtins.js';
import { type Plugin, type PluginFor, type Point, withRules } from './extension-points.js';
import { literalAlternatives } from '../core/conf/literal-alternatives.js';

/** A plugin in the table, and its origin: `built-in`, or the name of a file or folder in PLUGIN_DIR. */
export interface ListedPlugin {
  readonly plugin: Plugin;
  readonly origin: string;
}

const BUILT_IN = 'built-in';

export const isBuiltIn = ({ origin }: ListedPlugin): boolean => origin === BUILT_IN;

/** Plugins without makers: steps of the crawl implement them and test whether their id is active. */
const builtInSteps: readonly Plugin[] = [
  { id: 'protocol-http', className: 'org.apache.nutch.protocol.http.Http', description: 'Fetches http and https.' },
];

const table: ListedPlugin[] = [...builtinPlugins, ...builtInSteps].map((plugin) => ({ plugin, origin: BUILT_IN }));

/** All plugins; those of one point run in this order where no property orders them. */
export function listedPlugins(): readonly ListedPlugin[] {
  return table;
}

/**
 * Adds external plugins after the built-in ones. Called once, at the start of a process, before any configuration is
 * compiled.
 */
export function addPlugins(added: readonly ListedPlugin[]): void {
  table.push(...added);
  last = undefined;
}

export function pluginsFor<P extends Point>(point: P): PluginFor<P>[] {
  return table
    .map(({ plugin }) => plugin)
    .filter((plugin): plugin is PluginFor<P> => (plugin as Partial<Record<Point, unknown>>)[point] !== undefined);
}

/** Every id in the table. */
export function knownIds(): string[] {
  return table.map(({ plugin }) => plugin.id);
}

/** Ids of Nutch 1.x and 2.x that are not implemented here. */
const nutchIds = new Set(
  [
    'any23 creativecommons lib-htmlunit lib-http lib-nekohtml lib-rabbitmq',
    'lib-regex-filter lib-selenium lib-xml microformats-reltag nutch-extensionpoints',
    'tld index-arbitrary index-geoip index-html',
    'indexer-cloudsearch',
    'indexer-elastic2 indexer-hbase indexer-kafka indexer-rabbit',
    'parse-ext parse-swf parse-tika parse-zip parsefilter-debug parsefilter-naivebayes',
    'parsefilter-regex protocol-foo protocol-htmlunit protocol-httpclient',
    'protocol-interactiveselenium protocol-okhttp protocol-selenium protocol-sftp publish-rabbitmq',
    'urlfilter-domainblacklist',
  ].flatMap((line) => line.split(' ')),
);

export interface ActivePlugins {
  /** Ids that are active. */
  readonly active: ReadonlySet<string>;
  /** Ids in `plugin.includes` that only Nutch has. */
  readonly onlyInNutch: readonly string[];
  /** Ids in `plugin.includes` that no plugin has. */
  readonly unknown: readonly string[];
}

/** Cache of the last result: each task needs it several times, and compiling the expressions takes milliseconds. */
let last: { readonly key: string; readonly found: ActivePlugins } | undefined;

/**
 * The plugins that `plugin.includes` and `plugin.excludes` activate.
 * @throws RulesRefused when either is not a valid expression that runs in linear time.
 */
export function activePlugins(conf: Conf): ActivePlugins {
  const properties = ['plugin.includes', 'plugin.includes.also', 'plugin.excludes', 'plugin.auto-activation'] as const;
  const key = JSON.stringify(properties.map((name) => conf[name]));
  if (last?.key !== key) last = { key, found: findActive(conf) };
  return last.found;
}

function findActive(conf: Conf): ActivePlugins {
  const names = ['plugin.includes', 'plugin.includes.also'] as const;
  const [included, also] = names.map((name) => wholeMatch(name, conf[name]));
  const excluded = wholeMatch('plugin.excludes', conf['plugin.excludes']);
  const known = new Set(knownIds());
  const spelt = new Set(names.flatMap((name) => literalAlternatives(conf[name])));
  const others = [...spelt].filter((id) => !known.has(id) && !excluded(id));
  const chosen = new Set([...known].filter((id) => (included?.(id) || also?.(id)) && !excluded(id)));
  return {
    active: withRequired(chosen, (id) => conf['plugin.auto-activation'] && known.has(id) && !excluded(id)),
    onlyInNutch: others.filter((id) => nutchIds.has(id)),
    unknown: others.filter((id) => !nutchIds.has(id)),
  };
}

/** The chosen plugins and those they require, where `mayAdd` allows; without plugins whose requirements are not met. */
function withRequired(chosen: ReadonlySet<string>, mayAdd: (id: string) => boolean): Set<string> {
  const requires = new Map(table.map(({ plugin: { id, requires = [] } }) => [id, requires]));
  const active = new Set(chosen);
  // Iteration of a set includes elements added during the loop.
  for (const id of active)
    for (const requiredId of requires.get(id) ?? []) if (mayAdd(requiredId)) active.add(requiredId);
  const lacks = () => [...active].filter((id) => requires.get(id)?.some((requiredId) => !active.has(requiredId)));
  for (let without = lacks(); without.length > 0; without = lacks()) without.forEach((id) => active.delete(id));
  return active;
}

/** A test for whole ids; an empty expression matches none. */
function wholeMatch(property: string, expression: string): (id: string) => boolean {
  const trimmed = expression.trim();
  if (trimmed === '') return () => false;
  return withRules(property, trimmed, (text) => compileWhole(text).test);
}

/**
 * The active plugins of `plugins`: first those that `order` names (by class or id), in that order.
 * Names in `order` that are not active are ignored.
 */
export function inOrder<P extends { id: string; className: string }>(
  plugins: readonly P[],
  active: ReadonlySet<string>,
  order: readonly string[],
): P[] {
  const enabled = plugins.filter(({ id }) => active.has(id));
  const named = order.flatMap((name) => enabled.filter(({ id, className }) => name === id || name === className));
  return [...new Set([...named, ...enabled])];
}
