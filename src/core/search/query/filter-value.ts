/** The values of filters (`site:`, `host:`, `lang:`, `type:`, `date:`, `segment:`) in the form of the index. */
import { DAY_MS } from '../../day.js';
import { domainToASCII } from 'node:url';
import { canonicalLanguage } from '../../language/declared-language.js';
import type { FilterName } from '../query.js';

const LANGUAGE = /^([a-z]{2,3})(?:[-_][a-z0-9]+)*$/;
const TYPE = /^[a-z0-9][a-z0-9.+-]*(?:\/[a-z0-9][a-z0-9.+-]*)?$/;
const SEGMENT = /^[\w.:-]+$/;
const HOST = /^(?:[a-z]+:\/\/)?(\[[\da-f:.]+\]|[\p{L}\p{M}\p{N}._-]+)(?::\d+)?(?:[/?#](.*))?$/u;

/** null: not a value of that filter. */
export function filterValue(name: FilterName, written: string): string | null {
  const lower = written.toLowerCase();
  switch (name) {
    case 'site':
    case 'host':
      return hostOf(lower);
    case 'lang':
      return languageOf(lower);
    case 'type':
      return TYPE.test(lower) ? lower : null;
    case 'date':
      return daysOf(lower);
    case 'segment':
      return SEGMENT.test(written) ? written : null;
  }
}

function languageOf(written: string): string | null {
  const code = LANGUAGE.exec(written)?.[1];
  return code === undefined ? null : canonicalLanguage(code);
}

/** Whether the value of a `site` or `host` filter has a path or a query, which is ignored. */
export const hasPath = (written: string): boolean => (HOST.exec(written.toLowerCase())?.[2] ?? '') !== '';

/** A host in ASCII, or that of a URL; the path is ignored. */
function hostOf(written: string): string | null {
  const host = HOST.exec(written)?.[1]?.replace(/^\.|\.$/g, '') ?? '';
  return domainToASCII(host) || null;
}

const DAY = /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?$/;
const COMPARED = /^([<>]=?)(.*)$/;

/** `2024-01-01..2024-12-31`, both days included; a side may be empty, not both. */
function daysOf(written: string): string | null {
  const compared = COMPARED.exec(written);
  if (compared) return comparedDays(compared[1]!, compared[2]!);
  const [from, to, ...rest] = written.includes('..') ? written.split('..') : [written, written];
  if (rest.length > 0 || (from === '' && to === '')) return null;
  const first = from === '' ? '' : periodOf(from!)?.[0];
  const last = to === '' ? '' : periodOf(to!)?.[1];
  if (first === undefined || last === undefined) return null;
  return first !== '' && last !== '' && first > last ? null : `${first}..${last}`;
}

function comparedDays(sign: string, written: string): string | null {
  const period = periodOf(written);
  if (period === null) return null;
  const [first, last] = period;
  if (sign === '>=') return `${first}..`;
  if (sign === '<=') return `..${last}`;
  const day = sign === '>' ? dayBeside(last, 1) : dayBeside(first, -1);
  if (day === null) return null;
  return sign === '>' ? `${day}..` : `..${day}`;
}

/** The first and the last day of a year, a month or a day. */
function periodOf(written: string): [first: string, last: string] | null {
  const [, year, month, day] = DAY.exec(written) ?? [];
  if (year === undefined || year === '0000') return null;
  const first = `${year}-${(month ?? '1').padStart(2, '0')}-${(day ?? '1').padStart(2, '0')}`;
  if (isoDay(Date.parse(first)) !== first) return null;
  if (day !== undefined) return [first, first];
  const last = month === undefined ? Date.UTC(Number(year), 12, 0) : Date.UTC(Number(year), Number(month), 0);
  // Date.UTC maps the years 0 to 99 to 1900 to 1999.
  return [first, `${year}${isoDay(last)!.slice(4)}`];
}

/** null: outside the years 1 to 9999. */
function dayBeside(day: string, days: number): string | null {
  const beside = isoDay(Date.parse(day) + days * DAY_MS)!;
  return DAY.test(beside) && !beside.startsWith('0000') ? beside : null;
}

const isoDay = (time: number): string | null => (Number.isNaN(time) ? null : new Date(time).toISOString().slice(0, 10));
