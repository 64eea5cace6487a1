/** The fields of a page that are searched, in the order in which postings keep their frequencies. */
export const searchFields = ['title', 'anchor', 'url', 'host', 'headings', 'content'] as const;

export type SearchField = (typeof searchFields)[number];

/** One word of a text. */
export interface Token {
  /** Folded and stemmed: what postings are kept under. */
  readonly term: string;
  /** Folded, not stemmed: for exact words, prefixes and spelling. */
  readonly word: string;
  /** The number of the word in its text, from 0; stop words are counted, so that a phrase keeps its holes. */
  readonly position: number;
  /** Where it stands in the text, in UTF-16 units; the end is behind its last unit. */
  readonly start: number;
  readonly end: number;
}
