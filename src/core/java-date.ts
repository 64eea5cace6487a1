/** Times as Java writes them: Nutch's text formats use `toString()`. */

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n: number) => String(n).padStart(2, '0');

/** `java.util.Date.toString()` in UTC: `Thu Jan 01 00:00:00 UTC 1970`. */
export function javaDate(time: Date): string {
  const clock = [time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map(two).join(':');
  return `${days[time.getUTCDay()]} ${months[time.getUTCMonth()]} ${two(time.getUTCDate())} ${clock} UTC ${time.getUTCFullYear()}`;
}
