/**
 * URLs that have the shape of a trap: a place in a space without end, where each page leads one step further.
 *
 * Looked at is the URL alone, so only what no ordinary site needs is refused: a date far from now (calendars whose next
 * month always exists), very many parameters or the same ones again and again (filters that add to each other), very many or
 * often repeated path segments (relative links that grow), great length.
 */
import type { Rule } from '../url/linear-regex.js';

/** The properties that set the limits, under their names. -1: no limit. */
export interface TrapLimits {
  readonly 'trap.path.segments': number;
  readonly 'trap.path.repeats': number;
  readonly 'trap.url.length': number;
  readonly 'trap.query.parameters': number;
  readonly 'trap.query.repeats': number;
  readonly 'trap.calendar.years.ahead': number;
  readonly 'trap.calendar.years.back': number;
}

interface UrlParts {
  readonly url: string;
  readonly segments: readonly string[];
  /** Names and values as they stand, divided by `=`. */
  readonly parameters: readonly string[];
}

/** What a URL has too much of: how much, under the property that limits it. The number of its rule is its place. */
interface LimitedCount {
  readonly property: keyof TrapLimits;
  readonly what: string;
  /** @param limit 0 or more: what is surely not beyond it need not be counted */
  readonly count: (url: UrlParts, limit: number) => number;
}

const counts: readonly LimitedCount[] = [
  { property: 'trap.url.length', what: 'characters', count: ({ url }) => url.length },
  { property: 'trap.path.segments', what: 'path segments', count: ({ segments }) => segments.length },
  {
    property: 'trap.path.repeats',
    what: 'equal path segments',
    count: ({ segments }, limit) => maxEqual(segments, limit),
  },
  { property: 'trap.query.parameters', what: 'parameters', count: ({ parameters }) => parameters.length },
  {
    property: 'trap.query.repeats',
    what: 'parameters of one name',
    count: ({ parameters }, limit) => maxEqual(parameters.map(nameOf), limit),
  },
];
const CALENDAR_RULE = counts.length + 1;

/**
 * The limit that the URL breaks, as a rule with its number and words; null for one that has no shape of a trap. Asked for each
 * link of each page, so most URLs are let through by a look that takes nothing apart.
 */
export function trapShape(url: string, limits: TrapLimits, year: number): Rule | null {
  if (isPlain(url, limits, year)) return null;
  const parts = partsOf(url);
  for (const [at, { property, what, count }] of counts.entries()) {
    const limit = limits[property];
    if (limit < 0) continue;
    const found = count(parts, limit);
    if (found > limit) return { number: at + 1, text: `${property}: ${found} ${what}, at most ${limit}` };
  }
  return calendar(parts, limits, year);
}

/** Those of `http://`. */
const SLASHES_OF_SCHEME = 2;

/** Too short, with too few parts and no year far away: no limit can be broken. */
function isPlain(url: string, limits: TrapLimits, year: number): boolean {
  const fits = (found: number, ...names: (keyof TrapLimits)[]): boolean =>
    names.every((name) => limits[name] < 0 || found <= limits[name]);
  return (
    fits(url.length, 'trap.url.length') &&
    fits(count(url, '/') - SLASHES_OF_SCHEME, 'trap.path.segments', 'trap.path.repeats') &&
    fits(count(url, '&') + 1, 'trap.query.parameters', 'trap.query.repeats') &&
    !mayBeFar(url, limits, year)
  );
}

function count(url: string, mark: string): number {
  let found = 0;
  for (let at = url.indexOf(mark); at >= 0; at = url.indexOf(mark, at + 1)) found++;
  return found;
}

const yearAhead = /[/=](\d{4})/g;

/** Whether four digits at the beginning of a segment or value are a year far from now; they may be none. */
function mayBeFar(url: string, limits: TrapLimits, now: number): boolean {
  for (const [, digits] of url.matchAll(yearAhead)) {
    if (isFar({ year: Number(digits), isSure: true }, limits, now)) return true;
  }
  return false;
}

/** The year of a date, and whether it can be nothing else: `/4521/2` may be a topic and its page. */
interface DatedYear {
  readonly year: number;
  readonly isSure: boolean;
}

/**
 * Years beyond a limit in which what may be a number is a date far from now. Who walks through a calendar cannot step over
 * them; what lies further away is more often a number.
 */
const FAR_YEARS = 150;

