/** A parsed sitemap. Missing values are null; unusable input is counted by reason in `errors`. */

export const CHANGE_FREQUENCIES = ['always', 'hourly', 'daily', 'weekly', 'monthly', 'yearly', 'never'] as const;
export type ChangeFrequency = (typeof CHANGE_FREQUENCIES)[number];

/** Google's image extension. */
export interface SitemapImage {
  readonly loc: string;
  readonly title: string | null;
  readonly caption: string | null;
}

/** Google's video extension: its titles, texts and URLs. */
export interface SitemapVideo {
  readonly title: string | null;
  readonly description: string | null;
  readonly thumbnail: string | null;
  readonly content: string | null;
  readonly player: string | null;
}

/** Google's news extension. `publicationDate` in ms since the epoch. */
export interface SitemapNews {
  readonly title: string | null;
  readonly name: string | null;
  readonly language: string | null;
  readonly publicationDate: number | null;
}

/** The same page in another language (`xhtml:link rel="alternate"`). */
export interface SitemapAlternate {
  readonly href: string;
  readonly hreflang: string | null;
}

export interface SitemapEntry {
  /** Absolute URL, http or https, as written: not normalized. */
  readonly loc: string;
  /** ms since the epoch. */
  readonly lastmod: number | null;
  readonly changefreq: ChangeFrequency | null;
  /** 0 to 1. */
  readonly priority: number | null;
  readonly images: readonly SitemapImage[];
  readonly videos: readonly SitemapVideo[];
  readonly news: SitemapNews | null;
  readonly alternates: readonly SitemapAlternate[];
}

export interface SitemapReference {
  readonly loc: string;
  readonly lastmod: number | null;
}

/** `unknown`: XML of another vocabulary, or text without any URL. */
export type SitemapKind = 'urlset' | 'index' | 'text' | 'rss' | 'atom' | 'html' | 'empty' | 'unknown';

/**
 * `truncated` the document ends early · `timeout` not read to the end in time · `too-large` over the limit of bytes ·
 * `coding` corrupt or truncated gzip · `too-many` entries · `too-deep` elements · `not-a-sitemap` · `html` a page ·
 * `missing-loc` · `invalid-loc` not an http(s) URL · `relative-loc` made absolute, kept · `outside-path` rejected by
 * strict parsing · `invalid-lastmod`, `invalid-changefreq`, `invalid-priority` read as missing.
 */
export type SitemapErrorReason =
  | 'truncated'
  | 'timeout'
  | 'too-large'
  | 'coding'
  | 'too-many'
  | 'too-deep'
  | 'not-a-sitemap'
  | 'html'
  | 'missing-loc'
  | 'invalid-loc'
  | 'relative-loc'
  | 'outside-path'
  | 'invalid-lastmod'
  | 'invalid-changefreq'
  | 'invalid-priority';

export interface SitemapError {
  readonly reason: SitemapErrorReason;
  readonly count: number;
  /** The first offending text, at most 200 characters. */
  readonly example: string;
}

export interface SitemapDocument {
  readonly kind: SitemapKind;
  /** In document order; a URL may occur more than once. */
  readonly entries: readonly SitemapEntry[];
  /** The sitemaps that an index names, in document order. */
  readonly sitemaps: readonly SitemapReference[];
  readonly errors: readonly SitemapError[];
}

export interface SitemapOptions {
  /** The URL of the document, after redirects. */
  readonly url: string;
  /** The Content-Type header; only its charset is used. */
  readonly contentType?: string | null;
  /**
   * `sitemap.strict.parsing`: entries must be below the folder of the sitemap (sitemaps.org, "location"), or on one of
   * `alsoOrigins`.
   */
  readonly strict?: boolean;
  /** Origins whose robots.txt names this sitemap, which authorizes it. */
  readonly alsoOrigins?: readonly string[];
  /** Whether images, videos, news and alternates are kept; default true. */
  readonly extensions?: boolean;
  /** The content was truncated: the last line of a list may be part of a URL. */
  readonly isCut?: boolean;
  readonly maxEntries?: number;
  /** Bytes read at most, after decompression: `sitemap.size.max`. */
  readonly maxBytes?: number;
  /** Called at intervals: when it returns true, parsing ends with the entries so far (`sitemap.parser.timeout`). */
  readonly isOver?: () => boolean;
}

/** The limits of sitemaps.org. */
export const SITEMAP_MAX_ENTRIES = 50_000;
export const SITEMAP_MAX_BYTES = 52_428_800;
