/** Explanation of a score (Lucene `Explanation`): a value, its description, and the values from which it was computed. */
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
