/**
 * The parsers and parse filters of a configuration, and the assignment of parsers to types.
 *
 * The parsers of a type are those that its line of `parser.plugins` names, in that order. Without a line, or if none of
 * them is active, they are those that declare the type, in the order of the table of plugins; else, for an XML type,
 * those for any XML; else those of the line `*`.
 */
import type { Conf } from '../core/conf/properties.js';
import type { ParseChain, Parser } from '../core/page/parser.js';
import { compileParserRules } from '../core/page/parser-rules.js';
import { makeSignature } from './chosen-by-class.js';
import { withRules } from './extension-points.js';
import { activePlugins, inOrder, pluginsFor } from './registry.js';
import type { PluginImplementation } from '../core/plugin-implementation.js';

/** The plugins that replace Nutch's parse-tika. */
const TIKA = ['parse-text', 'parse-pdf', 'parsefilter-readable', 'feed', 'parse-sitemap', 'parse-json', 'parse-xml'];

/** The ids of active plugins. Configurations for Nutch parse all but HTML by parse-tika; here others replace it. */
export function activeForParsing(conf: Conf): ReadonlySet<string> {
  const { active, onlyInNutch } = activePlugins(conf);
  return onlyInNutch.includes('parse-tika') ? new Set([...active, ...TIKA]) : active;
}

/**
 * Makes the chain of a configuration.
 * @throws RulesRefused naming the property, the rule, the position and the reason.
 */
export function makeParseChain(conf: Conf): ParseChain {
  const active = activeForParsing(conf);
  const filters = inOrder(pluginsFor('makeParseFilter'), active, conf['htmlparsefilter.order']).map((plugin) => ({
    id: plugin.id,
    run: plugin.makeParseFilter(conf),
  }));
  return { parsersOf: makeParsersOf(conf, active), filters, signature: makeSignature(conf) };
}

function makeParsersOf(conf: Conf, active: ReadonlySet<string>): ParseChain['parsersOf'] {
  const byId = new Map<string, PluginImplementation<Parser>>();
  const byType = new Map<string, PluginImplementation<Parser>[]>();
  for (const plugin of pluginsFor('makeParser').filter(({ id }) => active.has(id))) {
    const { types, parse } = plugin.makeParser(conf);
    const parser = { id: plugin.id, run: parse };
    byId.set(plugin.id, parser);
    for (const type of types) byType.set(type, [...(byType.get(type) ?? []), parser]);
  }
  const declaring = (type: string) => byType.get(type) ?? (type.endsWith('+xml') ? byType.get('+xml') : undefined);
  const property = 'parser.plugins';
  const rules = withRules(property, conf[property], compileParserRules);
  const ruled = new Map<string, readonly PluginImplementation<Parser>[]>();
  for (const [type, ids] of rules) {
    const named = ids.flatMap((id) => byId.get(id) ?? (id === 'parse-tika' ? (declaring(type) ?? []) : []));
    if (named.length > 0) ruled.set(type, [...new Set(named)]);
  }
  return (type) => ruled.get(type) ?? declaring(type) ?? ruled.get('*') ?? [];
}
