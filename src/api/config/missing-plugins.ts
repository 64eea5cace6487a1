/** Plugins and writers that a property names, and that do not exist here or cannot run: it changes less than it seems to. */
import { literalAlternatives } from '../../core/conf/literal-alternatives.js';
import type { Conf } from '../../core/conf/properties.js';
import { compileParserRules } from '../../core/page/parser-rules.js';
import { type Point, points, propertyText } from '../../plugin/extension-points.js';
import { ignoredWriters, writersWithCredentials } from '../../plugin/index-writers.js';
import { type ActivePlugins, pluginsFor } from '../../plugin/registry.js';

/** Plugins of Nutch whose work others do here whenever they are named. */
const replaced = new Set(['nutch-extensionpoints', 'parse-tika', 'protocol-httpclient', 'protocol-okhttp']);
/** Plugins that a notice names, and its characters for them. */
const MAX_NAMED = 10;
const MAX_LIST_LENGTH = 500;
const CREDENTIALS =
  'has credentials among the parameters of index writers, where GET /config shows them; INDEX refuses these writers until the credentials are in indexer.credentials and their parameter auth is false';

const orderOf = (point: Point): string | null => points[point].order;
const ordered = (Object.keys(points) as Point[]).filter((point) => orderOf(point) !== null);
const orders: ReadonlySet<string | null> = new Set(ordered.map(orderOf));
const namesOrder = (property: string): boolean => orders.has(property) || property.startsWith('urlnormalizer.scope.');

/** A sentence about the plugins that a property of a valid configuration names, and that do not exist here or do not run. */
export function missingPlugins(property: string, conf: Conf, chosen: ActivePlugins): string[] {
  if (property === 'indexer.indexwriters.rules')
    return [
      ...sentence(property, 'names index writers that no active plugin has, so they are ignored', ignoredWriters(conf)),
      ...sentence(property, CREDENTIALS, writersWithCredentials(conf)),
    ];
  const named = [...new Set(missingIn(property, conf, chosen))].filter((id) => !replaced.has(id));
  return sentence(property, 'names plugins that do not exist here', named);
}

function sentence(property: string, says: string, named: readonly string[]): string[] {
  const list = named.slice(0, MAX_NAMED).join(', ').slice(0, MAX_LIST_LENGTH);
  return named.length === 0 ? [] : [`Property ${property} ${says}: ${list}.`];
}

function missingIn(property: string, conf: Conf, { onlyInNutch, unknown }: ActivePlugins): string[] {
  const value = propertyText(conf, property);
  if (property.startsWith('plugin.includes')) {
    const missing = new Set([...onlyInNutch, ...unknown]);
    return literalAlternatives(value).filter((id) => missing.has(id));
  }
  if (property === 'parser.plugins') {
    const parsers = new Set(pluginsFor('makeParser').map(({ id }) => id));
    return [...compileParserRules(value).values()].flat().filter((id) => !parsers.has(id));
  }
  if (!namesOrder(property)) return [];
  const known = new Set(ordered.flatMap((point) => pluginsFor(point).flatMap(({ id, className }) => [id, className])));
  return value.split(/[\s,]+/).filter((name) => name !== '' && !known.has(name));
}
