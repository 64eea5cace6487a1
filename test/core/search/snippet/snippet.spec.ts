import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyze } from '../../../../src/core/search/analysis/analyze.js';
import { findHighlights } from '../../../../src/core/search/snippet/find-highlights.js';
import { type Snippet, highlightedTitle, bestSnippets } from '../../../../src/core/search/snippet/snippet.js';
import { unicodeText } from '../../../support/unicode-text.js';

const words = (terms: string[], phrases: string[][] = [], prefixes: string[] = []) => ({
  terms: new Set(terms),
  prefixes,
  phrases: phrases.map((phrase) => ({ words: phrase.map((term, position) => ({ term, position })), slop: 0 })),
});
/** Marks in brackets. */
const shown = ({ text, marks }: Snippet) =>
  marks.reduceRight((all, [start, end]) => `${all.slice(0, start)}[${all.slice(start, end)}]${all.slice(end)}`, text);
const size = { maxLength: 60, maxSnippets: 2 };
const filler = 'Nothing of it is here, as far as one can see. ';

describe('a snippet', () => {
  it('highlights the words of the query in any inflection', () => {
    const text = 'The ferries leave; a Ferry’s harbour, ferry-boat.';
    expect(bestSnippets(text, 'en', words(['ferri', 'harbour']), size).map(shown)).toEqual([
      'The [ferries] leave; a [Ferry]’s [harbour], [ferry]-boat.',
    ]);
  });

  it('begins with the sentence and shows by … where the text continues', () => {
    const text = `${filler.repeat(5)}Then the ferry leaves. ${filler.repeat(5)}`;
    expect(bestSnippets(text, 'en', words(['ferri']), size).map(shown)).toEqual([
      '…Then the [ferry] leaves. Nothing of it is here, as far as one…',
    ]);
  });

  it('begins at a word when the sentence is too long', () => {
    const text = `${'one word and another '.repeat(20)}ferry ${'and so on '.repeat(20)}`;
    const [first] = bestSnippets(text, 'en', words(['ferri']), size);
    expect(shown(first!)).toMatch(/^…(?:one|word|and|another) .*\[ferry\] .*(?:and|so|on)…$/);
  });

  it('has the snippet with most words of the query first, then one with the others', () => {
    const text = `ferry ferry ferry. ${filler.repeat(3)}harbour and ferry. ${filler.repeat(3)}lighthouse. ${filler}`;
    expect(bestSnippets(text, 'en', words(['ferri', 'harbour', 'lighthous']), size).map(shown)).toEqual([
      expect.stringContaining('[harbour] and [ferry].'),
      expect.stringContaining('[lighthouse].'),
    ]);
    expect(
      bestSnippets(text, 'en', words(['ferri', 'harbour', 'lighthous']), { ...size, maxSnippets: 1 }),
    ).toHaveLength(1);
  });

  it('finds further words directly after the best snippet', () => {
    const text = `${'a ferry and a harbour stood here '.padEnd(58)}lighthouse ${filler.repeat(2)}`;
    const snippets = bestSnippets(text, 'en', words(['ferri', 'harbour', 'lighthous']), size);
    expect(snippets.map(shown).join(' ')).toContain('[lighthouse]');
  });

  it('highlights a phrase as a whole, and its words nowhere else', () => {
    const text = 'The tide table: a table of tide and tide\n  tables, tide-table.';
    expect(bestSnippets(text, 'en', words([], [['tide', 'tabl']]), { ...size, maxLength: 90 }).map(shown)).toEqual([
      'The [tide table]: a table of tide and [tide tables], [tide-table].',
    ]);
  });

  it('highlights a phrase including its stop words', () => {
    const phrase = [
      { term: 'bread', position: 0 },
      { term: 'butter', position: 2 },
    ];
    const query = { terms: new Set<string>(), prefixes: [], phrases: [{ words: phrase, slop: 0 }] };
    expect(bestSnippets('bread and butter, bread butter', 'en', query, size).map(shown)).toEqual([
      '[bread and butter], bread butter',
    ]);
  });

  it('highlights the words of a phrase that may be moved, where all of them are near', () => {
    const [phrase] = words([], [['ferri', 'harbour']]).phrases;
    const query = { ...words([]), phrases: [{ ...phrase!, slop: 4 }] };
    const text = 'The ferry to the old harbour, the harbour of the ferry; a ferry. Then and only then a harbour.';
    expect(bestSnippets(text, 'en', query, { ...size, maxLength: 200 }).map(shown)).toEqual([
      'The [ferry] to the old [harbour], the [harbour] of the [ferry]; a ferry. Then and only then a harbour.',
    ]);
  });

  it('highlights words that begin with a prefix', () => {
    expect(bestSnippets('Light, lighthouses, delight', 'en', words([], [], ['light']), size).map(shown)).toEqual([
      '[Light], [lighthouses], delight',
    ]);
  });

  it('highlights words of scripts without spaces', () => {
    expect(bestSnippets('在北京大学学习', 'zh', words(['大学']), size).map(shown)).toEqual(['在北京[大学]学习']);
  });

  it('highlights words of languages whose stemmers remove prefixes', () => {
    const [{ term } = { term: '' }] = analyze('membaca', 'id');
    expect(term).not.toMatch(/^m/);
    expect(bestSnippets('Mereka membaca buku', 'id', words([term]), size).map(shown)).toEqual([
      'Mereka [membaca] buku',
    ]);
  });

  it('is the beginning of a text without a word of the query', () => {
    expect(bestSnippets(filler.repeat(3), 'en', words(['ferri']), size).map(shown)).toEqual([
      'Nothing of it is here, as far as one can see. Nothing of it…',
    ]);
  });

  it.each(['', ' \n\t ', '\0\0'])('is empty for %j', (text) => {
    expect(bestSnippets(text, 'en', words(['a']), size)).toEqual([]);
  });

  it('collapses white space and removes control characters', () => {
    expect(bestSnippets(' a\u0001\n\n b\t\tferry \r\n', null, words(['ferry']), size).map(shown)).toEqual([
      'a b [ferry]',
    ]);
  });

  it('differs from the others of its hit, where a page repeats a text', () => {
    const menu = 'Home\n\nFerry timetable\n\nHarbour map\n\nContact\n';
    const text = `${menu}${filler.repeat(9)}\nThe old ferry sinks. ${filler.repeat(9)}\n${menu.replaceAll('\n\n', ' ')}`;
    expect(bestSnippets(text, 'en', words(['ferri', 'timet', 'harbour']), size).map(shown)).toEqual([
      expect.stringMatching(/^Home \[Ferry\] \[timetable\] \[Harbour\] map/),
      expect.stringMatching(/^…The old \[ferry\] sinks\./),
    ]);
    const twice = `${menu}${filler.repeat(9)}\n${menu}`;
    expect(bestSnippets(twice, 'en', words(['ferri']), size)).toHaveLength(1);
  });

  it('differs from the others, however often a page repeats a text', () => {
    const post = `I was here. ${filler.repeat(2)}\nSigned, the ferry man of the old harbour\n`;
    const text = `${post.repeat(300)}Years later, in another town, on a cold day: A ferry sinks, whoever steers it.`;
    const snippets = bestSnippets(text, 'en', words(['ferri', 'harbour']), { ...size, maxSnippets: 5 }).map(shown);
    expect(snippets).toContainEqual(expect.stringContaining('A [ferry] sinks'));
    expect(snippets.filter((snippet) => snippet.includes('the [ferry] man of the old [harbour]'))).toHaveLength(1);
  });

  it('is one snippet when two would be adjacent', () => {
    const text = `ferry ${'x '.repeat(36)}harbour`;
    const snippets = bestSnippets(text, 'en', words(['ferri', 'harbour']), { maxLength: 70, maxSnippets: 2 });
    expect(snippets).toHaveLength(1);
    expect(shown(snippets[0]!)).toMatch(/^\[ferry\].*\[harbour\]$/);
  });
});

