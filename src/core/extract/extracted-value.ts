/** Converts selected texts to the values that are stored. */

/** Limits: characters of a value, values of a rule, and characters of all values of a page. */
export const MAX_VALUE_LENGTH = 10_000;
export const MAX_VALUES = 100;
export const MAX_CHARACTERS = 65_536;

/** Collapses white space to single blanks: tabs separate values, so a value must contain none. */
export const collapsedValue = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, MAX_VALUE_LENGTH);

/** A no-break space is part of a number only before a group of three digits. */
const NUMBER = /[-+\u2212]?(?:\d(?:[\d.,'\u2019]|[\u00a0\u202f](?=\d{3}(?!\d))){0,30}\d|\d)/u;
/** Groups of three digits after one to three digits: `1.234.567`, `12 345`. */
const GROUPED = /^[1-9]\d{0,2}(?:([.,'\u2019\u00a0\u202f])\d{3})(?:\1\d{3})*$/u;

/**
 * The first number of a text, in JSON syntax; `''` for none. Of two different separators the last is the decimal one
 * (`1.234,50` is 1234.5); a comma before three digits, and any separator that occurs twice, groups thousands.
 */
export function numberIn(text: string): string {
  const match = NUMBER.exec(text)?.[0];
  if (match === undefined) return '';
  const sign = /^[-\u2212]/.test(match) ? '-' : '';
  const digits = match.replace(/^[-+\u2212]/u, '');
  const value = Number(sign + plainDigits(digits));
  return Number.isFinite(value) ? String(value) : '';
}

function plainDigits(digits: string): string {
  const grouped = GROUPED.exec(digits);
  const isPoint = grouped?.[1] === '.' && digits.split('.').length === 2;
  if (grouped !== null && !isPoint) return digits.replaceAll(/\D/g, '');
  const last = Math.max(digits.lastIndexOf('.'), digits.lastIndexOf(','));
  if (last < 0) return digits.replaceAll(/\D/g, '');
  return `${digits.slice(0, last).replaceAll(/\D/g, '')}.${digits.slice(last + 1).replaceAll(/\D/g, '')}`;
}
