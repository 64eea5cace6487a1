/** What a search gets besides its crawl and its words, with the default weights, and without what costs more. */
export const SEARCH_DEFAULTS = {
  limit: 100,
  facets: [],
  weights: [5, 3, 1.5, 1.5, 2, 1],
  bm25: { k1: 1.2, b: 0.75 },
  similarity: 'bm25f',
  expand: 'off',
  collapse: true,
  explain: false,
  snippets: 0,
} as const;
