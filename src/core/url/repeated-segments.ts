/**
 * Path segments that repeat: the trap of relative links that grow with each click (`/a/b/a/b/a/b/`).
 *
 * Nutch ships this as an expression with back-references, which no linear engine can run. The two texts it has
 * shipped are recognised and answered here by looking at the segments themselves, with the same verdicts.
 */

/** Shipped since 0.9: a segment, any one segment, the same, any one, the same, each with a slash behind it. */
export const ALTERNATING_SEGMENTS_RULE = '.*(/[^/]+)/[^/]+\\1/[^/]+\\1/';

/** Shipped before: a segment (or run of segments) that comes three times. */
export const RECURRING_SEGMENTS_RULE = '.*(/.+?)/.*?\\1/.*?\\1/';

const SEGMENTS_NEEDED = 6;

/** Segments of `url` between slashes; the first and the last piece have no slash on one side and do not count. */
function innerSegments(url: string): string[] {
  return url.split('/').slice(1, -1);
}

/** Whether `alternatingSegmentsRule` is found in `url`; linear in its length. */
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
 * Whether `recurringSegmentsRule` is found in `url`; linear in its length.
 * A run of segments that recurs holds a single segment that recurs, so single segments are enough; neighbours share
 * their slash and count once; of empty segments it takes three times three slashes.
 */
export function hasRecurringSegments(url: string): boolean {
  if (countSlashes(url, SEGMENTS_NEEDED) < SEGMENTS_NEEDED) return false;
  const seen = new Map<string, { count: number; last: number }>();
  const segments = innerSegments(url);
  for (const [at, segment] of segments.entries()) {
    const isEmpty = segment === '';
    // Two empty neighbours are one find (three slashes), so the next find starts one segment later.
    if (isEmpty && segments[at + 1] !== '') continue;
    const found = seen.get(segment) ?? { count: 0, last: -3 };
    if (at - found.last < (isEmpty ? 3 : 2)) continue;
    if (found.count === 2) return true;
    seen.set(segment, { count: found.count + 1, last: at });
  }
  return false;
}

/** Counts slashes, but not beyond `enough`. */
function countSlashes(url: string, enough: number): number {
  let count = 0;
  for (let at = url.indexOf('/'); at >= 0 && count < enough; at = url.indexOf('/', at + 1)) count++;
  return count;
}
