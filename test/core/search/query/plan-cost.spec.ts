import { afterEach, expect, it, vi } from 'vitest';
import { TokenStream } from '../../../../src/core/search/analysis/token-stream.js';
import { parseQuery } from '../../../../src/core/search/query/parse-query.js';
import { planQuery } from '../../../../src/core/search/score/query-plan.js';

/** What it costs to plan a query: that is done on the event loop of the API, before the first pause. */

afterEach(() => vi.restoreAllMocks());

/** Words that are analyzed to plan brackets of one word and further brackets, so deep. */
function analyzed(word: string, depth: number): number {
  const query = `${`${word} (`.repeat(depth)}${word} ${word}${')'.repeat(depth)}`;
  const words = vi.spyOn(TokenStream.prototype, 'next');
  planQuery(query, parseQuery(query), { languages: ['en', 'de', null], mergesWords: true, findsTitles: true });
  const { length } = words.mock.calls;
  words.mockRestore();
  return length;
}

// The parser takes ½ for a word, the index has no term for it; the other one is too long for a term.
it.each(['½', 'a'.repeat(130), 'the', 'ferry'])('deep brackets cost as much as others: %s', (word) => {
  const flat = analyzed(word, 1);
  expect(analyzed(word, 16)).toBeLessThanOrEqual(16 * flat);
});
