/**
 * urlfilter-suffix: accepts or rejects URLs by suffix (Nutch `SuffixURLFilter`).
 *
 * A line `+` accepts URLs without a listed suffix and rejects the others, `-` the reverse. After the sign, `I` ignores
 * letter case and `P` tests the path instead of the whole URL. Empty lines and lines that start with `#` are ignored.
 * Without a sign line, only listed suffixes are accepted.
 */
import type { FilterVerdict, FilterUrl } from './url-filter.js';
import { MAX_RULE_CHARS, RuleError, type Rule } from './linear-regex.js';
import { numberedLines } from './rule-lines.js';
import { splitUrl } from './url-components.js';

/** Suffixes of files that are not pages, for when no rules are configured. */
const WITHOUT_PAGES =
  '7z aac aif aiff apk au avi bin bmp bz2 cab class css deb dmg doc docx eps exe flac flv gif gz ico iso jar jpeg jpg js ' +
  'lha lz4 lzh m4a m4v mid midi mkv mov mp3 mp4 mpeg mpg msi ogg otf pcx png ppt pptx ps psd qt ram rar rpm rtf sit so ' +
  'swf tar tga tgz tif tiff ttf wav webm webp wma wmf wmv woff woff2 xls xlsx xpm xz z zip zst';

/** The rules that apply when none are configured: reject files that are not pages, in any letter case, by path. */
export const shippedSuffixRules = ['+IP', ...WITHOUT_PAGES.split(' ').map((suffix) => `.${suffix}`)].join('\n');

/** Higher than the limit of expressions: a suffix costs only one entry of a set. */
const MAX_SUFFIXES = 10_000;

interface SuffixRules {
  accepts: boolean;
  ignoreCase: boolean;
  byPath: boolean;
  readonly suffixes: Map<string, Rule>;
}

/**
 * Compiles suffix rules to a filter; `''` selects the shipped ones.
 * @throws RuleError for a suffix that is too long and for too many of them.
 */
export function compileSuffixFilter(text: string): FilterUrl {
  const { suffixes, accepts, ignoreCase, byPath } = readRules(text.trim() === '' ? shippedSuffixRules : text);
  const lengths = [...new Set([...suffixes.keys()].map((suffix) => suffix.length))].sort((a, b) => a - b);
  const unlisted: FilterVerdict = { accepted: accepts, rule: null };
  return (url) => {
    const whole = byPath ? splitUrl(url)?.path : url;
    if (whole === undefined) return { accepted: false, rule: null };
    const end = ignoreCase ? whole.toLowerCase() : whole;
    for (const length of lengths) {
      const rule = length <= end.length ? suffixes.get(end.slice(end.length - length)) : undefined;
      if (rule) return { accepted: !accepts, rule };
    }
    return unlisted;
  };
}

function readRules(text: string): SuffixRules {
  const rules: SuffixRules = { accepts: false, ignoreCase: false, byPath: false, suffixes: new Map() };
  const listed: Rule[] = [];
  for (const line of numberedLines(text)) {
    if (/^[+-]/.test(line.text)) readSign(line.text, rules);
    else listed.push({ number: listed.length + 1, text: line.text });
  }
  for (const rule of listed) {
    if (rule.number > MAX_SUFFIXES) throw new RuleError(rule, null, `more than ${MAX_SUFFIXES} suffixes`);
    if (rule.text.length > MAX_RULE_CHARS) throw new RuleError(rule, null, `longer than ${MAX_RULE_CHARS} characters`);
    const suffix = rules.ignoreCase ? rule.text.toLowerCase() : rule.text;
    if (!rules.suffixes.has(suffix)) rules.suffixes.set(suffix, rule);
  }
  return rules;
}

function readSign(line: string, rules: SuffixRules): void {
  rules.accepts = line.startsWith('+');
  rules.ignoreCase = line.includes('I');
  rules.byPath = line.includes('P');
}
