import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../../src/core/search/query/parse-query.js';
import { planQuery } from '../../../../src/core/search/score/query-plan.js';

const NOTE =
  'The query has only stop words: they are found only as a title, and on pages in another language or an unknown one.';
const notesOf = (query: string, languages: (string | null)[] = ['en', null]) =>
  planQuery(query, parseQuery(query), { languages, mergesWords: true, findsTitles: true }).notes;

/** The index has no stop words of a page whose language is known. */
describe('a query', () => {
  it.each(['the', 'the same', '"to be"', 'title:the', '(the)', 'the -ferry', 'the site:example.org'])(
    'of stop words alone has a note: %s',
    (query) => expect(notesOf(query)).toEqual([NOTE]),
  );

  it.each([
    'ferry',
    'the ferry',
    '"the ferry"',
    'ferry AND (the)',
    'the*',
    'site:example.org',
    'ferry -the',
    '-the',
    '...',
  ])('with other words or without words has none: %s', (query) => expect(notesOf(query)).not.toContain(NOTE));

  it('has none if the language of the documents is unknown, or another one', () => {
    expect(notesOf('the', [null])).toEqual([]);
    expect(notesOf('the', ['de', 'en'])).toEqual([]);
  });
});
