/**
 * The parsers and parse filters of a configuration, and which parsers read which type.
 *
 * A parser reads the types that it names itself; parsers of one type are tried in the order of the table of plugins.
 */
import type { Conf } from '../conf/properties.js';
import type { Named, ParseChain, Parser } from '../core/page/parser.js';
import { makeSignature } from './chosen-by-class.js';
import { activePlugins, inOrder, pluginsFor } from './registry.js';

/** What reads here what Nutch's parse-tika reads there. */
const TIKA = ['parse-text', 'parse-pdf', 'parsefilter-readable'];

/** The ids of active plugins. Configurations made for Nutch read text and PDF by parse-tika; here others stand for it. */
export function activeForParsing(conf: Conf): ReadonlySet<string> {
  const { active, notBuilt } = activePlugins(conf);
  return notBuilt.includes('parse-tika') ? new Set([...active, ...TIKA]) : active;
}

/**
 * Makes the chain of a configuration.
 * @throws UrlRulesError naming the property, the rule, the position and the reason.
 */
export function makeParseChain(conf: Conf): ParseChain {
  const active = activeForParsing(conf);
  const parsers = pluginsFor('makeParser')
    .filter(({ id }) => active.has(id))
    .map((plugin) => ({ id: plugin.id, ...plugin.makeParser(conf) }));
  const filters = inOrder(pluginsFor('makeParseFilter'), active, conf['htmlparsefilter.order']).map((plugin) => ({
    id: plugin.id,
    run: plugin.makeParseFilter(conf),
  }));
  const byType = new Map<string, Named<Parser>[]>();
  for (const { id, types, parse } of parsers) {
    for (const type of types) byType.set(type, [...(byType.get(type) ?? []), { id, run: parse }]);
  }
  return { parsersOf: (type) => byType.get(type) ?? [], filters, signature: makeSignature(conf) };
}
