const TEXTS = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * A boolean of a query or a body. As a text it may be in any letter case: Python writes `True`, and Java reads that. Any
 * other value is returned as it is, for the check of its field. Flags of job arguments, where 1 and any text count as true,
 * are read elsewhere (`flagOf`).
 */
export const booleanOf = (given: unknown): unknown =>
  (typeof given === 'string' ? TEXTS.get(given.toLowerCase()) : undefined) ?? given;

/** A boolean of a query, which may have no value: `?force` is `?force=true`. */
export const queryBooleanOf = (given: unknown): unknown => (given === '' ? true : booleanOf(given));
