/**
 * Dates of sitemaps, feeds, PDF, expressions and requests: W3C Datetime (https://www.w3.org/TR/NOTE-datetime, from a bare
 * year to fractions of a second with a zone) and RFC 822 with its successors, which RSS uses. Parsing is lenient: a missing
 * zone is UTC, a blank may replace the T, a zone may lack its colon. Days and hours that do not exist are rejected.
 */
import { MONTHS, fullYear } from './http/http-date.js';

const MAX_LENGTH = 64;
const W3C =
  /^(\d{4})(?:-(\d{1,2})(?:-(\d{1,2})(?:(?:T| {1,4})(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,12}))?)?(?: {0,4}(Z|UTC|GMT|[+-]\d{2}(?::?\d{2})?))?)?)?)?$/i;
const RFC822 =
  /^(?:[a-z]{3,9},? {1,4})?(\d{1,2})[ -]([a-z]{3})[a-z]{0,6}[ -](\d{4}|\d{2})(?: {1,4}(\d{1,2}):(\d{2})(?::(\d{2}))?(?: {1,4}([a-z]{1,5}|[+-]\d{2}:?\d{2}))?)?$/i;
/** RFC 822 §5.1; other names are read as UTC. */
const ZONES: Readonly<Record<string, string>> = {
  EST: '-0500',
  EDT: '-0400',
  CST: '-0600',
  CDT: '-0500',
  MST: '-0700',
  MDT: '-0600',
  PST: '-0800',
  PDT: '-0700',
};

interface Moment {
  year: number;
  /** From 1. */
  month: number;
  day: number;
  timeOfDay: readonly (string | undefined)[];
  fraction?: string | undefined;
  zone?: string | undefined;
}

/** Milliseconds since the epoch; null for any other text. */
export function parseDatetime(text: string): number | null {
  if (text.length > MAX_LENGTH) return null;
  const trimmed = text.trim();
  const w3c = W3C.exec(trimmed);
  if (w3c) {
    const [, year = '', month = '1', day = '1', hours, minutes, seconds, fraction, zone] = w3c;
    const date = { year: Number(year), month: Number(month), day: Number(day) };
    return momentMs({ ...date, timeOfDay: [hours, minutes, seconds], fraction, zone });
  }
  const [matched, day, month = '', year = '', hours, minutes, seconds, zone = ''] = RFC822.exec(trimmed) ?? [];
  if (matched === undefined) return null;
  return momentMs({
    year: fullYear(year),
    month: MONTHS.indexOf(month.toLowerCase()) + 1,
    day: Number(day),
    timeOfDay: [hours, minutes, seconds],
    zone: ZONES[zone.toUpperCase()] ?? zone,
  });
}

function momentMs({ year, month, day, timeOfDay, fraction = '', zone = '' }: Moment): number | null {
  const [hours = 0, minutes = 0, seconds = 0] = timeOfDay.map((part) => Number(part ?? 0));
  if (hours > 23 || minutes > 59 || seconds > 60) return null;
  const date = new Date(0);
  // Date.UTC maps years below 100 to 1900 to 1999.
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return null;
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  const ofZone = zoneMinutes(zone);
  return ofZone === null ? null : date.getTime() + ((hours * 60 + minutes - ofZone) * 60 + seconds) * 1000 + ms;
}

/** Offset from UTC in minutes; a name means UTC. Null for an impossible offset. */
function zoneMinutes(zone: string): number | null {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  if (hours === undefined) return 0;
  if (Number(hours) > 18 || Number(minutes) > 59) return null;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
