import { describe, expect, it } from 'vitest';
import { parseQuery } from '../../../../src/core/search/query/parse-query.js';
import { likelyFirst } from '../../../../src/core/search/query/query-language.js';

const counts = (languages: Record<string, number>) =>
  Object.entries(languages).map(([language, documents]) => ({ language: language || null, documents }));
const likely = (query: string, languages: Record<string, number>) => likelyFirst(parseQuery(query), counts(languages));

describe('the language of a query', () => {
  it.each([
    ['is that with the most of its stop words', 'los barcos de la isla', { en: 900, es: 50, fr: 50 }, 'es'],
    ['is the most frequent one of the index without stop words', 'barcos isla', { en: 900, es: 50 }, 'en'],
    ['is the most frequent one among those with equally many', 'the name in question', { en: 50, de: 900 }, 'en'],
    [
      'is not one of which the index has hardly any document, for one word',
      'Die Hard in HD',
      { en: 9_000, de: 90 },
      'en',
    ],
    ['is that one for two words', 'die Fähre und der Hafen', { en: 9_000, de: 90 }, 'de'],
    [
      'is one with stop words if that of most documents is unknown',
      'the island of the ferries',
      { '': 700, en: 30 },
      'en',
    ],
    ['is told by words in brackets and phrases too', '+("los barcos" de) isla', { en: 900, es: 50 }, 'es'],
    ['is told by the letters of elided words', "l'île d’or", { en: 900, fr: 50 }, 'fr'],
    ['is told by a letter that is a word', 'barcos y islas', { en: 900, es: 90 }, 'es'],
    ['is not told by letters that are names', 'vitamin c', { en: 900, fr: 900, it: 50 }, 'en'],
    ['is not told by the name of a programming language', 'C++11', { en: 900, fr: 900 }, 'en'],
    ['is not told by a capital alone', 'Y axis', { en: 900, es: 90 }, 'en'],
    ['is not told by filters and fields', 'ferry lang:de site:de.example', { en: 90, es: 50 }, 'en'],
  ] as const)('%s', (_, query, languages, first) => {
    expect(likely(query, languages)[0]).toBe(first);
  });

  it('is followed by the others, the most frequent ones first', () => {
    expect(likely('los barcos de la isla', { en: 900, fr: 60, es: 50, '': 7 })).toEqual(['es', 'en', 'fr', null]);
  });

  it('is none in an index without documents', () => {
    expect(likely('los barcos', {})).toEqual([]);
  });
});