function isFar({ year, isSure }: DatedYear, limits: TrapLimits, now: number): boolean {
  const [ahead, back] = [limits['trap.calendar.years.ahead'], limits['trap.calendar.years.back']];
  const isBeyond = (limit: number, years: number): boolean =>
    limit >= 0 && years > limit && (isSure || years <= limit + FAR_YEARS);
  return isBeyond(ahead, year - now) || isBeyond(back, now - year);
}

function partsOf(url: string): UrlParts {
  const whole = url.split('#', 1)[0] ?? '';
  const mark = whole.indexOf('?');
  const head = mark < 0 ? whole : whole.slice(0, mark);
  const slash = head.indexOf('/', head.indexOf('://') + 3);
  return {
    url,
    segments:
      slash < 0
        ? []
        : head
            .slice(slash)
            .split('/')
            .filter((segment) => segment !== ''),
    parameters:
      mark < 0
        ? []
        : whole
            .slice(mark + 1)
            .split('&')
            .filter((parameter) => parameter !== ''),
  };
}

const nameOf = (parameter: string): string => parameter.split('=', 1)[0] ?? '';

/** How often the most frequent word stands there; not looked at where even all of them are not beyond the limit. */
function maxEqual(words: readonly string[], limit: number): number {
  if (words.length <= limit) return 0;
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Math.max(...counts.values());
}

/** A year with a month behind it, in one word: `2031-05`, `2031_5_17`, `20310517`. Eight digits without a day are an id. */
const dateWord = /^(\d{4})(?:[-_.](\d{1,2})(?:[-_.]\d{1,2})?|(\d{2})(?:0[1-9]|[12]\d|3[01]))(?:[T_].*)?$/;
/** Two digits each and hyphens: `7440-05-3` is a chemical, `6000.1.12` a version. */
const fullDate = /^\d{4}-\d\d-(?:0[1-9]|[12]\d|3[01])(?!\d)/;
const bareDate = /^\d{8}/;
const yearWord = /^\d{4}$/;
const monthWord = /^(?:0?[1-9]|1[0-2])$/;
const yearName = /^(?:y|yr|year|jahr|annee|cal_?year|[a-z]*_year)$/i;
/** `date`, `start_date`, `eventDate`; not `update`. */
const dateName = /(?:^|[-_]|[a-z](?=[A-Z]))(?:[Dd]ate|[Dd]ay|[Mm]onth)(?![a-z])/;
/** Segments behind which dates stand. */
const dateSegment = /^(?:cal|calendar|kalender|agenda|events|archives?|year|month|week|day|date)$/i;
/** Those behind which eight digits are one of many things more often than a day. */
const listSegment = /^(?:agenda|events)$/i;

/** A date counts only where a month stands with the year: `/item/3021` is a number. */
function calendar({ segments, parameters }: UrlParts, limits: TrapLimits, now: number): Rule | null {
  const far = [...yearsOf(segments), ...yearsOfParameters(parameters)].find((dated) => isFar(dated, limits, now));
  return far === undefined
    ? null
    : { number: CALENDAR_RULE, text: `trap.calendar.years: a calendar in the year ${far.year}` };
}

function yearsOf(words: readonly string[]): DatedYear[] {
  return words.flatMap((word, at) => {
    const before = words[at - 1] ?? '';
    const isInCalendar = dateSegment.test(before);
    const inWord = yearIn(word, isInCalendar && !(bareDate.test(word) && listSegment.test(before)));
    if (inWord !== null) return [inWord];
    return yearWord.test(word) && monthWord.test(words[at + 1] ?? '')
      ? [{ year: Number(word), isSure: isInCalendar }]
      : [];
  });
}

function yearIn(word: string, isDate: boolean): DatedYear | null {
  const [, year, month, shortMonth] = word.length <= 32 ? (dateWord.exec(word) ?? []) : [];
  return year !== undefined && monthWord.test(month ?? shortMonth ?? '')
    ? { year: Number(year), isSure: isDate || fullDate.test(word) }
    : null;
}

function yearsOfParameters(parameters: readonly string[]): DatedYear[] {
  return parameters.flatMap((parameter) => {
    const name = nameOf(parameter);
    const equals = parameter.indexOf('=');
    const value = equals < 0 ? '' : parameter.slice(equals + 1);
    const inValue = yearIn(value, dateName.test(name));
    if (inValue !== null) return [inValue];
    // A `y` may be a coordinate.
    return yearName.test(name) && yearWord.test(value) ? [{ year: Number(value), isSure: name.length > 1 }] : [];
  });
}
