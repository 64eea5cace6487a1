/** The searched fields of a page, in the order of their frequencies in postings. */
export const searchFields = ['title', 'anchor', 'url', 'host', 'headings', 'content'] as const;

export type SearchField = (typeof searchFields)[number];

/** One word of a text. */
export interface Token {
  /** Folded and stemmed: the key of postings. */
  readonly term: string;
  /** Folded, not stemmed: for exact words, prefixes and spelling. */
  readonly word: string;
  /** The number of the word in its text, from 0; stop words are counted, so that a phrase keeps its gaps. */
  readonly position: number;
  /** Offsets in the text, in UTF-16 units; the end is exclusive. */
  readonly start: number;
  readonly end: number;
}
