import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { describeQuery } from '../../../../src/core/search/query/describe-query.js';
import { parseQuery } from '../../../../src/core/search/query/parse-query.js';
import { unicodeText } from '../../../support/unicode-text.js';

const read = (text: string) => describeQuery(parseQuery(text));
const notes = (text: string) => parseQuery(text).notes;

describe('a query is parsed', () => {
  it.each([
    // Words side by side are alternatives.
    ['ferry timetable', 'ferry timetable'],
    ['"tide table"', '"tide table"'],
    ['“tide table”', '"tide table"'],
    ['"tide table"~3', '"tide table"~3'],
    ['+ferry -winter boat', 'boat +ferry -winter'],
    ['-"night ferry" boat', 'boat -"night ferry"'],
    ['light*', 'light*'],
    ['中*', '中*'],
    ['ferry^3 "tide table"^0.5', 'ferry^3 "tide table"^0.5'],
    ['wi-fi C++ --help', 'wi-fi C++ --help'],
    ['a - b + c & d', 'a b c d'],
    // Operators; AND binds closer than OR.
    ['ferry AND timetable', '+ferry +timetable'],
    ['a b AND c', 'a +b +c'],
    ['ferry OR boat', 'ferry boat'],
    ['a OR b AND c', 'a (+b +c)'],
    ['a AND b OR c AND NOT d', '(+a +b) (+c -d)'],
    ['ferry NOT winter', 'ferry -winter'],
    ['ferry and or not', 'ferry and or not'],
    ['+AND', '+and'],
    // The same as signs, as in Lucene; punctuation inside and after words is none.
    ['ferry && timetable', '+ferry +timetable'],
    ['a || b && !c', 'a (+b -c)'],
    ['ferry !winter', 'ferry -winter'],
    ['boat !"night ferry" !(a b) !title:old', 'boat -"night ferry" -(a b) -title:old'],
    ['(a && b) || c', '(+a +b) c'],
    ['C&A AT&T a&&b a||b a!b wow! !! x', 'C&A AT&T a&&b a||b a!b wow! x'],
    ['Bonjour ! le monde', 'Bonjour le monde'],
    ['&&b ||c !=d !!e', '&&b ||c !=d !!e'],
    // Brackets.
    ['(ferry OR boat) AND winter', '+(ferry boat) +winter'],
    ['(ferry boat)^2 (winter)^3', '(ferry boat)^2 winter^3'],
    ['(ferry^2)^3', 'ferry^6'],
    ['NOT (a b) c', 'c -(a b)'],
    ['(-a -b) c', 'c -(a b)'],
    ['()', ''],
    ['printf(3)', 'printf 3'],
    // Fields.
    ['title:ferry content:boat*', 'title:ferry content:boat*'],
    ['TITLE:ferry', 'title:ferry'],
    ['title:"night ferry" -url:old', 'title:"night ferry" -url:old'],
    ['title:(night "ferry boat" url:x)', '(title:night title:"ferry boat" url:x)'],
    ['title: ferry', 'title: ferry'],
    ['std::string http://a.test/b 10:30', 'std::string http://a.test/b 10:30'],
  ])('%s → %s', (text, expected) => {
    expect(read(text)).toBe(expected);
    expect(notes(text)).toEqual(expected === '' ? ['There is no word to search for.'] : []);
  });
});

describe('filters narrow a query', () => {
  it.each([
    // The words beside a filter are still what is searched.
    ['ferry boat site:example.org', '+(ferry boat) +site:example.org'],
    ['ferry site:example.org', '+ferry +site:example.org'],
    ['+ferry boat site:example.org', 'boat +ferry +site:example.org'],
    ['ferry -site:example.org', 'ferry -site:example.org'],
    ['site:example.org', '+site:example.org'],
    // A page has one language and one host: any of those matches. Date filters are combined.
    ['ferry lang:de lang:en', '+ferry +(lang:de OR lang:en)'],
    ['ferry lang:deu lang:en-GB', '+ferry +(lang:de OR lang:en)'],
    ['ferry lang:(de en)', '+ferry +(lang:de OR lang:en)'],
    ['ferry lang:de site:a.org lang:en', '+ferry +(lang:de OR lang:en) +site:a.org'],
    ['ferry -(lang:de lang:en)', 'ferry -(lang:de OR lang:en)'],
    ['+lang:de +lang:en', '+lang:de +lang:en'],
    ['date:>=2024 date:<=2024-06', '+date:2024-01-01.. +date:..2024-06-30'],
    ['site:a.org OR lang:de ferry', '+ferry +(site:a.org OR lang:de)'],
    // With OR a word is an alternative to a filter.
    ['title:ferry OR site:a.org', 'title:ferry OR site:a.org'],
    ['ferry AND site:a.org', '+ferry +site:a.org'],
    ['(ferry site:a.org) OR (boat site:b.org)', '(+ferry +site:a.org) (+boat +site:b.org)'],
  ])('%s → %s', (text, expected) => {
    expect(read(text)).toBe(expected);
    expect(notes(text)).toEqual([]);
  });
});

