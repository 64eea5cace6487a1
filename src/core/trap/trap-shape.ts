/**
 * Detects URLs that look like a trap: an endless space in which each page links to the next.
 *
 * Only the URL is known, so only what no ordinary site needs is refused: dates far from now (calendars whose next month
 * always exists), very many or often repeated parameters (filters that accumulate), very many or often repeated path
 * segments (relative links that grow), and very long URLs.
 */
import { countOf } from '../url/filter-validator.js';
import type { Rule } from '../url/linear-regex.js';
import { segmentsAndParameters } from '../url/url-components.js';

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

interface CountedUrl {
  readonly url: string;
  readonly segments: readonly string[];
  /** `name=value` as written. */
  readonly parameters: readonly string[];
}

/** A count of a URL's segments or parameters, and the property that limits it. Its position is the number of its rule. */
interface LimitedCount {
  readonly property: keyof TrapLimits;
  readonly unit: string;
  /** @param limit 0 or more: the count may be skipped if it cannot exceed the limit */
  readonly count: (url: CountedUrl, limit: number) => number;
}

const counts: readonly LimitedCount[] = [
  { property: 'trap.url.length', unit: 'characters', count: ({ url }) => url.length },
  { property: 'trap.path.segments', unit: 'path segments', count: ({ segments }) => segments.length },
  {
    property: 'trap.path.repeats',
    unit: 'equal path segments',
    count: ({ segments }, limit) => maxEqual(segments, limit),
  },
  { property: 'trap.query.parameters', unit: 'parameters', count: ({ parameters }) => parameters.length },
  {
    property: 'trap.query.repeats',
    unit: 'parameters of one name',
    count: ({ parameters }, limit) => maxEqual(parameters.map(parameterName), limit),
  },
];
const CALENDAR_RULE = counts.length + 1;

/**
 * The limit that the URL exceeds, as a rule with number and text; null for an ordinary URL. It runs for each link of each
 * page, so most URLs are accepted by a quick test without parsing.
 */
export function trapShape(url: string, limits: TrapLimits, year: number): Rule | null {
  if (isWithinAll(url, limits, year)) return null;
  const { segments, parameters } = segmentsAndParameters(url);
  const counted = { url, segments: segments.filter(isWritten), parameters: parameters.filter(isWritten) };
  for (const [at, { property, unit, count }] of counts.entries()) {
    const limit = limits[property];
    if (limit < 0) continue;
    const value = count(counted, limit);
    if (value > limit) return { number: at + 1, text: `${property}: ${value} ${unit}, at most ${limit}` };
  }
  return calendar(counted, limits, year);
}

/** The slashes of `http://`. */
const SLASHES_OF_SCHEME = 2;

/** Whether the URL is too short, with too few segments and no distant year, to exceed any limit. */
function isWithinAll(url: string, limits: TrapLimits, year: number): boolean {
  const fits = (value: number, ...names: (keyof TrapLimits)[]): boolean =>
    names.every((name) => limits[name] < 0 || value <= limits[name]);
  return (
    fits(url.length, 'trap.url.length') &&
    fits(countOf(url, '/') - SLASHES_OF_SCHEME, 'trap.path.segments', 'trap.path.repeats') &&
    fits(countOf(url, '&') + 1, 'trap.query.parameters', 'trap.query.repeats') &&
    !mayBeFar(url, limits, year)
  );
}

const YEAR_AHEAD = /[/=](\d{4})/g;

/** Whether four digits at the start of a segment or value, read as a year, are far from now. */
function mayBeFar(url: string, limits: TrapLimits, now: number): boolean {
  for (const [, digits] of url.matchAll(YEAR_AHEAD)) {
    if (isFar({ year: Number(digits), isSure: true }, limits, now)) return true;
  }
  return false;
}

/** The year of a date, and whether it is surely one: `/4521/2` may be a topic and its page. */
interface DatedYear {
  readonly year: number;
  readonly isSure: boolean;
}

/**
 * Range of years beyond a limit in which an unsure date counts as one. A crawler that follows a calendar cannot skip this
 * range; numbers beyond it are rarely years.
 */
const FAR_YEARS = 150;