it.each([null, 'en', 'de', 'tr', 'id'])(
  'the words that are highlighted are those with a term of the query (%s)',
  (language) => {
    const letter = fc.constantFrom(
      ...'aAeEiIkKsSyYzZ1',
      'ing',
      'ies',
      'di',
      'ß',
      'É',
      'ı',
      'İ',
      'ſ',
      'K',
      '\u0301',
      '\u0307',
      '\u00ad',
      '字',
    );
    const word = fc.string({ unit: letter, minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 12 }), fc.nat(), (all, at) => {
        const text = all.join(' ');
        const tokens = analyze(text, language);
        const term = tokens[at % Math.max(1, tokens.length)]?.term ?? 'none';
        const expected = tokens.filter((token) => token.term === term).map(({ start, end }) => [start, end]);
        const highlights = findHighlights(text, language, words([term]));
        expect(highlights.map(({ start, end }) => [start, end])).toEqual(expected);
      }),
      { numRuns: 1_000 },
    );
  },
);

describe('a snippet of a long text', () => {
  it('covers the first 131,072 UTF-16 units', () => {
    const text = `${'word '.repeat(30_000)}ferry`;
    expect(bestSnippets(text, 'en', words(['ferri']), size)[0]!.marks).toEqual([]);
    expect(bestSnippets(text.slice(50_000), 'en', words(['ferri']), size)[0]!.marks).toHaveLength(1);
  });

  it.each(['ferry ', 'ferryferry', '字', '𠮷', ' ', '. ', '\ud83d', 'a\u0301'])(
    'is bounded for two megabytes of %j',
    (piece) => {
      const text = piece.repeat(2_000_000 / piece.length);
      const [first] = bestSnippets(text, 'en', words(['ferri', '字'], [['ferri', 'ferri']]), size);
      expect((first?.text ?? '').length).toBeLessThanOrEqual(size.maxLength * 2 + 2);
    },
  );
});

