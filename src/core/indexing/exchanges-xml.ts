/**
 * Parses Nutch's exchanges.xml: `exchanges` with `exchange` (id, class), in each `writers` with `writer` (id) and `params`
 * with `param` (name, value). The exchange `default` gets the documents that no other matches.
 */
import { addParameter, MAX_ENTRIES } from './plugin-parameters.js';
import { ConfXml } from '../xml/conf-xml.js';

export interface ExchangeConfig {
  readonly id: string;
  /** The class, or the id, of a plugin. */
  readonly plugin: string;
  readonly writers: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
}

interface OpenExchange extends ExchangeConfig {
  writers: string[];
  parameters: Record<string, string>;
}

const MAX_EXCHANGES = 100;

/** @throws RuleError naming the exchange by its number, and the reason */
export function readExchangesXml(xml: string): ExchangeConfig[] {
  const exchanges: OpenExchange[] = [];
  const file = new ConfXml(
    'exchanges.xml',
    {
      exchanges: {},
      exchange: {
        within: ['exchanges'],
        begin({ id = '', class: plugin = '' }) {
          if (exchanges.length >= MAX_EXCHANGES) file.refuse(`more than ${MAX_EXCHANGES} exchanges`);
          if (id === '') file.refuse('an exchange needs an id');
          if (plugin === '' && id !== 'default')
            file.refuse(`exchange ${id} needs a class, or the id of a plugin as one`);
          exchanges.push({ id, plugin, writers: [], parameters: {} });
        },
      },
      writers: { within: ['exchange'] },
      writer: {
        within: ['writers'],
        begin({ id = '' }) {
          if (id === '') file.refuse('a writer needs an id');
          if (exchanges.at(-1)!.writers.push(id) > MAX_ENTRIES) file.refuse(`more than ${MAX_ENTRIES} writers`);
        },
      },
      params: { within: ['exchange'] },
      param: {
        within: ['params'],
        begin: (attributes) => addParameter(exchanges.at(-1)!.parameters, attributes, file),
      },
    },
    () => exchanges.length,
  );
  file.read(xml);
  return exchanges;
}
