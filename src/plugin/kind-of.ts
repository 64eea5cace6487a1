/** The kind of a value that a plugin gave, for messages. */
export const kindOf = (given: unknown): string =>
  given === null ? 'null' : Array.isArray(given) ? 'an array' : typeof given;
