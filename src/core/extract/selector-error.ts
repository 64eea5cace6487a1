/** An invalid CSS selector or XPath expression. `position` is a character of it, from 1. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';

  constructor(
    readonly position: number,
    readonly reason: string,
  ) {
    super(reason);
  }
}
