/** The input of indexing filters: row, text, links and batch of a page. Times in ms since the epoch. */
export interface IndexLink {
  readonly url: string;
  readonly anchor: string;
}

export interface IndexPage {
  /** The row key: reversed host, scheme, path. */
  readonly key: string;
  readonly url: string;
  /** The representative URL of the page; after redirects it may differ from `url` (`_repr_`). */
  readonly representative: string;
  /** Status code of the page. */
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** `type/subtype`, lower case; empty where unknown. */
  readonly type: string;
  /** Response headers, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes of the stored content; null without any. */
  readonly contentLength: number | null;
  /** The content, only where a job requests it (`addBinaryContent`). */
  readonly content: Uint8Array | null;
  /** When it was last fetched. */
  readonly fetchTime: number;
  /** `Last-Modified` of the answer; null without one. */
  readonly lastModified: number | null;
  readonly score: number;
  /** Links from the nearest seed. */
  readonly distance: number;
  /** Hex digits; empty without one. */
  readonly signature: string;
  readonly batchId: string;
  /** The 1.x name of the batch. */
  readonly segment: string;
  /** Of seeds and parsers; several values of a name are separated by tabs. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Best first. */
  readonly inlinks: readonly IndexLink[];
  readonly outlinks: readonly IndexLink[];
}
