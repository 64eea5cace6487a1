/**
 * Which words of a text may have one of some terms, by their first two characters, for analyzers that keep these
 * (`Analyzer.keepsInitials`).
 */

const ASCII = 128;
/** Stands for a second character that is missing or not ASCII. */
const NONE = 0;

/** A table of flags for `mayBegin`. @param prefixes whole terms, or prefixes of words, in lower case */
export function initialPairs(prefixes: readonly string[]): Uint8Array {
  const pairs = new Uint8Array(ASCII * ASCII);
  for (const [first = '', second = ''] of prefixes) {
    const seconds = secondLetters(second);
    for (const firstCode of bothCases(first)) {
      if (firstCode >= ASCII) continue;
      const row = pairs.subarray(firstCode * ASCII, (firstCode + 1) * ASCII);
      row[NONE] = 1;
      for (const secondCode of seconds) row[secondCode] = 1;
    }
  }
  return pairs;
}

const everyCode = Array.from({ length: ASCII }, (_, code) => code);

/** The codes that may be second in a word whose prefix has this second letter; any, if it has none in ASCII. */
function secondLetters(letter: string): readonly number[] {
  if (letter === '' || letter.charCodeAt(0) >= ASCII) return everyCode;
  // The stem of dying is die.
  return letter === 'i' ? [...bothCases('i'), ...bothCases('y')] : bothCases(letter);
}

const bothCases = (letter: string): number[] => [letter, letter.toUpperCase()].map((form) => form.charCodeAt(0));

/** Whether the word of a text from `start` to `end` may have one of the terms. */
export function mayBegin(pairs: Uint8Array, text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start);
  if (first >= ASCII) return true;
  const second = end - start > 1 ? text.charCodeAt(start + 1) : NONE;
  return pairs[first * ASCII + (second < ASCII ? second : NONE)] === 1;
}