function isFar({ year, isSure }: DatedYear, limits: TrapLimits, now: number): boolean {
  const [ahead, back] = [limits['trap.calendar.years.ahead'], limits['trap.calendar.years.back']];
  const isBeyond = (limit: number, years: number): boolean =>
    limit >= 0 && years > limit && (isSure || years <= limit + FAR_YEARS);
  return isBeyond(ahead, year - now) || isBeyond(back, now - year);
}

const isWritten = (text: string): boolean => text !== '';

const parameterName = (parameter: string): string => parameter.split('=', 1)[0] ?? '';

/** The count of the most frequent word; 0 where the number of words does not exceed the limit. */
function maxEqual(words: readonly string[], limit: number): number {
  if (words.length <= limit) return 0;
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return Math.max(...counts.values());
}

/** A year and a month in one word: `2031-05`, `2031_5_17`, `20310517`. Eight digits that are not a day are an id. */
const DATE_WORD = /^(\d{4})(?:[-_.](\d{1,2})(?:[-_.]\d{1,2})?|(\d{2})(?:0[1-9]|[12]\d|3[01]))(?:[T_].*)?$/;
/** Two digits each, with hyphens: `7440-05-3` is a CAS number, `6000.1.12` a version. */
const FULL_DATE = /^\d{4}-\d\d-(?:0[1-9]|[12]\d|3[01])(?!\d)/;
const BARE_DATE = /^\d{8}/;
const YEAR_WORD = /^\d{4}$/;
const MONTH_WORD = /^(?:0?[1-9]|1[0-2])$/;
const YEAR_NAME = /^(?:y|yr|year|jahr|annee|cal_?year|[a-z]*_year)$/i;
/** `date`, `start_date`, `eventDate`; not `update`. */
const DATE_NAME = /(?:^|[-_]|[a-z](?=[A-Z]))(?:[Dd]ate|[Dd]ay|[Mm]onth)(?![a-z])/;
/** Segments that precede dates. */
const DATE_SEGMENT = /^(?:cal|calendar|kalender|agenda|events|archives?|year|month|week|day|date)$/i;
/** Of these, segments after which eight digits are more often an id than a date. */
const LIST_SEGMENT = /^(?:agenda|events)$/i;

/** A date counts only with a month: `/item/3021` is a number. */
function calendar({ segments, parameters }: CountedUrl, limits: TrapLimits, now: number): Rule | null {
  const far = [...yearsOf(segments), ...yearsOfParameters(parameters)].find((dated) => isFar(dated, limits, now));
  return far === undefined
    ? null
    : { number: CALENDAR_RULE, text: `trap.calendar.years: a calendar in the year ${far.year}` };
}

function yearsOf(words: readonly string[]): DatedYear[] {
  return words.flatMap((word, at) => {
    const before = words[at - 1] ?? '';
    const isInCalendar = DATE_SEGMENT.test(before);
    const inWord = yearIn(word, isInCalendar && !(BARE_DATE.test(word) && LIST_SEGMENT.test(before)));
    if (inWord !== null) return [inWord];
    return YEAR_WORD.test(word) && MONTH_WORD.test(words[at + 1] ?? '')
      ? [{ year: Number(word), isSure: isInCalendar }]
      : [];
  });
}

function yearIn(word: string, isDate: boolean): DatedYear | null {
  const [, year, month, shortMonth] = word.length <= 32 ? (DATE_WORD.exec(word) ?? []) : [];
  return year !== undefined && MONTH_WORD.test(month ?? shortMonth ?? '')
    ? { year: Number(year), isSure: isDate || FULL_DATE.test(word) }
    : null;
}

function yearsOfParameters(parameters: readonly string[]): DatedYear[] {
  return parameters.flatMap((parameter) => {
    const name = parameterName(parameter);
    const equals = parameter.indexOf('=');
    const value = equals < 0 ? '' : parameter.slice(equals + 1);
    const inValue = yearIn(value, DATE_NAME.test(name));
    if (inValue !== null) return [inValue];
    // A `y` may be a coordinate.
    return YEAR_NAME.test(name) && YEAR_WORD.test(value) ? [{ year: Number(value), isSure: name.length > 1 }] : [];
  });
}