it('a title is highlighted in full, up to a maximum length', () => {
  expect(shown(highlightedTitle('The night ferry', 'en', words(['ferri']), 100))).toBe('The night [ferry]');
  expect(shown(highlightedTitle('The night ferry of winter', 'en', words(['ferri']), 16))).toBe('The night [ferry]…');
  expect(highlightedTitle('a𠮷', 'en', words([]), 2).text).toBe('a…');
});

const piece = fc.constantFrom(
  'ferry',
  'harbour ',
  ' ',
  '. ',
  '\n',
  '𠮷',
  '\ud83d',
  '字',
  'e\u0301',
  'x'.repeat(30),
  '<b>',
  '\0',
);
const anyText = fc.array(fc.oneof(piece, unicodeText({ maxLength: 5 })), { maxLength: 80 }).map((all) => all.join(''));

it('a snippet of any text has ordered highlights around matches and cuts no surrogate pair', () => {
  fc.assert(
    fc.property(
      anyText,
      fc.integer({ min: 1, max: 80 }),
      fc.integer({ min: 1, max: 3 }),
      (text, maxLength, maxSnippets) => {
        const snippets = bestSnippets(text, 'en', words(['ferri', 'harbour', '字'], [['ferri', 'harbour']]), {
          maxLength,
          maxSnippets,
        });
        expect(snippets.length).toBeLessThanOrEqual(maxSnippets);
        for (const { text: shownText, marks } of snippets) {
          expect(shownText).toBe(shownText.toWellFormed());
          expect(shownText.length).toBeLessThanOrEqual(maxSnippets * (maxLength + 1) + 1);
          expect(shownText.split('\ufffd').length).toBeLessThanOrEqual(text.toWellFormed().split('\ufffd').length);
          let before = 0;
          for (const [start, end] of marks) {
            expect(start).toBeGreaterThanOrEqual(before);
            expect(shownText.slice(start, end)).toMatch(/^(?:ferr(?:y|ies)|harbours?|字|ferry.*harbours?)/iu);
            before = end;
          }
        }
      },
    ),
    { numRuns: 500 },
  );
});
