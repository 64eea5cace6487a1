/**
 * Scoring as a chain of parts (Nutch `ScoringFilter`, `scoring.filter.order`).
 *
 * A page's score is asked for at four moments, and each is a point of its own: when a seed is injected, when GENERATE puts
 * pages in order, when PARSE has read a page, and when UPDATEDB lets a page act on the pages that it links to. At each moment
 * the filters are asked one after another, and each is given what those before it made. They are pure: what they say
 * becomes columns and effects in the steps of the crawl, set by set.
 *
 * The number of links from a seed is the column `distance`, whoever asks: Nutch's `dist` (2.x) and, one more, the `_depth_`
 * of scoring-depth (1.x).
 */

type Metadata = Readonly<Record<string, string>>;

/** A seed line that passed the URL rules. */
export interface ScoredSeed {
  readonly url: string;
  /** Of its line (`nutch.score`), else `db.score.injected`. */
  readonly score: number;
  readonly metadata: Metadata;
}

/** The score a new page starts with; `score` is the result of the filters before, at first that of the seed. */
export type SeedScore = (seed: ScoredSeed, score: number) => number;

export interface SortedPage {
  readonly url: string;
  readonly score: number;
  /** Links from the nearest seed; 0 for a seed. */
  readonly distance: number;
  readonly status: number;
  readonly metadata: Metadata;
}

/** What GENERATE sorts by, highest first. The first filter is given 1. */
export interface SortValue {
  value(page: SortedPage, sort: number): number;
  /** The value grows with the score and depends on nothing else: then the index of scores has the order already. */
  readonly followsScore?: boolean;
}

export interface ReadText {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly metadata: Metadata;
}

/** What a page's content adds to its score. The first filter is given 0. */
export type PageScore = (page: ReadText, score: number) => number;

/** A page of a batch that UPDATEDB closes. */
export interface PayingPage {
  readonly url: string;
  /** Cash frozen by GENERATE. */
  readonly spend: number;
  readonly outlinks: number;
  /** Kept links and those that rules left out; as many as were kept where they are not counted. */
  readonly links: number;
  readonly distance: number;
  /** What its content added to its score. */
  readonly contentScore: number;
  readonly metadata: Metadata;
  /** Headers of its answer, lower-case names. */
  readonly headers: Metadata;
}

/** How a page acts on the pages that it links to. */
export interface Distribution {
  /** What one link inside the page's host carries. */
  readonly internalShare: number;
  /** What one link to another host carries. */
  readonly externalShare: number;
  /** What goes back to the page's own cash: all of it when there is no link to pay. */
  readonly givenBack: number;
  /** False: its links lead nowhere. */
  readonly follow: boolean;
  /** What a page that it is the first to link to starts with besides its share; the highest of several linking pages. */
  readonly start: number;
  /** Metadata that such a page is given; of several linking pages those of the nearest to a seed. */
  readonly carried: Metadata;
}

export type Distribute = (page: PayingPage, so: Distribution) => Distribution;

/** After how many seconds without a link a page counts as gone, and as an orphan. */
export interface OrphanLimits {
  readonly goneAfter: number;
  readonly orphanAfter: number;
}

/** Nothing is handed out, every link is followed. */
export const keepingAll = (spend: number): Distribution => ({
  internalShare: 0,
  externalShare: 0,
  givenBack: spend,
  follow: true,
  start: 0,
  carried: {},
});

/** A number that a filter gave, or the one before where it is none. */
export const finite = (given: number, before: number): number => (Number.isFinite(given) ? given : before);
