/** An expression that cannot be used: what is wrong, and where. */
export class ExpressionFault extends Error {
  override readonly name = 'ExpressionFault';

  /** @param at characters before the place that is wrong */
  constructor(
    readonly at: number,
    readonly reason: string,
  ) {
    super(reason);
  }
}