describe('a note reports what was not parsed as written', () => {
  it.each([
    ['"tide table', 'tide table', 'A quotation mark without its partner was left out.'],
    ['(ferry boat', '(ferry boat)', 'A bracket that was not closed ends with the query.'],
    ['ferry) boat', 'ferry boat', 'A bracket that closes nothing was left out.'],
    ['OR ferry', 'or ferry', 'OR joins nothing here: it was read as a word.'],
    ['ferry AND', 'ferry and', 'AND joins nothing here: it was read as a word.'],
    ['NOT', 'not', 'NOT joins nothing here: it was read as a word.'],
    ['a AND OR b', 'a b', 'Of AND OR only the last was read.'],
    ['a && || b', 'a b', 'Of && || only the last was read.'],
    ['ferry &&', 'ferry', '&& joins nothing here: it was left out.'],
    ['|| ferry', 'ferry', '|| joins nothing here: it was left out.'],
    ['f*', 'f', 'The prefix "f*" is too short: it takes 2 letters. It was read as a word.'],
    ...['fer*y', '*ferry', 'title:fe*rr*'].map((text) => [
      text,
      text,
      `"${text.replace('title:', '').replace(/\*$/, '')}" was read as words: * stands for letters only at the end of a word, outside of quotation marks.`,
    ]),
    [
      '"night fer*"',
      '"night fer*"',
      '"night fer*" was read as words: * stands for letters only at the end of a word, outside of quotation marks.',
    ],
    ['ferry~1', 'ferry~1', '"ferry~1" was read as words: words that are similar (~) are not searched for.'],
    ['title:ferry~', 'title:ferry~', '"ferry~" was read as words: words that are similar (~) are not searched for.'],
    ['((a^10 b)^500 c)^500', '((a^4 b)^500 c)^500', 'Boosts that multiply to more than 1000000 were reduced to that.'],
    [
      'ferry^5000 boat',
      'ferry^5000 boat',
      'A boost has at most three digits before its point and three after it: "ferry^5000" was read as a word.',
    ],
    [
      '(ferry boat)^1000',
      '(ferry boat) ^1000',
      'A boost has at most three digits before its point and three after it: "^1000" was read as a word.',
    ],
    [
      'ferry^0.1234',
      'ferry^0.1234',
      'A boost has at most three digits before its point and three after it: "ferry^0.1234" was read as a word.',
    ],
    ['author:ann', 'author:ann', 'There is no field "author": it was read as a word.'],
    ['author:"ann b"', 'author "ann b"', 'There is no field "author": it was read as a word.'],
    ['lang:german', 'german', '"lang:german" is no filter: it was read as words.'],
    [
      'ferry site:a.org/docs',
      '+ferry +site:a.org',
      'Of "site:a.org/docs" only the host counts: for the path add words, such as url:docs.',
    ],
    ['-ferry', '-ferry', 'A query of exclusions alone finds nothing: add a word to search for.'],
    [' \0*?! ', '', 'There is no word to search for.'],
  ])('%s → %s (%s)', (text, expected, note) => {
    expect(read(text)).toBe(expected);
    expect(notes(text)).toEqual([note]);
  });
});

