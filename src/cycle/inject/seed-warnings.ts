/** What INJECT, and GENERATE from a seed list, warn of in lines of the list. */
import type { Conf } from '../../core/conf/properties.js';
import {
  BLANK_FOR_TAB,
  BLANK_IN_URL,
  IGNORED_VALUE,
  hasBlankForTab,
  hasPlainBlank,
  parseSeedLine,
} from '../../core/page/seed-line.js';
import { ruleName } from '../../core/url/linear-regex.js';
import { MAX_ROW_KEY_BYTES } from '../../core/url/row-key.js';
import type { UrlRules } from '../../core/url/url-rules.js';
import { crawledSchemes, lackingFor, schemeOf } from '../../plugin/protocols.js';
import type { RefusedSeed } from './read-seeds.js';
import { counted } from '../../core/counted.js';

/** Faulty lines that a warning names, and the length of the quotation of each. */
const MAX_NAMED = 10;
const MAX_NAMED_LENGTH = 300;

export interface SeedWarning {
  readonly message: string;
  readonly data: { readonly lines: string[] } | { readonly urls: string[] };
}

/** The warnings of a chunk of lines. @param refused their URLs that make no page */
export const seedWarnings = (
  lines: string[],
  refused: RefusedSeed[],
  { conf, rules }: { conf: Conf; rules: UrlRules },
): SeedWarning[] => [...doubts(lines), ...unusable(refused, conf, rules), ...filtered(refused)];

/** Lines with a blank in their URL, which hardly is the intended one, and ignored values. */
function doubts(lines: string[]): SeedWarning[] {
  const seeds = lines.map((line) => ({ line, seed: parseSeedLine(line) }));
  const columns = seeds.filter(({ seed }) => seed && hasBlankForTab(seed.url));
  const blanks = seeds.filter(({ seed }) => seed && hasPlainBlank(seed.url));
  const ignoring = seeds.filter(({ seed }) => seed?.ignored);
  const values = ignoring[0]?.seed?.ignored ?? [];
  return [
    ...ofLines(BLANK_FOR_TAB, columns),
    ...ofLines(BLANK_IN_URL, blanks),
    ...ofLines(`${IGNORED_VALUE}: ${values.join(', ')}`, ignoring),
  ];
}

/** Lines whose URLs no page can have, whatever the filters say. */
function unusable(refused: RefusedSeed[], conf: Conf, rules: UrlRules): SeedWarning[] {
  const seeds = refused.flatMap((seed) => {
    const why = whyUnusable(seed, conf, rules);
    return why === null ? [] : [{ line: seed.line, why }];
  });
  return [...Map.groupBy(seeds, ({ why }) => why)].flatMap(([why, odd]) => ofLines(why, odd));
}

function whyUnusable({ url, rejected }: RefusedSeed, conf: Conf, { schemes }: UrlRules): string | null {
  if (rejected === 'filter') return null;
  if (rejected === 'length') return `is too long: its row key has more than ${MAX_ROW_KEY_BYTES} bytes`;
  if (rejected === 'malformed') return 'is no URL with scheme and host, such as https://site.test/';
  const lacking = lackingFor(schemeOf(url), conf);
  return lacking === null
    ? `has a scheme that is not crawled: only ${crawledSchemes(schemes)} are`
    : `has a protocol that is not found: ${lacking}`;
}

/** Seeds that URL filters refuse, with the rule that refuses the first. A blank for a TAB has its own warning. */
function filtered(refused: RefusedSeed[]): SeedWarning[] {
  const [first, ...others] = refused.filter(({ url, rejected }) => rejected === 'filter' && !hasBlankForTab(url));
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
  const others = odd.length - 1;
  const more = others > 0 ? `; the same applies to ${counted(others, 'more line')}` : '';
  return [{ message: `seed line "${named[0]}" ${why}${more}`, data: { lines: named } }];
}
