/**
 * The normalizers of a scope: which of them run, in which order, how often.
 *
 * Without a list of the scope's own the order is `urlnormalizer.order`, and those that it does not name follow; a list of
 * its own leaves all others out.
 */
import type { Conf } from '../conf/properties.js';
import { textOf, type Normalizer } from './extension-points.js';
import { inOrder, pluginsFor } from './registry.js';

/** A normalizer or filter under the id of its plugin. */
export interface Named<T> {
  readonly id: string;
  readonly run: T;
}

/** The scopes that Nutch names; the rules of all of them are checked where a configuration is given. */
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

/** @throws UrlRulesError naming the property, the rule, the position and the reason. */
export function makeChain(conf: Conf, active: ReadonlySet<string>, scope: string): readonly Named<Normalizer>[] {
  const own = textOf(conf, `urlnormalizer.scope.${scope}`)
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  const order = own.length > 0 ? own : conf['urlnormalizer.order'];
  const isNamed = ({ id, className }: { id: string; className: string }) =>
    order.includes(id) || order.includes(className);
  const ordered = inOrder(pluginsFor('makeNormalizer'), active, order);
  const chosen = own.length > 0 ? ordered.filter(isNamed) : insertFragments(ordered, isNamed, scope);
  return chosen.map((plugin) => ({ id: plugin.id, run: plugin.makeNormalizer(conf, scope) }));
}

/**
 * `urlnormalizer-basic` drops fragments: so what reads them runs before it and, in scope indexer, what writes them
 * behind it, where the order does not name it.
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

/** The URL behind all normalizers, repeated until nothing changes or `loopCount` is reached; null when one drops it. */
export function normalizeWith(chain: readonly Named<Normalizer>[], url: string, loopCount: number): string | null {
  let current = url;
  for (let round = 0; round < loopCount; round++) {
    const before = current;
    for (const { run } of chain) {
      const next = run.normalize(current);
      if (next === null) return null;
      current = next;
    }
    if (current === before) break;
  }
  return current;
}
