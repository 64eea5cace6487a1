/**
 * OPIC: the importance of a page as cash that it distributes to its outlinks (Abiteboul et al. 2003; Nutch 2.x).
 *
 * Every page has a score, which only grows, and cash, which it distributes in equal contributions each time it is fetched.
 * GENERATE freezes the cash of a selected page as its `spend`. So cash that it receives from other pages of the batch during
 * UPDATEDB is kept for the next round, and the order of updates does not matter. A page without outlinks, or whose fetch failed,
 * gets its spend back. Total cash is preserved, except for the two factors.
 *
 * The textbook has two more numbers: the history H of a page, all cash that it has distributed, and G, the sum of all
 * histories. The importance of a page is (C + H) / (G + 1) for a total cash of 1; for a total S it is (C + H) / (G + S),
 * and the values of all pages always sum to 1. In mode `textbook` UPDATEDB stores it as the score.
 */

import type { Distribute, SortValue } from './scoring-filter.js';

export interface OpicProps {
  /** `db.score.link.internal`; 1 in mode `textbook`. */
  readonly internalFactor: number;
  /** `db.score.link.external`; 1 in mode `textbook`. */
  readonly externalFactor: number;
  /** Filtered links get a contribution too, which is lost (`db.score.count.filtered`, 1.x). */
  readonly countFiltered: boolean;
}

/**
 * UPDATEDB distributes the spend: an equal contribution for each kept link, times `db.score.link.internal` or
 * `db.score.link.external`. Without links all of it is returned to the page.
 */
export function distributeCash({ internalFactor, externalFactor, countFiltered }: OpicProps): Distribute {
  return (page, shares) => {
    if (page.outlinks < 1) return { ...shares, internalShare: 0, externalShare: 0, givenBack: page.spend };
    const unit = page.spend / (countFiltered ? Math.max(page.links, page.outlinks) : page.outlinks);
    return { ...shares, internalShare: unit * internalFactor, externalShare: unit * externalFactor, givenBack: 0 };
  };
}

/** GENERATE orders pages by score (2.x squares it, which does not change the order). */
export const sortByScore: SortValue = { value: (page, sort) => sort * page.score, followsScore: true };
