import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze, forEachToken } from '../../../../src/core/search/analysis/analyze.js';
import { unicodeText } from '../../../support/unicode-text.js';

const terms = (text: string, language: string | null = null) => analyze(text, language).map(({ term }) => term);
const written = (text: string, language: string | null = null) =>
  analyze(text, language).map(({ start, end }) => text.slice(start, end));

describe('a text is split into words', () => {
  it.each([
    ['at spaces and punctuation', 'One, two; three.', ['one', 'two', 'three']],
    [
      'at hyphens, apostrophes, underscores and dots',
      "wi-fi can't snake_case 3.14 a.b",
      'wi fi can t snake case 3 14 a b'.split(' '),
    ],
    ['not between letters and digits', 'utf8 3D x86', ['utf8', '3d', 'x86']],
    ['at symbols and emoji', 'a™b 👍c€', ['a', 'b', 'c']],
    ['not at a soft hyphen', 'Schiff\u00adfahrt', ['schifffahrt']],
    ['not at joiners, which Persian uses inside words', 'می\u200cخواهم', ['میخواهم']],
    ['at a zero-width space', 'a\u200bb', ['a', 'b']],
    ['where a script without spaces starts', 'iPhone手机 v2の', ['iphone', '手机', 'v2', 'の']],
    ['at lone surrogates', 'a\ud800b\udc00c', ['a', 'b', 'c']],
    ['not inside letters beyond the basic plane', '\u{10400}\u{10401} 𠮷', ['\u{10428}\u{10429}', '𠮷']],
  ])('%s', (_, text, expected) => {
    expect(terms(text)).toEqual(expected);
  });

  it.each([
    ['zh', '在北京大学学习', ['在', '北京', '大学', '学习']],
    ['ja', '日本語の全文検索を使う', ['日本語', 'の', '全文', '検索', 'を', '使う']],
    ['th', 'ภาษาไทยเป็นภาษา', ['ภาษา', 'ไทย', 'เป็น', 'ภาษา']],
  ])('by dictionary in a script without spaces (%s), whatever the language of the page', (language, text, expected) => {
    expect(terms(text, language)).toEqual(expected);
    expect(terms(text, 'en')).toEqual(expected);
  });

  it('in pieces for a long run without spaces, without cutting a word', () => {
    const text = `在${'北京大学'.repeat(2_000)}`;
    expect(new Set(terms(text))).toEqual(new Set(['在', '北京', '大学']));
    expect(written(text).join('')).toBe(text);
  });
});

describe('folding of a word', () => {
  it.each([
    ['folds case', null, 'FoO ÉTÉ ΟΔΟΣ', 'foo ete οδοσ'],
    ['folds width and ligatures (NFKC)', null, 'Ａｐａｃｈｅ ﬁle CO₂ ①', 'apache file co2 1'],
    ['removes accents, composed or not', null, 'résumé re\u0301sume\u0301 Việt', 'resume resume viet'],
    ['folds letters without a decomposition', null, 'Straße Łódź Ærø œuvre İzmir', 'strasse lodz aero oeuvre izmir'],
    ['keeps separate letters in Cyrillic', null, 'йод ёлка Київ', 'йод елка київ'],
    ['removes Arabic vowel signs and Hebrew points', null, 'كِتَاب שָׁלוֹם', 'كتاب שלום'],
    ['keeps the vowel signs of Indian scripts', null, 'हिन्दी', 'हिन्दी'],
    ['keeps å, ä and ö in Swedish', 'sv', 'åka', 'åka'],
    ['keeps ñ in Spanish, which separates año from ano', 'es', 'año', 'año'],
    ['folds I and İ by Turkish rules', 'tr', 'IŞIK İZMİR', 'isik izmir'],
  ])('%s (%s)', (_, language, text, expected) => {
    expect(
      analyze(text, language)
        .map(({ word }) => word)
        .join(' '),
    ).toBe(expected);
  });

  it('gives one term with or without accents after stemming', () => {
    expect(terms('études', 'fr')).toEqual(terms('etudes', 'fr'));
  });
});

