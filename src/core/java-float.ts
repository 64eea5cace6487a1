/** Numbers as Java writes them: the text formats of Nutch and the explanations of Lucene use its `toString`. */

/** `Float.toString(float)`, of the nearest float. */
export function javaFloat(value: number): string {
  const float = Math.fround(value);
  return javaDouble(Number.isFinite(float) && float !== 0 ? shortest(float) : float);
}

/**
 * `Double.toString(double)`: the fewest digits that identify the number, at least one after the point; with an exponent from
 * 10^7 and below 10^-3 (`1.0E7`).
 */
export function javaDouble(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  if (value === 0) return Object.is(value, -0) ? '-0.0' : '0.0';
  const size = Math.abs(value);
  if (size < 1e-3 || size >= 1e7) {
    const [digits = '', exponent = '0'] = value.toExponential().split('e');
    return `${digits.includes('.') ? digits : `${digits}.0`}E${Number(exponent)}`;
  }
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** The number with the fewest digits that rounds to this float; nine are always enough. */
function shortest(float: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const number = Number(float.toPrecision(digits));
    if (Math.fround(number) === float) return number;
  }
  return Number(float.toPrecision(9));
}
