const TEXTS = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * A boolean of a query or a body. As a text it may be in any letter case: Python writes `True`, and Java reads that. Any
 * other value is returned as it is, for the check of its field. Flags of job arguments, where 1 and any text count as true,
 * are read elsewhere (`flagOf`).
 */
export const booleanOf = (value: unknown): unknown =>
  (typeof value === 'string' ? TEXTS.get(value.toLowerCase()) : undefined) ?? value;

/** A boolean of a query, which may have no value: `?force` is `?force=true`. */
export const queryBooleanOf = (value: unknown): unknown => (value === '' ? true : booleanOf(value));
