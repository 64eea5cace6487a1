/** What INJECT, and GENERATE from a seed list, warn of in lines of the list. */
import type { Conf } from '../../core/conf/properties.js';
import { BLANK_FOR_TAB, IGNORED_VALUE, hasBlankForTab, parseSeedLine } from '../../core/page/seed-line.js';
import { ruleName } from '../../core/url/linear-regex.js';
import type { UrlRules } from '../../core/url/url-rules.js';
import { lackingFor, schemeOf } from '../../plugin/protocols.js';
import type { FilteredSeed } from './read-seeds.js';

/** Faulty lines that a warning names, and the length of the quotation of each. */
const MAX_NAMED = 10;
const MAX_NAMED_LENGTH = 300;

export interface SeedWarning {
  readonly message: string;
  readonly data: { readonly lines: string[] } | { readonly urls: string[] };
}

/** The warnings of a chunk of lines. @param refused those whose URLs the filters refuse */
export const seedWarnings = (
  lines: string[],
  refused: FilteredSeed[],
  { conf, rules }: { conf: Conf; rules: UrlRules },
): SeedWarning[] => [...doubts(lines), ...withoutProtocol(lines, conf, rules), ...filtered(refused)];

/** Lines whose columns are separated by a blank, so that their URLs are not the intended ones, and ignored values. */
function doubts(lines: string[]): SeedWarning[] {
  const seeds = lines.map((line) => ({ line, seed: parseSeedLine(line) }));
  const blanks = seeds.filter(({ seed }) => seed && hasBlankForTab(seed.url));
  const ignoring = seeds.filter(({ seed }) => seed?.ignored);
  const values = ignoring[0]?.seed?.ignored ?? [];
  return [...ofLines(BLANK_FOR_TAB, blanks), ...ofLines(`${IGNORED_VALUE}: ${values.join(', ')}`, ignoring)];
}

/** Lines that are refused because the plugin of their protocol is off, or cannot fetch anything. */
function withoutProtocol(lines: string[], conf: Conf, { schemes }: UrlRules): SeedWarning[] {
  const seeds = lines.flatMap((line) => {
    if (line.startsWith('http')) return [];
    const scheme = schemeOf(parseSeedLine(line)?.url ?? '');
    const lacking = schemes.has(scheme) ? null : lackingFor(scheme, conf);
    return lacking === null ? [] : [{ line, lacking }];
  });
  return [...Map.groupBy(seeds, (seed) => seed.lacking)].flatMap(([lacking, odd]) =>
    ofLines(`has a protocol that is not found: ${lacking}`, odd),
  );
}

/** Seeds that URL filters refuse, with the rule that refuses the first. A blank for a TAB has its own warning. */
function filtered(refused: FilteredSeed[]): SeedWarning[] {
  const [first, ...others] = refused.filter(({ url }) => !hasBlankForTab(url));
  if (first === undefined) return [];
  const more = others.length > 0 ? `; URL filters refuse ${others.length} more` : '';
  const shown = (text: string) => text.slice(0, MAX_NAMED_LENGTH);
  const rule = first.rule ? `, ${ruleName({ ...first.rule, text: shown(first.rule.text) })}` : '';
  const urls = [first, ...others].slice(0, MAX_NAMED).map(({ url }) => shown(url));
  return [
    {
      message: `seed "${shown(first.url)}" is refused by ${first.plugin ?? 'a URL filter'}${rule}${more}`,
      data: { urls },
    },
  ];
}

function ofLines(why: string, odd: { line: string }[]): SeedWarning[] {
  const named = odd.slice(0, MAX_NAMED).map(({ line }) => line.slice(0, MAX_NAMED_LENGTH));
  if (named.length === 0) return [];
  const more = odd.length > 1 ? `, and so have ${odd.length - 1} more` : '';
  return [{ message: `seed line "${named[0]}" ${why}${more}`, data: { lines: named } }];
}
