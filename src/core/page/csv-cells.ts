/** The cells of comma-separated values. */
import { linesOf } from '../lines.js';

/** Characters that separate the cells of a row, in order of preference. */
const SEPARATORS = [',', ';', '\t', '|'];

/**
 * A text with the cells of its rows on lines of their own, so that what is found in a cell ends there. A quoted cell with line
 * breaks is read as several rows: a quote that belongs to the text of a cell then affects its own line alone.
 */
export function cellsOnLines(text: string): string {
  const rows = linesOf(text);
  const separator = separatorOf(rows[0]!);
  return rows.map((row) => outsideQuotes(row, (part) => part.replaceAll(separator, '\n'))).join('\n');
}

/** The separator that the first row, outside quotes, has most; a comma if it has none. */
function separatorOf(row: string): string {
  const count = (separator: string): number => {
    let total = 0;
    outsideQuotes(row, (part) => {
      total += part.split(separator).length - 1;
      return part;
    });
    return total;
  };
  return SEPARATORS.map((separator) => ({ separator, n: count(separator) })).reduce((most, other) =>
    other.n > most.n ? other : most,
  ).separator;
}

const outsideQuotes = (row: string, change: (part: string) => string): string =>
  row
    .split('"')
    .map((part, nth) => (nth % 2 === 0 ? change(part) : part))
    .join('"');
