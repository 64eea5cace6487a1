/**
 * Detects repeating path segments: the trap of relative links that add segments on each page (`/a/b/a/b/a/b/`).
 *
 * Nutch ships this rule as an expression with back-references, which no linear engine can run. The two versions that it
 * has shipped are recognized by their text and evaluated here on the segments, with the same results.
 */

/** Shipped since 0.9: a segment, any one segment, the same, any one, the same, each followed by a slash. */
export const ALTERNATING_SEGMENTS_RULE = '.*(/[^/]+)/[^/]+\\1/[^/]+\\1/';

/** Shipped before: a segment (or run of segments) that occurs three times. */
export const RECURRING_SEGMENTS_RULE = '.*(/.+?)/.*?\\1/.*?\\1/';

const SEGMENTS_NEEDED = 6;

/** Segments of `url` between two slashes: without the first and the last, which have a slash on one side only. */
function innerSegments(url: string): string[] {
  return url.split('/').slice(1, -1);
}

/** Whether `ALTERNATING_SEGMENTS_RULE` matches in `url`; linear in its length. */
export function hasAlternatingSegments(url: string): boolean {
  if (countSlashes(url, SEGMENTS_NEEDED) < SEGMENTS_NEEDED) return false;
  const segments = innerSegments(url);
  for (let i = 0; i + 4 < segments.length; i++) {
    const same = segments[i] === segments[i + 2] && segments[i] === segments[i + 4];
    if (same && segments[i] !== '' && segments[i + 1] !== '' && segments[i + 3] !== '') return true;
  }
  return false;
}

/**
 * Whether `RECURRING_SEGMENTS_RULE` matches in `url`; linear in its length.
 * A recurring run of segments contains a recurring segment, so testing single segments is enough; adjacent equal ones
 * share a slash and count once; a match of empty segments needs three times three slashes.
 */
export function hasRecurringSegments(url: string): boolean {
  if (countSlashes(url, SEGMENTS_NEEDED) < SEGMENTS_NEEDED) return false;
  const seen = new Map<string, { count: number; last: number }>();
  const segments = innerSegments(url);
  for (const [at, segment] of segments.entries()) {
    const isEmpty = segment === '';
    // Two adjacent empty segments are one match (three slashes), so the next match starts one segment later.
    if (isEmpty && segments[at + 1] !== '') continue;
    const previous = seen.get(segment) ?? { count: 0, last: -3 };
    if (at - previous.last < (isEmpty ? 3 : 2)) continue;
    if (previous.count === 2) return true;
    seen.set(segment, { count: previous.count + 1, last: at });
  }
  return false;
}

/** Counts slashes, up to `enough`. */
function countSlashes(url: string, enough: number): number {
  let count = 0;
  for (let at = url.indexOf('/'); at >= 0 && count < enough; at = url.indexOf('/', at + 1)) count++;
  return count;
}
