/** Which pages of a crawl are read. Bounds are row keys; `from` and `to` are inclusive, `before` and `after` are not. */
export interface PageRange {
  crawl: number;
  from?: string;
  to?: string;
  before?: string;
  /** Only keys after this one: the cursor of an earlier answer. */
  after?: string;
  /** One code, or several. */
  status?: number | readonly number[];
  /** Pages that failed at least this often in a row. */
  retries?: number;
  /** Pages with this update mark; `-all`: with any. */
  updateMark?: string;
  /** Pages that are in this batch now, or in no other since, or that UPDATEDB has closed with it last. */
  batch?: string;
  /** Pages of an open batch in the order of its fetch list, not of their keys: by partition, then by the hash of the URL. */
  isFetchList?: boolean;
  signal?: AbortSignal;
}
