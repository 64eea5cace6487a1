/**
 * Routes documents to writers (Nutch `Exchanges`): to those of all exchanges that match, or of the exchange `default` if
 * none does. Without exchanges every writer gets every document.
 */
import type { Conf } from '../core/conf/properties.js';
import { ExpressionError } from '../core/frontier/expression-tokens.js';
import { type ExchangeConfig, readExchangesXml } from '../core/indexing/exchanges-xml.js';
import type { IndexDocument } from '../core/indexing/index-document.js';
import { RuleError } from '../core/url/linear-regex.js';
import { RulesRefused, withRules } from './extension-points.js';
import { activePlugins, pluginsFor } from './registry.js';

/** Returns the ids of the writers for a document; null: all. */
export type Route = (document: IndexDocument) => ReadonlySet<string> | null;

const PROPERTY = 'exchanges.exchanges.rules';

/** The ids of the writers that exchanges name. @throws RulesRefused for invalid rules */
export function exchangedWriters(conf: Conf): string[] {
  if (conf[PROPERTY].trim() === '') return [];
  return [...new Set(withRules(PROPERTY, conf[PROPERTY], readExchangesXml).flatMap(({ writers }) => writers))];
}

/** @throws RulesRefused for invalid rules or expressions, and for a class that no active plugin has */
export function makeRoute(conf: Conf): Route {
  if (conf[PROPERTY].trim() === '') return () => null;
  const configs = withRules(PROPERTY, conf[PROPERTY], readExchangesXml);
  const otherwise = new Set(configs.filter(({ id }) => id === 'default').flatMap(({ writers }) => writers));
  const exchanges = configs.flatMap((config, at) =>
    config.id === 'default' ? [] : [{ writers: config.writers, takes: testOf(conf, config, at + 1) }],
  );
  return (document) => {
    const taking = exchanges.filter(({ takes }) => takes(document));
    return taking.length === 0 ? otherwise : new Set(taking.flatMap(({ writers }) => writers));
  };
}

function testOf(conf: Conf, config: ExchangeConfig, number: number): (document: IndexDocument) => boolean {
  const refuse = (reason: string): never => {
    throw new RulesRefused(PROPERTY, new RuleError({ number, text: config.id }, null, reason));
  };
  const plugin = pluginsFor('makeExchange').find(({ id, className }) => [id, className].includes(config.plugin));
  if (!plugin || !activePlugins(conf).active.has(plugin.id))
    return refuse(`no active plugin has the class ${config.plugin}`);
  try {
    return plugin.makeExchange(conf, config.parameters);
  } catch (error) {
    if (error instanceof ExpressionError) return refuse(error.message);
    throw error;
  }
}
