/**
 * The numbers of the ranking that are fixed; docs/search.md ("Ranking") explains them. `search.boost.*` and `search.bm25.*`
 * are properties.
 */

/** Power of the idf. Above 1, as the rare words of a long query name its subject, and the others are many. */
export const IDF_POWER = 1.2;
/** b of anchors. None, as the anchors of a page are long if many pages link to it, which does not make it less relevant. */
export const ANCHOR_B = 0;
/** Share of the weight of a word that only the word as written gets, not its other forms. */
export const AS_WRITTEN = 0.4;

/** What a title that the query covers adds to the factor of its document, and what it adds if it equals the query. */
export const TITLE_COVERAGE = 0.5;
export const SAME_TITLE = 0.5;
/** What it adds if a part of the title equals the query, and in how many documents at most: others are names of sites. */
export const SAME_PART = 0.25;
export const MAX_SAME_PARTS = 20;
/** The coverage from which on a query is assumed to name the page with that title. */
export const KNOWN_TITLE = 0.5;
/** Factor of the logarithm of a document's boost. */
export const PRIOR = 0.03;

/** Weight of words that occur one after the other. */
export const NEIGHBOURS = 0.5;
/** Words of a passage, stop words included. */
export const PASSAGE = 16;
/** Weight of words that occur early, and the position where a word counts half. */
export const START = 0.8;
export const HALF_START = 20;
