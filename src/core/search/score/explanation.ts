/** How a score came about (Lucene `Explanation`): a value, what it is, and the values that it was made from. */
export interface Explanation {
  readonly value: number;
  readonly description: string;
  readonly details: readonly Explanation[];
}

export const explained = (value: number, description: string, details: readonly Explanation[] = []): Explanation => ({
  value,
  description,
  details,
});
