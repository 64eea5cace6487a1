/** Longest texts from outside, or about it, that are stored in columns and events, in UTF-16 units: longer ones are cut. */
export const STORED_LENGTHS = {
  /** What a job or a warning says. */
  message: 2_000,
  url: 2_000,
  /** A URL within the message of a job. */
  urlInMessage: 500,
  /** An argument of the status of a fetch or a parse. */
  statusArg: 1_000,
  /** `X-Robots-Tag`, which may come several times: all that its parser reads, as `noindex` may be at the end. */
  robotsTag: 10_000,
  /** A line of robots.txt. */
  robotsLine: 1_000,
  contentType: 500,
  /** A longer one is not stored. */
  etag: 500,
  /** The errors of a sitemap. */
  sitemapErrors: 1_000,
  /** A rule of a plugin that decided. */
  rule: 1_000,
  /** Why an index writer refused a document. */
  refusal: 1_000,
  /** An error that ends the work of a writer or parser. */
  error: 500,
} as const;
