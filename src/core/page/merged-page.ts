/** A page as a filter of MERGESEGS receives it (Nutch `SegmentMergeFilter`). Times in ms since the epoch. */
export interface MergedPage {
  readonly url: string;
  /** Status code (`PAGE_STATUS`). */
  readonly status: number;
  readonly score: number;
  /** When it is due again. */
  readonly fetchTime: number;
  readonly title: string | null;
  /** `Content-Type` as received. */
  readonly contentType: string | null;
  readonly signature: string | null;
  /** The batch that it leaves. */
  readonly batchId: string;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Whether a page enters the merged segment. */
export type SegmentMergeFilter = (page: MergedPage) => boolean;
