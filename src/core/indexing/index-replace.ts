/**
 * index-replace: rewrites fields by expressions (Nutch `ReplaceIndexer`). Lines are `field=/expression/substitution/flags`,
 * or `field:target=…`, which writes to another field; the character after the `=` is the delimiter. After a line
 * `hostmatch=expression` or `urlmatch=expression` they apply only to pages that match it.
 */
import {
  type LinearRegex,
  type Rule,
  RuleError,
  type Spend,
  checkSubstitution,
  compileLinear,
  ruleBudget,
} from '../url/linear-regex.js';
import { numberedLines } from '../url/rule-lines.js';
import { splitUrl } from '../url/url-components.js';
import { type IndexingFilter, setField } from './indexing-filter.js';

interface Replacement {
  readonly field: string;
  readonly target: string;
  readonly regex: LinearRegex;
  readonly substitution: string;
}

interface ReplaceGroup {
  /** The expression, and whether it must match the URL or the host of a page. Null: every page. */
  readonly match: { readonly component: 'host' | 'url'; readonly regex: LinearRegex } | null;
  readonly replacements: Replacement[];
}

const LINE_SHAPE = /^([^=:\s]+)(?::([^=\s]+))?=(.*)$/;
/** Java's pattern flags that have an equivalent here. */
const FLAGS: readonly (readonly [bit: number, letter: string])[] = [
  [2, 'i'],
  [8, 'm'],
  [32, 's'],
];
/** Replacements can make a value longer. */
const MAX_VALUE_LENGTH = 1_048_576;

/** @throws RuleError for an invalid line */
export function indexReplace(rules: string): IndexingFilter {
  const groups = readGroups(rules);
  return (document, page) => {
    const matched = { url: page.url, host: splitUrl(page.url)?.host ?? '' };
    for (const { match, replacements } of groups) {
      if (match !== null && !match.regex.test(matched[match.component])) continue;
      for (const { field, target, regex, substitution } of replacements) {
        const values = document.fields.get(field);
        if (values === undefined) continue;
        const replaced = values.map((value) =>
          typeof value === 'string' && regex.test(value)
            ? regex.replaceAll(value, substitution).slice(0, MAX_VALUE_LENGTH)
            : value,
        );
        setField(document, target, replaced);
      }
    }
    return document;
  };
}

/** The fields that the rules read and write. @throws RuleError for an invalid line */
export const replaceTargets = (rules: string): (readonly [field: string, target: string])[] =>
  readGroups(rules).flatMap(({ replacements }) => replacements.map(({ field, target }) => [field, target] as const));

function readGroups(rules: string): ReplaceGroup[] {
  const groups: ReplaceGroup[] = [{ match: null, replacements: [] }];
  const spend = ruleBudget();
  for (const rule of numberedLines(rules)) {
    const { text } = rule;
    const [, name = '', target, value = ''] = LINE_SHAPE.exec(text) ?? [];
    if (name === '') throw new RuleError(rule, 1, 'field=/expression/substitution/ is expected');
    if (name === 'hostmatch' || name === 'urlmatch') {
      const component = name === 'hostmatch' ? 'host' : 'url';
      groups.push({
        match: { component, regex: compiled(value, rule, text.indexOf('=') + 1, spend) },
        replacements: [],
      });
    } else groups.at(-1)!.replacements.push(replacementOf(rule, { name, target: target ?? name, value }, spend));
  }
  return groups;
}

function replacementOf(
  rule: Rule,
  { name, target, value }: { name: string; target: string; value: string },
  spend: Spend,
): Replacement {
  const offset = rule.text.length - value.length;
  const [pattern, substitution, flags = '', ...more] = value.slice(1).split(value[0] ?? '/');
  if (pattern === undefined || substitution === undefined || more.length > 0 || !/^\d{0,3}$/.test(flags))
    throw new RuleError(rule, offset + 1, '/expression/substitution/ and a number of flags are expected');
  const letters = FLAGS.flatMap(([bit, letter]) => ((Number(flags) & bit) === bit ? letter : [])).join('');
  const regex = compiled(letters === '' ? pattern : `(?${letters})${pattern}`, rule, offset + 1, spend);
  checkSubstitution(substitution, regex.groupCount, { rule, offset: offset + pattern.length + 2 });
  return { field: name, target, regex, substitution };
}

function compiled(pattern: string, rule: Rule, offset: number, spend: Spend): LinearRegex {
  const regex = compileLinear(pattern, { rule, offset });
  spend(rule, regex.instructions);
  return regex;
}
