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

/** A boost stands in an explanation where it is not 1. */
export const boostDetail = (boost: number): Explanation[] => (boost === 1 ? [] : [explained(boost, 'boost')]);

/** As Java writes a float: `3.0`, `1.3333334`. */
export function javaFloat(value: number): string {
  const float = Math.fround(value);
  if (Number.isInteger(float)) return float.toFixed(1);
  for (let digits = 1; digits < 9; digits++) {
    const text = float.toPrecision(digits);
    if (Math.fround(Number(text)) === float) return String(Number(text));
  }
  return String(Number(float.toPrecision(9)));
}
