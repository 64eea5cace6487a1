import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../src/core/search/query/parse-query.js';
import { betterSpelling, checkedWords, respelled, spellingRanges } from '../../../src/core/search/spelling.js';
import { unicodeText } from '../../support/unicode-text.js';

const written = (word: string, df: number) => ({ word, df, isWritten: true });
const term = (word: string, df: number) => ({ word, df, isWritten: false });

describe('a better spelling', () => {
  it.each([
    ['adds a missing letter', 'harbur', [written('harbour', 40)], 'harbour'],
    ['swaps two transposed letters', 'habrour', [written('harbour', 40)], 'harbour'],
    [
      'is the nearer word, although it is less frequent',
      'fery',
      [written('ferry', 20), written('every', 900)],
      'ferry',
    ],
    [
      'is a far more frequent word, although it is less near',
      'serverl',
      [term('severl', 2), term('server', 9_000)],
      'server',
    ],
    ['is the more frequent of two equally near words', 'bost', [term('boat', 30), term('best', 90)], 'best'],
    ['is the same of two equally frequent words in any order', 'bxat', [term('boat', 9), term('beat', 9)], 'beat'],
    [
      'swaps two letters rather than to correct another error',
      'fiel',
      [written('file', 30), written('field', 90)],
      'file',
    ],
    ['is the stop word of which two letters are swapped', 'teh', [term('tech', 900)], 'the'],
    ['is no stop word when that needs another error', 'untill', [written('util', 9)], 'util'],
    ['is the word with the same first letter', 'lihgt', [term('night', 30), term('light', 30)], 'light'],
  ])('%s: %s', (_, word, found, expected) => {
    expect(betterSpelling({ word, df: 0 }, found, ['en'])).toBe(expected);
    expect(betterSpelling({ word, df: 0 }, found.toReversed(), ['en'])).toBe(expected);
  });

  it.each([
    ['no word is near', 'zeppelin', 0, [term('harbour', 40)]],
    ['a short word has two errors', 'fry', 0, [written('ferry', 40)]],
    ['only one document contains it', 'fery', 0, [written('ferry', 1)]],
    ['the word is not rare enough', 'ferrie', 3, [written('ferry', 40)]],
    ['a document contains the swapped stop word', 'form', 1, []],
    ['the candidate is the word itself', 'ferry', 0, [written('ferry', 40)]],
  ])('is null when %s: %s', (_, word, df, found) => {
    expect(betterSpelling({ word, df }, found, ['en'])).toBeNull();
  });

  it('is not a stem that does not occur as a word', () => {
    const found = [term('ferri', 50), written('ferry', 30), written('ferries', 30)];
    expect(betterSpelling({ word: 'fery', df: 0 }, found, ['en'])).toBe('ferry');
    expect(betterSpelling({ word: 'feri', df: 0 }, found, ['en'])).toBeNull();
    expect(betterSpelling({ word: 'baot', df: 0 }, [term('boat', 50), written('boats', 20)], ['en', 'de'])).toBe(
      'boat',
    );
  });
});

it('counts a word that is a term in documents of one language and an exact word in those of another', () => {
  const found = [term('lighthouse', 1), written('lighthouse', 1), term('lighthous', 1)];
  for (const some of [found, found.toReversed()])
    expect(betterSpelling({ word: 'lighthuose', df: 0 }, some, ['en', null])).toBe('lighthouse');
});

describe('term ranges that are searched for a spelling', () => {
  const froms = (word: string) => spellingRanges(word).map(({ from }) => from);

  it('begin with the first two letters, or with the first ones after one edit of these', () => {
    expect(froms('harbour')).toEqual(
      expect.arrayContaining(['ha', 'ahr', 'hrab', 'arb', 'hrb', 'hear', 'herb', 'hiar', 'hirb']),
    );
    expect(froms('harbour')).not.toContain('haar');
    expect(froms('aaa')).toEqual(['aa', 'aea', 'aia', 'aoa', 'aua']);
  });

  it.each([
    'harbour',
    'hrabour',
    'hrbour',
    'harbur',
    'harborr',
    'ahrbour',
    'xharbour',
    'hxarbour',
    'herbour',
    'hrabuor',
    'harbuor',
  ])('contain harbour for %s', (word) => {
    const isInside = spellingRanges(word).some(
      ({ from, to, minLength, maxLength }) => from <= 'harbour' && 'harbour' < to && minLength <= 7 && 7 <= maxLength,
    );
    expect(isInside).toBe(true);
    if (word !== 'harbour') expect(betterSpelling({ word, df: 0 }, [term('harbour', 50)], ['en'])).toBe('harbour');
  });

  it('contain no words of less than three letters', () => {
    for (const word of ['teh', 'fero', 'harbour'])
      expect(Math.min(...spellingRanges(word).map(({ minLength }) => minLength))).toBeGreaterThanOrEqual(3);
  });

  it('are at most 15, none within another', () => {
    fc.assert(
      fc.property(unicodeText({ minLength: 3, maxLength: 32 }), (word) => {
        const ranges = spellingRanges(word);
        expect(ranges.length).toBeLessThanOrEqual(15);
        for (const { from } of ranges) expect(ranges.filter((other) => from.startsWith(other.from))).toHaveLength(1);
      }),
    );
  });
});

describe('words whose spelling is checked', () => {
  it.each([
    ['Harbur fery', ['harbur', 'fery']],
    ['title:harbur (fery OR boat)', ['harbur', 'fery', 'boat']],
    ['"harbur fery" -light 2024 a1b ab x* site:a.org', []],
    ['fil*e fery', ['fery']],
    ['北京大学', []],
    ['getRange McGuffin FERY', ['fery']],
    ['fery fery', ['fery']],
    ['a'.repeat(40), []],
    ['aaa bbb ccc ddd eee fff ggg hhh iii', ['aaa', 'bbb', 'ccc', 'ddd', 'eee', 'fff', 'ggg', 'hhh']],
  ])('of %s: %j', (text, words) => {
    expect(checkedWords(parseQuery(text), 'en').map(({ word }) => word)).toEqual(words);
  });

  it('are replaced in place, and the rest of the query is unchanged', () => {
    const better = new Map([
      ['harbur', 'harbour'],
      ['fery', 'ferry'],
    ]);
    expect(respelled('+Harbur "night fery"~2 -title:fery', better, 'en')).toBe('+harbour "night ferry"~2 -title:ferry');
    expect(respelled('boat', better, 'en')).toBe('boat');
  });
});
