/** A value that its property takes as such, and that cannot be used: an expression, a class, an address. The message names the property. */
export class PropertyRefused extends Error {
  override readonly name: string = 'PropertyRefused';

  constructor(
    readonly property: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
