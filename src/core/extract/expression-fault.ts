/** An invalid expression: the reason and the position of the error. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';

  /** @param at offset of the error, characters */
  constructor(
    readonly at: number,
    readonly reason: string,
  ) {
    super(reason);
  }
}
