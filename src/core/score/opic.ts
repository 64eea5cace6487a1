/**
 * OPIC: a page's importance as cash that it hands to the pages it links to (Abiteboul et al. 2003; Nutch 2.x).
 *
 * Every page has a score, which only grows, and cash, which it passes on in equal parts each time it is fetched. GENERATE
 * freezes the cash of a selected page as its `spend`, so that what other pages of the batch hand to it during UPDATEDB
 * waits for the next round and the order in which pages are updated does not matter. A page that has nothing to pay to,
 * or whose fetch failed, gets its spend back. Money is neither made nor lost, except by the two factors.
 */

/** The three numbers of a page. */
export interface PageCash {
  readonly score: number;
  readonly cash: number;
  /** Frozen by GENERATE, handed out or given back by UPDATEDB. */
  readonly spend: number;
}

export interface Distribution {
  /** What one link inside the page's host carries. */
  readonly internalShare: number;
  /** What one link to another host carries. */
  readonly externalShare: number;
  /** What goes back to the page's own cash: all of it when there is no link to pay. */
  readonly givenBack: number;
}

/** A page found by a link starts with nothing and earns what its links bring. */
export const FOUND_PAGE: PageCash = { score: 0, cash: 0, spend: 0 };

/** A seed starts with its score as cash (`nutch.score` or `db.score.injected`). */
export function injectedPage(score: number): PageCash {
  return { score, cash: score, spend: 0 };
}

/** GENERATE selects the page: its cash becomes its spend. */
export function frozen(page: PageCash): PageCash {
  return { score: page.score, cash: 0, spend: page.spend + page.cash };
}

/**
 * UPDATEDB hands out the spend: an equal part for each of `outlinkCount` links, times `db.score.link.internal` or
 * `db.score.link.external`. All kept outlinks of the page count. Total for any input: a count below one pays nothing.
 */
export function distribute(payer: {
  spend: number;
  outlinkCount: number;
  internalFactor: number;
  externalFactor: number;
}): Distribution {
  if (payer.outlinkCount < 1) return { internalShare: 0, externalShare: 0, givenBack: payer.spend };
  const unit = payer.spend / payer.outlinkCount;
  return { internalShare: unit * payer.internalFactor, externalShare: unit * payer.externalFactor, givenBack: 0 };
}

/** The page has paid (`givenBack` 0) or takes its spend back. */
export function settledPage(page: PageCash, givenBack: number): PageCash {
  return { score: page.score, cash: page.cash + givenBack, spend: 0 };
}

/** A page receives the sum of the shares of its inlinks: score and cash both grow. */
export function received(page: PageCash, sum: number): PageCash {
  return { score: page.score + sum, cash: page.cash + sum, spend: page.spend };
}

/** GENERATE orders pages by their score (the original multiplied it with itself, which changes the order of none). */
export function generatorSortValue(page: { readonly score: number }): number {
  return page.score;
}
