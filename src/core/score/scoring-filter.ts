/**
 * Scoring as a chain of filters (Nutch `ScoringFilter`, `scoring.filter.order`).
 *
 * There are four extension points: when a seed is injected, when GENERATE sorts pages, when PARSE has parsed a page, and
 * when UPDATEDB distributes the score of a page to its outlinks. At each point the filters run one after another, each
 * with the result of the previous one. They are pure functions; the steps of the crawl write their results to columns,
 * set by set.
 *
 * All filters use the column `distance` for the number of links from a seed: it is Nutch's `dist` (2.x), and the `_depth_`
 * of scoring-depth (1.x) minus 1.
 */

type Metadata = Readonly<Record<string, string>>;

/** A seed that passed the URL rules. */
export interface ScoredSeed {
  readonly url: string;
  /** Of its line (`nutch.score`), else `db.score.injected`. */
  readonly score: number;
  readonly metadata: Metadata;
}

/** The initial score of a page; `score` is the result of the previous filter, initially that of the seed. */
export type SeedScore = (seed: ScoredSeed, score: number) => number;

export interface SortedPage {
  readonly url: string;
  readonly score: number;
  /** Links from the nearest seed; 0 for a seed. */
  readonly distance: number;
  readonly status: number;
  readonly metadata: Metadata;
}

/** The value by which GENERATE sorts, highest first. The first filter receives 1. */
export interface SortValue {
  value(page: SortedPage, sort: number): number;
  /** The value increases with the score and depends on nothing else: then the index on scores has the order already. */
  readonly followsScore?: boolean;
}

export interface ReadText {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly metadata: Metadata;
}

/** The score for the content of a page. The first filter receives 0. */
export type PageScore = (page: ReadText, score: number) => number;

/** A page of the batch that UPDATEDB processes. */
export interface DistributingPage {
  readonly url: string;
  /** Cash frozen by GENERATE. */
  readonly spend: number;
  readonly outlinks: number;
  /** Kept and filtered links; equal to `outlinks` where filtered ones are not counted. */
  readonly links: number;
  readonly distance: number;
  /** The score for its content. */
  readonly contentScore: number;
  readonly metadata: Metadata;
  /** Response headers, names in lower case. */
  readonly headers: Metadata;
}

/** The contributions of a page to the pages that it links to. */
export interface Distribution {
  /** Cash for each link within the page's host. */
  readonly internalShare: number;
  /** Cash for each link to another host. */
  readonly externalShare: number;
  /** Cash returned to the page: all of it if it has no links. */
  readonly givenBack: number;
  /** False: its links are not followed. */
  readonly follow: boolean;
  /** Initial score of a page that it is the first to link to, besides the cash; the highest of several linking pages. */
  readonly start: number;
  /** Metadata for such a page; of several linking pages that of the nearest to a seed. */
  readonly carried: Metadata;
}

export type Distribute = (page: DistributingPage, shares: Distribution) => Distribution;

/** Seconds without an inlink after which a page counts as gone, and as an orphan. */
export interface OrphanLimits {
  readonly goneAfter: number;
  readonly orphanAfter: number;
}

/** No cash is distributed, every link is followed. */
export const keepingAll = (spend: number): Distribution => ({
  internalShare: 0,
  externalShare: 0,
  givenBack: spend,
  follow: true,
  start: 0,
  carried: {},
});

/** Largest result of a filter, of either sign: sums of any number of them stay finite, as PostgreSQL refuses others. */
export const MAX_SCORE = 1e100;

/** The result of a filter within its bounds, or the previous one where it is not a finite number. */
export const finite = (result: number, before: number): number =>
  Number.isFinite(result) ? Math.min(MAX_SCORE, Math.max(-MAX_SCORE, result)) : before;
