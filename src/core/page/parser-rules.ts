/**
 * Assigns parsers to media types: the rules of `parser.plugins`.
 *
 * A line names a type and the plugins that are tried for it, in that order; `*` stands for types that no line names and
 * that no plugin declares. `#` begins a comment. Nutch's parse-plugins.xml is accepted too: its `mimeType` elements are
 * the lines; its aliases, which name Java classes, are ignored.
 */
import { linesOf } from '../lines.js';
import type { XmlAttributes, XmlName } from '../xml/xml-name.js';
import { type XmlListener, scanXml } from '../xml/xml-scanner.js';
import { MAX_RULES, RuleError } from '../url/linear-regex.js';

/** Plugin ids by type (lower case, `*` for all others), in the order they are tried. */
export type ParserRules = ReadonlyMap<string, readonly string[]>;

const TYPE = /^(?:\*|[!#$%&'*+.^_`|~0-9a-z-]{1,100}\/[!#$%&'*+.^_`|~0-9a-z-]{1,100})$/;
const PLUGIN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const COLUMN_OF_TYPE = 1;

/** @throws RuleError with the number of the line and the position in it. */
export function compileParserRules(text: string): ParserRules {
  const rules = new Map<string, readonly string[]>();
  const lines = text.trimStart().startsWith('<') ? linesOfXml(text) : linesOf(text);
  let number = 0;
  for (const line of lines) {
    const words = [...line.replace(/#.*$/, '').matchAll(/\S+/g)];
    const [type, ...plugins] = words.map(([word]) => word);
    if (type === undefined) continue;
    const rule = { number: ++number, text: line.trim() };
    if (number > MAX_RULES) throw new RuleError(rule, null, `more than ${MAX_RULES} rules`);
    const name = type.toLowerCase();
    if (!TYPE.test(name))
      throw new RuleError(rule, COLUMN_OF_TYPE, 'a line begins with a type such as text/html, or *');
    if (plugins.length === 0) throw new RuleError(rule, rule.text.length, 'no plugin is named for the type');
    const bad = plugins.findIndex((plugin) => !PLUGIN.test(plugin));
    if (bad >= 0) {
      const position = (words[bad + 1]?.index ?? 0) - (words[0]?.index ?? 0) + 1;
      throw new RuleError(rule, position, 'this is no id of a plugin');
    }
    if (rules.has(name)) throw new RuleError(rule, COLUMN_OF_TYPE, 'the type is named in a line before');
    rules.set(name, plugins);
  }
  return rules;
}

function linesOfXml(xml: string): string[] {
  const lines: string[][] = [];
  const listener: XmlListener = {
    open({ local }: XmlName, attributes: XmlAttributes) {
      if (local === 'mimetype') lines.push([attributes.get('name') ?? '']);
      else if (local === 'plugin') lines.at(-1)?.push(attributes.get('id') ?? '');
    },
    close: () => undefined,
    text: () => undefined,
  };
  scanXml(xml, listener);
  if (lines.length === 0) {
    const rule = { number: 1, text: xml.trim().split('\n', 1)[0] ?? '' };
    throw new RuleError(rule, null, 'the XML holds no mimeType element');
  }
  return lines.map((words) => words.join(' '));
}
