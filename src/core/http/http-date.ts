/**
 * HTTP dates (RFC 9110 §5.6.7): IMF-fixdate, and the two obsolete formats that a recipient must still accept. A
 * day of one digit is accepted too, since servers send it.
 */
/** Names of months in lower case. */
export const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const TIME_OF_DAY = '(\\d{2}):(\\d{2}):(\\d{2})';

// Sun, 06 Nov 1994 08:49:37 GMT
const FIXED = new RegExp(`^(?:[A-Za-z]{3,9}, )?(\\d{1,2}) ([A-Za-z]{3}) (\\d{4}) ${TIME_OF_DAY} (?:GMT|UTC)$`);
// Sunday, 06-Nov-94 08:49:37 GMT
const RFC850 = new RegExp(`^[A-Za-z]{3,9}, (\\d{1,2})-([A-Za-z]{3})-(\\d{2}|\\d{4}) ${TIME_OF_DAY} GMT$`);
// Sun Nov  6 08:49:37 1994
const ASCTIME = new RegExp(`^[A-Za-z]{3} ([A-Za-z]{3}) {1,2}(\\d{1,2}) ${TIME_OF_DAY} (\\d{4})$`);

const MAX_LENGTH = 64;

/** Milliseconds since the epoch; null for text that is not an HTTP date or names a day that does not exist. */
export function parseHttpDate(text: string): number | null {
  if (text.length > MAX_LENGTH) return null;
  const trimmed = text.trim();
  const usual = FIXED.exec(trimmed) ?? RFC850.exec(trimmed);
  if (usual) {
    const [, day = '', month = '', year = '', ...timeOfDay] = usual;
    return dateMs(fullYear(year), month, day, timeOfDay);
  }
  const old = ASCTIME.exec(trimmed);
  if (!old) return null;
  const [, month = '', day = '', hours = '', minutes = '', seconds = '', year = ''] = old;
  return dateMs(Number(year), month, day, [hours, minutes, seconds]);
}

/** A time in milliseconds as IMF-fixdate: `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function formatHttpDate(ms: number): string {
  return new Date(ms).toUTCString();
}

/** Two digits mean 1970 to 2069. */
export function fullYear(year: string): number {
  const number = Number(year);
  if (year.length > 2) return number;
  return number < 70 ? 2000 + number : 1900 + number;
}

function dateMs(year: number, monthName: string, dayText: string, timeOfDay: readonly string[]): number | null {
  const month = MONTHS.indexOf(monthName.toLowerCase());
  const [hours = 0, minutes = 0, seconds = 0] = timeOfDay.map(Number);
  const day = Number(dayText);
  if (month < 0 || hours > 23 || minutes > 59 || seconds > 60) return null;
  // `Date.UTC` takes the years 0 to 99 for those of the 20th century.
  const midnight = new Date(0);
  midnight.setUTCFullYear(year, month, day);
  if (midnight.getUTCDate() !== day || midnight.getUTCMonth() !== month) return null;
  return midnight.getTime() + ((hours * 60 + minutes) * 60 + seconds) * 1000;
}
