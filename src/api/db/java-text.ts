/** Numbers and times as Java writes them: Nutch's text formats use `toString()`. */

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n: number) => String(n).padStart(2, '0');

/** `java.util.Date.toString()` in UTC: `Thu Jan 01 00:00:00 UTC 1970`. */
export function javaDate(time: Date): string {
  const clock = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(two).join(':');
  return `${days[time.getUTCDay()]} ${months[time.getUTCMonth()]} ${two(time.getUTCDate())} ${clock} UTC ${time.getUTCFullYear()}`;
}

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
