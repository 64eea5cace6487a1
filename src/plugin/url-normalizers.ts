/**
 * Selects and orders the normalizers of a scope.
 *
 * If a scope has its own list, only the normalizers in that list run. Otherwise the order is `urlnormalizer.order`,
 * followed by those that it does not name.
 */
import type { Conf } from '../core/conf/properties.js';
import type { Normalizer } from '../core/url/url-rules.js';
import { propertyText } from './extension-points.js';
import { inOrder, pluginsFor } from './registry.js';
import type { PluginImplementation } from '../core/plugin-implementation.js';

/** The scopes of Nutch; the rules of all of them are checked when a configuration is set. */
export const knownScopes = [
  'default',
  'partition',
  'generate_host_count',
  'fetcher',
  'crawldb',
  'linkdb',
  'inject',
  'outlink',
  'indexer',
  'exempted',
];

const READS_FRAGMENTS = 'urlnormalizer-ajax';

/** @throws RulesRefused naming the property, the rule, the position and the reason. */
export function makeChain(
  conf: Conf,
  active: ReadonlySet<string>,
  scope: string,
): readonly PluginImplementation<Normalizer>[] {
  const named = propertyText(conf, `urlnormalizer.scope.${scope}`)
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  const order = named.length > 0 ? named : conf['urlnormalizer.order'];
  const isNamed = ({ id, className }: { id: string; className: string }) =>
    order.includes(id) || order.includes(className);
  const ordered = inOrder(pluginsFor('makeNormalizer'), active, order);
  const chosen = named.length > 0 ? ordered.filter(isNamed) : insertFragments(ordered, isNamed, scope);
  return chosen.map((plugin) => ({ id: plugin.id, run: plugin.makeNormalizer(conf, scope) }));
}

/**
 * `urlnormalizer-basic` drops fragments: so urlnormalizer-ajax, which reads them, runs before it and, in scope indexer,
 * where it writes them, after it, unless the order names it.
 */
function insertFragments<P extends { id: string; className: string }>(
  ordered: readonly P[],
  isNamed: (plugin: P) => boolean,
  scope: string,
): P[] {
  const movable = ordered.filter((plugin) => plugin.id === READS_FRAGMENTS && !isNamed(plugin));
  const others = ordered.filter((plugin) => !movable.includes(plugin));
  return scope === 'indexer' ? [...others, ...movable] : [...movable, ...others];
}