describe('a hostile query', () => {
  it.each([
    ['64 KiB of words', 'word '.repeat(13_108), 'Only the first 8192 characters were read.'],
    ['10,000 terms', Array.from({ length: 10_000 }, (_, at) => at).join(' '), 'Only the first 128 words were read.'],
    ['a phrase of 1,000 words', `"${'word '.repeat(1_000)}"`, 'Only the first 128 words were read.'],
    ['4,000 brackets', `${'('.repeat(4_000)}a${')'.repeat(4_000)}`, 'Brackets deeper than 16 were left out.'],
    ['4,000 fields', 'title:'.repeat(1_300), 'Of a word only the first 256 characters were read.'],
    ['4,000 exclusions', '-a '.repeat(2_600), 'Only the first 128 words were read.'],
    ['operators alone', 'AND OR NOT '.repeat(700), 'OR joins nothing here: it was read as a word.'],
    ['quotation marks alone', '"'.repeat(8_000), 'There is no word to search for.'],
    ['lone surrogates', '\ud800 \udc00a', undefined],
    [
      'a note about a long word',
      `${'x'.repeat(999)}:"y"`,
      `There is no field "${'x'.repeat(40)}…": it was read as a word.`,
    ],
  ])('stays within the limits of the parser: %s', (_, text, note) => {
    const parsed = parseQuery(text);
    if (note !== undefined) expect(parsed.notes).toContain(note);
    expect(parsed.notes.length).toBeLessThanOrEqual(8);
    expect(JSON.stringify(parsed)).not.toMatch(/\\ud[89a-f]|\\u0000/);
  });

  it('has long words cut, never inside a surrogate pair', () => {
    const [clause] = parseQuery(`a${'𠮷'.repeat(200)}`).root.clauses;
    expect(clause!.node).toMatchObject({ text: `a${'𠮷'.repeat(127)}` });
  });
});

const piece = fc.oneof(
  fc.constantFrom(
    'AND',
    'OR',
    'NOT',
    '&&',
    '||',
    '!',
    '(',
    ')',
    '"',
    '+',
    '-',
    '*',
    '^2',
    '~3',
    ':',
    ' ',
    'title:',
    'site:',
    'date:',
    'lang:',
    'x:',
  ),
  fc.constantFrom('ferry', 'boat', 'de', 'a.org', '2024', '𠮷', '\ud800', '\0', '中', 'é'),
  unicodeText({ maxLength: 8 }),
);
const anything = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(''));

describe('a query of any text', () => {
  it('is parsed with bounded depth and without an exception, and described in one line', () => {
    fc.assert(
      fc.property(anything, (text) => {
        const parsed = parseQuery(text);
        expect(describeQuery(parsed)).not.toMatch(/\p{Cc}/u);
        expect(depthOf(parsed.root)).toBeLessThanOrEqual(40);
      }),
      { numRuns: 500 },
    );
  });
});

function depthOf(node: ReturnType<typeof parseQuery>['root']): number {
  const inner = node.clauses.map((clause) => (clause.node.kind === 'boolean' ? depthOf(clause.node) : 0));
  return 1 + Math.max(0, ...inner);
}

/** Well-formed queries: each is parsed as written. */
const word = fc.constantFrom(
  'ferry',
  'boat',
  'wi-fi',
  'light*',
  'title:ferry',
  'url:old',
  '"night ferry"~2',
  'boat^2',
  'site:a.org',
  'lang:de',
  'date:2024..',
);
const { query } = fc.letrec<{ query: string; clause: string }>((tie) => ({
  clause: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    word,
    fc.tuple(fc.constantFrom('+', '-', '!', ''), word).map((parts) => parts.join('')),
    fc
      .tuple(fc.constantFrom('+', '-', ''), tie('query'), fc.constantFrom('', '^2'))
      .map(([sign, inner, boost]) => `${sign}(${inner})${boost}`),
  ),
  query: fc
    .array(fc.tuple(tie('clause'), fc.constantFrom(' ', ' AND ', ' OR ', ' AND NOT ', ' && ', ' || ')), {
      minLength: 1,
      maxLength: 4,
    })
    .map((parts) => parts.map(([clause, joint], at) => (at === 0 ? clause : joint + clause)).join('')),
}));

it('the description of a query parses to the same query', () => {
  fc.assert(
    fc.property(query, (text) => {
      const described = read(text);
      expect(read(described)).toBe(described);
    }),
    { numRuns: 2_000 },
  );
});
