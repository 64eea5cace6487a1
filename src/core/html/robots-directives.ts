/**
 * Directives of a page for robots: in `<meta name="robots">`, in a meta element with the name of the crawler, and in the header
 * `X-Robots-Tag`, which can name a crawler before its directives. If there are several, the most restrictive wins, as with
 * Google and Bing. Directives that do not concern a crawler without a results page (nosnippet, max-image-preview) and unknown
 * words are ignored.
 */
import { parseDatetime } from '../w3c-datetime.js';

export interface RobotsMeta {
  noindex: boolean;
  nofollow: boolean;
  /** `noarchive`, `nocache`, or `<meta http-equiv="pragma" content="no-cache">`. */
  nocache: boolean;
}

const MAX_LENGTH = 10_000;

/** Directives with a value after a colon; any other word before a colon names a crawler. */
const VALUED: ReadonlySet<string> = new Set([
  'unavailable_after',
  'max-snippet',
  'max-image-preview',
  'max-video-preview',
]);
/** A directive with its value, which is not a directive itself; of a date, its first word. */
const WITH_VALUE = new RegExp(`(?<![\\w-])(?:${[...VALUED].join('|')})\\s*:\\s*[^\\s,;]*`, 'g');
const NAME_AND_REST = /^\s*([\w.*-]{1,100})\s*:(.*)$/s;

/** Adds the directives of a meta element to `robots`. `now`: present time for `unavailable_after`, ms. */
export function addDirectives(robots: RobotsMeta, content: string, now: number): void {
  const text = content.slice(0, MAX_LENGTH).toLowerCase();
  if (isPast(text, now)) robots.noindex = true;
  for (const directive of text.replaceAll(WITH_VALUE, '').split(/[\s,;]+/)) add(robots, directive);
}

/**
 * Adds the directives of `X-Robots-Tag` headers, one per line, to `robots`: those for every crawler, and those for one of
 * `names` (lower case). A name applies to the directives after it in its header.
 */
export function addRobotsTag(robots: RobotsMeta, lines: string, names: ReadonlySet<string>, now: number): void {
  for (const line of lines.slice(0, MAX_LENGTH).toLowerCase().split('\n')) {
    let isMeant = true;
    let meant = '';
    for (const directive of line.split(',')) {
      const [, name = '', rest = ''] = NAME_AND_REST.exec(directive) ?? [];
      const isName = name !== '' && !VALUED.has(name);
      if (isName) isMeant = name === '*' || names.has(name);
      if (isMeant) meant += `,${isName ? rest : directive}`;
    }
    addDirectives(robots, meant, now);
  }
}

function add(robots: RobotsMeta, directive: string): void {
  if (directive === 'none' || directive === 'noindex') robots.noindex = true;
  if (directive === 'none' || directive === 'nofollow') robots.nofollow = true;
  if (directive === 'noarchive' || directive === 'nocache') robots.nocache = true;
}

/** Whether `unavailable_after: <date>` is before `now`; the date may contain commas. */
function isPast(text: string, now: number): boolean {
  const value = /unavailable_after\s{0,10}:([^;]{1,100})/.exec(text)?.[1];
  if (value === undefined) return false;
  const words = value.split(',', 3);
  for (let end = words.length; end > 0; end--) {
    const time = parseDatetime(words.slice(0, end).join(','));
    if (time !== null) return time < now;
  }
  return false;
}
