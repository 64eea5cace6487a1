/**
 * OPIC: a page's importance as cash that it hands to the pages it links to (Abiteboul et al. 2003; Nutch 2.x).
 *
 * Every page has a score, which only grows, and cash, which it passes on in equal parts each time it is fetched. GENERATE
 * freezes the cash of a selected page as its `spend`, so that what other pages of the batch hand to it during UPDATEDB
 * waits for the next round and the order in which pages are updated does not matter. A page that has nothing to pay to,
 * or whose fetch failed, gets its spend back. Money is neither made nor lost, except by the two factors.
 *
 * The textbook keeps two numbers more: the history H of a page, which is all the cash that it has handed out, and G, the sum
 * of all histories. The importance of a page is (C + H) / (G + 1) where all cash together is 1; with S for all cash it is
 * (C + H) / (G + S), and the values of all pages have the sum 1 at any time. In this mode UPDATEDB puts it into the score.
 */

import type { Distribute, SortValue } from './scoring.js';

export interface OpicProps {
  /** `db.score.link.internal`; 1 in the textbook. */
  readonly internalFactor: number;
  /** `db.score.link.external`; 1 in the textbook. */
  readonly externalFactor: number;
  /** Links that rules left out have their share too, and it is lost (`db.score.count.filtered`, 1.x). */
  readonly countFiltered: boolean;
}

/**
 * UPDATEDB hands out the spend: an equal part for each link that was kept, times `db.score.link.internal` or
 * `db.score.link.external`. Total for any input: a count below one pays nothing.
 */
export function distributeCash({ internalFactor, externalFactor, countFiltered }: OpicProps): Distribute {
  return (page, so) => {
    if (page.outlinks < 1) return { ...so, internalShare: 0, externalShare: 0, givenBack: page.spend };
    const unit = page.spend / (countFiltered ? Math.max(page.links, page.outlinks) : page.outlinks);
    return { ...so, internalShare: unit * internalFactor, externalShare: unit * externalFactor, givenBack: 0 };
  };
}

/** GENERATE orders pages by their score (2.x multiplied it with itself, which changes the order of none). */
export const sortByScore: SortValue = { value: (page, sort) => sort * page.score, followsScore: true };
