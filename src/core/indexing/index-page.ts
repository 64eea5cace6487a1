/** What indexing filters know of a page: its row, its text, its links, its batch. Times in ms since the epoch. */
export interface IndexLink {
  readonly url: string;
  readonly anchor: string;
}

export interface IndexPage {
  /** The row key: reversed host, scheme, path. */
  readonly key: string;
  readonly url: string;
  /** The URL that stands for the page: of a page that redirects have led to it may be another one (`_repr_`). */
  readonly representative: string;
  /** Code of the page's status. */
  readonly status: number;
  readonly title: string;
  readonly text: string;
  /** `type/subtype`, lower case; empty where no server has said it. */
  readonly type: string;
  /** Headers of the answer, lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes kept of the content; null where none was. */
  readonly contentLength: number | null;
  /** The content itself, only where a job asks for it (`addBinaryContent`). */
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
  /** The name that 1.x gives the batch. */
  readonly segment: string;
  /** Of seeds and parsers; several values of a name are divided by tabs. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Best first. */
  readonly inlinks: readonly IndexLink[];
  readonly outlinks: readonly IndexLink[];
}
