/**
 * What a page may cost, counted in steps: each node, attribute and character that is made of it, and each that is read again. So a page
 * is bounded in memory where nothing else bounds it, and by the same count on every machine.
 */

/** Steps of a node, and of an attribute: by the memory that they take beside a character. */
export const NODE_STEPS = 128;
export const ATTRIBUTE_STEPS = 64;
/** Steps of a text that is read on behind another. */
export const TEXT_STEPS = 16;
/** Steps of a text that is parsed in pieces, each of them. */
export const PIECE_STEPS = 32;

/** A page that takes more than pages may. */
export class PageLimitError extends Error {
  override readonly name = 'PageLimitError';
}

export class PageBudget {
  constructor(private left: number) {}

  /** @throws PageLimitError where there are none left */
  spend(steps: number): void {
    this.left -= steps;
    if (this.left < 0) throw new PageLimitError('the page takes more steps than it may');
  }
}
