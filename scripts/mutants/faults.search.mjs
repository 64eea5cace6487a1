/** Faults in the built-in search: how texts become terms, how queries are read, how hits are scored and shown. */

const ANALYSIS = ['test/core/search/analysis/analyze.spec.ts'];
const QUERY = ['test/core/search/query/parse-query.spec.ts'];
const SNIPPET = ['test/core/search/snippet/snippet.spec.ts'];
const SPELLING = ['test/core/search/spelling.spec.ts'];

/** @type {import('./faults.mjs').Fault[]} */
export const search = [
  {
    id: 'search-long-folded-word',
    file: 'src/core/search/analysis/token-stream.ts',
    text: ' || word.length > this.#limits.maxLength',
    replacement: '',
    breaks: 'A word of 100 ligatures becomes a term of 1,800 letters, which no index key holds.',
    specs: ANALYSIS,
  },
  {
    id: 'search-cut-segment',
    file: 'src/core/search/analysis/segments.ts',
    text: 'ends.length > 1) ends.pop();',
    replacement: 'ends.length > 1 && start < 0) ends.pop();',
    breaks: 'A Chinese word at the end of a thousand characters is parted.',
    specs: ANALYSIS,
  },
  {
    id: 'search-turkish-case',
    file: 'src/core/search/analysis/fold.ts',
    text: "language === 'tr' || language === 'az'",
    replacement: "language === 'az'",
    breaks: 'A Turkish I becomes i, which is another letter.',
    specs: ['test/core/search/analysis/analyze.spec.ts', 'test/core/search/analysis/stemmers.spec.ts'],
  },
  {
    id: 'search-filter-frees-words',
    file: 'src/core/search/query/combine-clauses.ts',
    text: 'musts.length === 0 || shoulds.length === 0 ||',
    replacement: 'musts.length >= 0 || shoulds.length === 0 ||',
    breaks: 'A query with site: finds all pages of the site, with the words or without.',
    specs: QUERY,
  },
  {
    id: 'search-deep-brackets',
    file: 'src/core/search/query/parse-query.ts',
    text: 'if (this.#depth >= MAX_DEPTH) {',
    replacement: 'if (this.#depth >= 100_000) {',
    breaks: 'A query of 4,000 brackets makes a tree as deep as that.',
    specs: QUERY,
  },
  {
    id: 'search-and-or',
    file: 'src/core/search/query/combine-clauses.ts',
    text: 'chain.length > 1 ? asOneItem(chain) : chain[0]!',
    replacement: 'chain[0]!',
    breaks: 'Of words that AND joins beside an OR only the first is searched for.',
    specs: QUERY,
  },
  {
    id: 'search-mark-shift',
    file: 'src/core/search/snippet/snippet.ts',
    text: 'collapsed += blank[0].length - 1;',
    replacement: 'collapsed += blank[0].length;',
    breaks: 'Highlights behind a space stand a letter too far to the left.',
    specs: SNIPPET,
  },
  {
    id: 'search-spelling-stem',
    file: 'src/core/search/spelling.ts',
    text: 'if (isStem) continue;',
    replacement: '',
    breaks: 'A stem that is no word is suggested.',
    specs: SPELLING,
  },
  {
    id: 'search-feedback-known-title',
    file: 'src/core/search/feedback.ts',
    text: 'covered >= KNOWN_TITLE',
    replacement: 'covered > KNOWN_TITLE',
    breaks: 'A query for a known page is expanded, and its neighbours come first.',
    specs: ['test/core/search/feedback.spec.ts'],
  },
  {
    id: 'search-coord-of-filters',
    file: 'src/core/search/similarity/lucene-search.ts',
    text: 'if (isScoring(node)) addTo(matching, found);',
    replacement: 'addTo(matching, found);',
    breaks: 'With similarity=classic a filter counts as a word that the document has.',
    specs: ['test/search/similarity.spec.ts'],
  },
  {
    id: 'search-replaced-stays-live',
    file: 'src/search/segment-writing.sql.ts',
    text: 'for (const { doc } of bySegment.get(seg)!) bits.clear(doc);',
    replacement: '',
    breaks: 'A document that is written again is found twice.',
    specs: ['test/search/index-writer.spec.ts'],
  },
  {
    id: 'search-merge-keeps-dead',
    file: 'src/core/search/postings/merge-terms.ts',
    text: 'live.has(doc) ? next++ : DEAD',
    replacement: 'next++',
    breaks: 'Documents of a merged segment have the postings of others.',
    specs: ['test/search/index-writer.spec.ts'],
  },
  {
    id: 'search-coverage-of-all',
    file: 'src/core/search/score/bm25f.ts',
    text: 'Math.min(1, m / Math.max(1, titleLength))',
    replacement: '1',
    breaks: 'A page whose long title happens to have the words is as good as the one whose title they are.',
    specs: ['test/core/search/score/segment-search.spec.ts'],
  },
];
