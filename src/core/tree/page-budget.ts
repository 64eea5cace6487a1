/**
 * The budget of a page, in steps: each node, attribute and character that is created or read again. It bounds memory and
 * time of a page, independently of the speed of the machine.
 */

/** Steps of a node, and of an attribute: their memory relative to a character. */
export const NODE_STEPS = 128;
export const ATTRIBUTE_STEPS = 64;
/** Steps of a text that is appended to another when read. */
export const TEXT_STEPS = 16;
/** Steps of each piece of a text that is parsed in pieces. */
export const PIECE_STEPS = 32;

/** Thrown for a page that exceeds its limits. */
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
