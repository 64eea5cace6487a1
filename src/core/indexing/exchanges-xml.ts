/**
 * Parses Nutch's exchanges.xml: `exchanges` with `exchange` (id, class), in each `writers` with `writer` (id) and `params`
 * with `param` (name, value). The exchange `default` gets the documents that no other matches.
 */
import { Parser } from 'htmlparser2';
import { RuleError } from '../url/linear-regex.js';

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
const MAX_ENTRIES = 1_000;

/** The parent of each element. */
const PARENTS: Readonly<Record<string, string>> = {
  exchanges: '',
  exchange: 'exchanges',
  writers: 'exchange',
  writer: 'writers',
  params: 'exchange',
  param: 'params',
};

/** @throws RuleError naming the exchange by its number, and the reason */
export function readExchangesXml(xml: string): ExchangeConfig[] {
  const found: OpenExchange[] = [];
  const open: string[] = [];
  const refuse = (reason: string): never => {
    throw new RuleError({ number: found.length, text: 'exchanges.xml' }, null, `XML: ${reason}`);
  };
  const parser = new Parser(
    {
      onopentag(written, attributes) {
        const name = written.replace(/^.*:/, '');
        if (PARENTS[name] === undefined) refuse(`unknown element ${name.slice(0, 40)}`);
        if (PARENTS[name] !== (open.at(-1) ?? '')) refuse(`${name} must not appear in ${open.at(-1) ?? 'the root'}`);
        open.push(name);
        begin(found, name, attributes, refuse);
      },
      onclosetag: () => void open.pop(),
      onprocessinginstruction: (name) => void (name.startsWith('!') && refuse('no document type is allowed')),
    },
    { xmlMode: true, decodeEntities: true },
  );
  // Not `end`, which closes what is open: a truncated file would count as a whole one.
  parser.write(xml);
  if (open.length > 0 || !xml.includes('exchanges')) refuse('a whole element <exchanges> is expected');
  return found;
}

function begin(
  found: OpenExchange[],
  element: string,
  { id = '', class: plugin = '', name = '', value = '' }: Readonly<Record<string, string>>,
  refuse: (reason: string) => never,
): void {
  if (element === 'exchange') {
    if (found.length >= MAX_EXCHANGES) refuse(`more than ${MAX_EXCHANGES} exchanges`);
    if (id === '') refuse('an exchange needs an id');
    if (plugin === '' && id !== 'default') refuse(`exchange ${id} needs a class, or the id of a plugin as one`);
    found.push({ id, plugin, writers: [], parameters: {} });
  }
  const last = found.at(-1);
  if (element === 'writer') {
    if (id === '') refuse('a writer needs an id');
    if (last!.writers.push(id) > MAX_ENTRIES) refuse(`more than ${MAX_ENTRIES} writers`);
  }
  if (element !== 'param') return;
  if (name === '') refuse('a param needs a name');
  if (Object.keys(last!.parameters).length >= MAX_ENTRIES) refuse(`more than ${MAX_ENTRIES} parameters`);
  Object.defineProperty(last!.parameters, name, { value, enumerable: true, configurable: true, writable: true });
}
