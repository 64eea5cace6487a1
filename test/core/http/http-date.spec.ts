import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatHttpDate, parseHttpDate } from '../../../src/core/http/http-date.js';

/** Dates of HTTP (RFC 9110 §5.6.7). */

const EXAMPLE = Date.UTC(1994, 10, 6, 8, 49, 37);

describe('an HTTP date is read in each of the three formats that a recipient must accept', () => {
  it.each([
    ['IMF-fixdate', 'Sun, 06 Nov 1994 08:49:37 GMT', EXAMPLE],
    ['the obsolete format of RFC 850', 'Sunday, 06-Nov-94 08:49:37 GMT', EXAMPLE],
    ['the obsolete format of asctime', 'Sun Nov  6 08:49:37 1994', EXAMPLE],
    ['asctime with a day of two digits', 'Sun Nov 06 08:49:37 1994', EXAMPLE],
    ['the epoch, with blanks around it', ' Thu, 01 Jan 1970 00:00:00 GMT ', 0],
    ['a leap second, which is the next minute', 'Tue, 29 Feb 2028 23:59:60 GMT', Date.UTC(2028, 2, 1)],
    ['a leap day of a century', 'Tue, 29 Feb 2000 00:00:00 GMT', Date.UTC(2000, 1, 29)],
    ['the last day that it can name', 'Fri, 31 Dec 9999 23:59:59 GMT', Date.UTC(9999, 11, 31, 23, 59, 59)],
  ])('%s: %s', (_format, text, ms) => expect(parseHttpDate(text)).toBe(ms));

  it.each([
    ['a day of one digit', 'Sun, 6 Nov 1994 08:49:37 GMT'],
    ['no day of the week', '06 Nov 1994 08:49:37 GMT'],
    ['a whole day of the week', 'Sunday, 06 Nov 1994 08:49:37 GMT'],
    ['UTC for GMT', 'Sun, 06 Nov 1994 08:49:37 UTC'],
    ['another day of the week', 'Mon, 06 Nov 1994 08:49:37 GMT'],
    ['a month in capitals', 'Sun, 06 NOV 1994 08:49:37 GMT'],
    ['hyphens and four digits of the year', 'Sun, 06-Nov-1994 08:49:37 GMT'],
    ['asctime with one blank', 'Sun Nov 6 08:49:37 1994'],
  ])('as servers send it, with %s: %s', (_what, text) => expect(parseHttpDate(text)).toBe(EXAMPLE));
});

describe('a year of two digits is never more than 50 years ahead', () => {
  it.each([
    ['00', 2000],
    ['26', 2026],
    ['69', 2069],
    ['70', 1970],
    ['94', 1994],
    ['99', 1999],
  ])('%s is %i', (digits, year) =>
    expect(parseHttpDate(`Sunday, 06-Nov-${digits} 08:49:37 GMT`)).toBe(Date.UTC(year, 10, 6, 8, 49, 37)),
  );

  it('a year of four digits is that year, also in the first century', () => {
    const year = (text: string) => new Date(parseHttpDate(`Sun, 06 Nov ${text} 08:49:37 GMT`)!).getUTCFullYear();
    expect(['0001', '0094', '0099', '0100'].map(year)).toEqual([1, 94, 99, 100]);
  });
});

describe('text that is no HTTP date is refused', () => {
  it.each([
    ['nothing', ''],
    ['a number, as Expires often has it', '0'],
    ['a number below zero', '-1'],
    ['a word', 'now'],
    ['a day that the month does not have', 'Sun, 31 Feb 1994 08:49:37 GMT'],
    ['the leap day of another year', 'Tue, 29 Feb 2100 00:00:00 GMT'],
    ['day zero', 'Sun, 00 Nov 1994 08:49:37 GMT'],
    ['hour 24', 'Sun, 06 Nov 1994 24:00:00 GMT'],
    ['minute 60', 'Sun, 06 Nov 1994 08:60:00 GMT'],
    ['second 61', 'Sun, 06 Nov 1994 08:49:61 GMT'],
    ['an unknown month', 'Sun, 06 Foo 1994 08:49:37 GMT'],
    ['an offset', 'Sun, 06 Nov 1994 08:49:37 +0100'],
    ['another zone', 'Sun, 06 Nov 1994 08:49:37 EST'],
    ['no zone', 'Sun, 06 Nov 1994 08:49:37'],
    ['a year of three digits', 'Sun, 06 Nov 994 08:49:37 GMT'],
    ['a year of two digits in IMF-fixdate', 'Sun, 06 Nov 94 08:49:37 GMT'],
    ['asctime with a zone', 'Sun Nov  6 08:49:37 1994 GMT'],
    ['no seconds', 'Sun, 06 Nov 1994 08:49 GMT'],
    ['RFC 3339', '1994-11-06T08:49:37Z'],
    ['more after it', 'Sun, 06 Nov 1994 08:49:37 GMT; path=/'],
    ['very much text', 'Sun, 06 Nov 1994 08:49:37 GMT'.repeat(100)],
  ])('%s: %j', (_what, text) => expect(parseHttpDate(text)).toBeNull());

  it('and any text is read without an exception', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect([null, 'number']).toContain(parseHttpDate(text) === null ? null : 'number');
      }),
    );
  });
});

describe('a time is written as IMF-fixdate', () => {
  it('in GMT, with digits in their full number', () => {
    expect(formatHttpDate(EXAMPLE)).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
  });

  it('and read again to the second', () => {
    const seconds = fc.integer({ min: Date.UTC(1970, 0) / 1_000, max: Date.UTC(9999, 11, 31) / 1_000 });
    fc.assert(
      fc.property(seconds, (s) => {
        expect(parseHttpDate(formatHttpDate(s * 1_000))).toBe(s * 1_000);
      }),
    );
  });
});
