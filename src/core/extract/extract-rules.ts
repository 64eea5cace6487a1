/**
 * Rules that extract named values from pages (`parse.extract.rules`).
 *
 * One rule per line, with columns separated by tabs: the name of the value, an expression that must match in the URL of
 * the page, `css` or `xpath`, the expression that selects nodes, and optionally what is taken from a node (`text`, which
 * is the default, `html`, `number`, or `@name` for an attribute) and `all` for every value instead of the first. Empty
 * lines and lines that begin with `#` are ignored. URL expressions run in linear time, the others in the capped process.
 */
import { linesOf } from '../lines.js';
import { compileLinear, type LinearRegex, RuleError, ruleBudget, type Rule } from '../url/linear-regex.js';
import { readSelector } from './css-selector.js';
import { SelectorError } from './selector-error.js';
import { checkXPath } from './xpath.js';

/** The part of a rule that runs on a page, as plain data. */
export interface Extraction {
  readonly name: string;
  readonly language: 'css' | 'xpath';
  readonly expression: string;
  /** `text`, `html`, `number`, or `@` and the name of an attribute. */
  readonly take: string;
  readonly all: boolean;
}

interface ExtractRule {
  readonly urls: LinearRegex;
  readonly extraction: Extraction;
}

/** Maximum length of an expression on pages. */
const MAX_EXPRESSION_LENGTH = 1_000;
const COLUMNS = ['name', 'url', 'language', 'expression', 'take', 'all'] as const;
const NAME = /^[A-Za-z_][\w.:-]{0,63}$/;
const TAKE = /^(?:text|html|number|@[A-Za-z_][\w.:-]{0,63})$/;

/**
 * Compiles rules to a function that returns the extractions for a URL, in the order of the rules.
 * @throws RuleError naming the rule, the position and the reason.
 */
export function compileExtractRules(text: string): (url: string) => readonly Extraction[] {
  const spend = ruleBudget();
  const rules = linesOf(text)
    .filter((line) => line.trim() !== '' && !line.startsWith('#'))
    .map((line, i) => {
      const compiled = compileRule({ number: i + 1, text: line });
      spend({ number: i + 1, text: line }, compiled.urls.instructions);
      return compiled;
    });
  return (url) => rules.filter(({ urls }) => urls.test(url)).map(({ extraction }) => extraction);
}

function compileRule(rule: Rule): ExtractRule {
  const cells = rule.text.trimEnd().split('\t');
  const startOf = (column: number) => cells.slice(0, column).reduce((sum, cell) => sum + cell.length + 1, 0);
  const refuse = (column: number, reason: string, position = 1): never => {
    throw new RuleError(rule, startOf(column) + position, reason);
  };
  const [name = '', urls = '', language = '', expression = '', take = 'text', all = ''] = cells;
  if (cells.length < 4)
    refuse(cells.length - 1, `columns separated by tabs are missing: ${COLUMNS.slice(cells.length, 4).join(', ')}`);
  if (cells.length > COLUMNS.length) refuse(COLUMNS.length, 'more columns than a rule has');
  if (!NAME.test(name)) refuse(0, 'a name begins with a letter or _ and has at most 64 letters, digits and ._:-');
  if (language !== 'css' && language !== 'xpath') refuse(2, 'the language is css or xpath');
  if (expression.length > MAX_EXPRESSION_LENGTH) refuse(3, `longer than ${MAX_EXPRESSION_LENGTH} characters`);
  if (!TAKE.test(take)) refuse(4, 'what is taken is text, html, number or @ and the name of an attribute');
  if (all !== '' && all !== 'all') refuse(5, 'the last column is all, or is not there');
  try {
    (language === 'css' ? readSelector : checkXPath)(expression);
  } catch (error) {
    if (error instanceof SelectorError) refuse(3, error.reason, error.position);
    throw error;
  }
  const compiled = compileLinear(urls, { rule, offset: startOf(1) });
  const extraction = { name, language: language as Extraction['language'], expression, take, all: all === 'all' };
  return { urls: compiled, extraction };
}