describe('terms by language', () => {
  it.each([
    ['en', 'The ferries are leaving the harbours', ['ferri', 'leav', 'harbour']],
    ['de', 'Die Fährschiffe fahren über die Straßen', ['fahrschiff', 'fahr', 'strass']],
    ['fr', "L'avion des chevaux", ['avion', 'cheval']],
    ['ru', 'Корабли стоят в гавани', ['корабл', 'сто', 'гаван']],
    ['tr', 'KIZLAR kızlar', ['kiz', 'kiz']],
    ['nb', 'båtene', ['båt']],
    ['nn', 'båtene', ['båt']],
    ['en-GB', 'harbours', ['harbour']],
    ['EN', 'harbours', ['harbour']],
    ['pl', 'The harbours', ['the', 'harbours']],
    ['constructor', 'The harbours', ['the', 'harbours']],
    [null, 'The harbours', ['the', 'harbours']],
  ])('%s: "%s" has the terms %j', (language, text, expected) => {
    expect(terms(text, language)).toEqual(expected);
  });

  it('a stop word leaves its position empty', () => {
    expect(analyze('The keeper of the light', 'en').map(({ term, position }) => [term, position])).toEqual([
      ['keeper', 1],
      ['light', 4],
    ]);
  });

  it.each([
    ['to_csv', ['to', 'csv']],
    ['std::is_empty()', ['std', 'is', 'empti']],
    ['for_each', ['for', 'each']],
    ['the_end of the_line', ['the', 'end', 'the', 'line']],
    ['_the_ keeper _of_', ['keeper']],
    ['to_ and _is', []],
    ['state-of-the-art', ['state', 'art']],
  ])('a stop word that an underscore joins to another word is a part of a name: %s has %j', (text, expected) =>
    expect(terms(text, 'en')).toEqual(expected),
  );

  it('a token has the unstemmed word and its offsets in the original text', () => {
    expect(analyze('ﬁne Ⅷ Café\u0301s', 'en')).toEqual([
      { term: 'fine', word: 'fine', position: 0, start: 0, end: 3 },
      { term: 'viii', word: 'viii', position: 1, start: 4, end: 5 },
      { term: 'cafe', word: 'cafes', position: 2, start: 6, end: 12 },
    ]);
  });
});

describe('limits of the analysis', () => {
  it('at most maxTokens words are read, including stop words', () => {
    expect(analyze('the boat and the ferry', 'en', { maxTokens: 4, maxLength: 128 }).map(({ term }) => term)).toEqual([
      'boat',
    ]);
  });

  it('a word that is too long keeps its position and is left out', () => {
    const limits = { maxTokens: 10, maxLength: 4 };
    expect(analyze('a abcde bc', null, limits).map(({ word, position }) => [word, position])).toEqual([
      ['a', 0],
      ['bc', 2],
    ]);
  });

  it('the length of a word is measured after folding: NFKC turns one letter into 18', () => {
    expect(analyze('\ufdfa'.repeat(100), null)).toEqual([]);
    expect(analyze('\ufdfa', null)).toHaveLength(1);
  });

  it('a megabyte of letters, marks, Han or surrogates gives at most 100,000 tokens', () => {
    for (const text of ['a', 'a\u0301', '\u0301', '字', '\ud800', '𠮷', '\u00ad', 'İ']) {
      expect(analyze(text.repeat(1_000_000 / text.length), 'tr').length).toBeLessThanOrEqual(100_000);
    }
  });
});

const hostile = unicodeText({ maxLength: 200 });
const mixed = fc
  .array(
    fc.oneof(hostile, fc.constantFrom('ferry', ' ', 'Ärger', '北京', 'ภาษา', '\u0301', '\ud83d', '\u200d', 'İ', 'ﬁ')),
  )
  .map((parts) => parts.join(''));
const language = fc.constantFrom(null, 'en', 'de', 'fr', 'tr', 'el', 'hu', 'hi', 'ja', 'ar', 'sr', 'zz');

describe('analysis of any text', () => {
  it('tokens are in order and do not overlap', () => {
    fc.assert(
      fc.property(mixed, language, (text, code) => {
        let end = 0;
        let position = -1;
        for (const token of analyze(text, code)) {
          expect(token.start).toBeGreaterThanOrEqual(end);
          expect(token.end).toBeGreaterThan(token.start);
          expect(token.position).toBeGreaterThan(position);
          ({ end, position } = token);
        }
        expect(end).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  it('terms contain only letters, digits and marks, and no lone surrogate', () => {
    fc.assert(
      fc.property(mixed, language, (text, code) => {
        for (const { term, word } of analyze(text, code))
          expect(`${term} ${word}`).toMatch(/^[\p{L}\p{M}\p{N}]+ [\p{L}\p{M}\p{N}]+$/u);
      }),
    );
  });

  it('a word by itself has the same term as in its text', () => {
    fc.assert(
      fc.property(mixed, language, (text, code) => {
        const cased = analyze(text, code).filter(({ start, end }) => /^[a-zäéİ]+$/iu.test(text.slice(start, end)));
        for (const { term, start, end } of cased) expect(terms(text.slice(start, end), code)).toEqual([term]);
      }),
    );
  });

  it('forEachToken visits the tokens that analyze returns', () => {
    fc.assert(
      fc.property(mixed, language, (text, code) => {
        const visited: unknown[] = [];
        forEachToken(text, code, (term, word, position, start, end) =>
          visited.push({ term, word, position, start, end }),
        );
        expect(visited).toEqual(analyze(text, code));
      }),
    );
  });
});

it('forEachToken returns the next free position', () => {
  expect(forEachToken('the boat and', 'en', () => undefined)).toBe(3);
  expect(forEachToken('', 'en', () => undefined)).toBe(0);
});
