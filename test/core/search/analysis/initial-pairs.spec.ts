import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze } from '../../../../src/core/search/analysis/analyze.js';
import { analyzerOf } from '../../../../src/core/search/analysis/analyzer.js';
import { initialPairs, mayBegin } from '../../../../src/core/search/analysis/initial-pairs.js';
import { unicodeText } from '../../../support/unicode-text.js';

/** With stems of other letters, of one letter, and with marks after the first or second one. */
const WORDS = [
  'dying',
  'Lying',
  'TYING',
  'skies',
  'by',
  'x',
  'X1',
  'naïve',
  'e\u0301tude',
  'de\u0301ja',
  'c\u00ado-op',
  'Éa',
];

const isPassedOver = (prefixes: readonly string[], text: string, { start, end }: { start: number; end: number }) =>
  !mayBegin(initialPairs(prefixes), text, start, end);

describe('the first two characters of words', () => {
  it('never exclude a word that has the term, or begins with the prefix', () => {
    const letters = fc.array(fc.constantFrom(...'aeiouyYsdtlnIEgX'), { minLength: 1, maxLength: 8 });
    const text = fc.oneof(
      fc.constantFrom(...WORDS),
      unicodeText(),
      letters.map((all) => all.join('')),
    );
    fc.assert(
      fc.property(text, fc.constantFrom('en', null, 'pl'), fc.nat({ max: 3 }), (written, language, length) => {
        expect(analyzerOf(language).keepsInitials).toBe(true);
        for (const token of analyze(written, language)) {
          expect(isPassedOver([token.term], written, token)).toBe(false);
          expect(isPassedOver([[...token.word].slice(0, 1 + length).join('')], written, token)).toBe(false);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it('exclude words with other ones', () => {
    const word = { start: 0, end: 5 };
    expect(isPassedOver(['ferri'], 'ferry', word)).toBe(false);
    expect(isPassedOver(['ferri'], 'forty', word)).toBe(true);
    expect(isPassedOver(['ferri'], 'Xerox', word)).toBe(true);
  });
});
