/** Floats as Java writes them: the text formats of Nutch and the explanations of Lucene use `Float.toString`. */

/**
 * `Float.toString(float)`: the fewest digits that identify the float, at least one after the point; with an exponent from 10^7
 * and below 10^-3 (`1.0E7`).
 */
export function javaFloat(value: number): string {
  const float = Math.fround(value);
  if (!Number.isFinite(float)) return String(float);
  if (float === 0) return Object.is(float, -0) ? '-0.0' : '0.0';
  const [digits = '', exponent = '0'] = shortest(float).toExponential().split('e');
  const size = Math.abs(float);
  if (size >= 1e7 || size < 1e-3) return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
  const plain = String(shortest(float));
  return plain.includes('.') ? plain : `${plain}.0`;
}

/** The number with the fewest digits that rounds to this float; nine are always enough. */
function shortest(float: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const number = Number(float.toPrecision(digits));
    if (Math.fround(number) === float) return number;
  }
  return Number(float.toPrecision(9));
}
