import { type Explanation, explained } from '../score/explanation.js';

/** An explanation includes a boost if it is not 1. */
export const boostDetail = (boost: number): Explanation[] => (boost === 1 ? [] : [explained(boost, 'boost')]);

/** A float as formatted by Java: `3.0`, `1.3333334`. */
export function javaFloat(value: number): string {
  const float = Math.fround(value);
  if (Number.isInteger(float)) return float.toFixed(1);
  for (let digits = 1; digits < 9; digits++) {
    const text = float.toPrecision(digits);
    if (Math.fround(Number(text)) === float) return String(Number(text));
  }
  return String(Number(float.toPrecision(9)));
}
