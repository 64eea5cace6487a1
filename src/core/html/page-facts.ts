/** What an HTML page says about itself besides its text and links, before anybody decides what of it is kept. */

export interface PageFacts {
  /** Values of meta elements by name (or property) in lower case, in page order; bounded in number and length. */
  readonly metatags: ReadonlyMap<string, readonly string[]>;
  /** Texts of the elements named in `headings`, by name; none where nobody asked for them. */
  readonly headings: ReadonlyMap<string, readonly string[]>;
}
