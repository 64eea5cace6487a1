/** A parsed feed, independent of its format. Missing values are null. */

/** A text of a feed: plain, or markup as a string. */
export interface FeedText {
  readonly value: string;
  readonly isMarkup: boolean;
}

/** A link as written, or resolved against the nearest `xml:base` if that is not too long. */
export interface FeedLink {
  readonly href: string;
  /** `alternate`, `enclosure`, `next` …, lower case. */
  readonly rel: string;
  readonly title: string;
}

/** The common fields of feeds and entries. Times in ms since the epoch. */
export interface FeedContainer {
  /** Atom `id`, RSS `guid`, RDF `about`: as written. */
  readonly id: string | null;
  readonly title: FeedText | null;
  /** The URL of the page that it describes. */
  readonly link: string | null;
  /** All of its links, in order. */
  readonly links: readonly FeedLink[];
  /** Subtitle of a feed; content of an entry, or its summary if it has no content. */
  readonly text: FeedText | null;
  readonly published: number | null;
  readonly updated: number | null;
}

export interface Feed extends FeedContainer {
  /** `rss 2.0`, `rss 1.0`, `atom 1.0`, `atom 0.3` …; without a number where the feed has none. */
  readonly format: string;
  readonly language: string | null;
  readonly entries: readonly FeedContainer[];
}

export interface FeedOptions {
  readonly maxEntries: number;
  /** UTF-16 units of one text of an entry. */
  readonly maxText: number;
  /** The URL of the document, against which a relative `xml:base` resolves. */
  readonly url?: string;
}

export const FEED_OPTIONS: FeedOptions = { maxEntries: 10_000, maxText: 65_536 };
