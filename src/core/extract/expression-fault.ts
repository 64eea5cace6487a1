/** An expression that cannot be used: what is wrong, and where. */
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
