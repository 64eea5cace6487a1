const TEXTS = new Map([
  ['true', true],
  ['false', false],
]);

/**
 * A flag of a query or a body. As a text it may be in any letter case: Python writes `True`, and Java reads that. Any other value is
 * returned as it is, for the check of its field.
 */
export const flagOf = (given: unknown): unknown =>
  (typeof given === 'string' ? TEXTS.get(given.toLowerCase()) : undefined) ?? given;

/** A flag of a query, which may have no value: `?force` is `?force=true`. */
export const queryFlagOf = (given: unknown): unknown => (given === '' ? true : flagOf(given));
