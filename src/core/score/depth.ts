/**
 * How far from the seeds a crawl goes (Nutch 1.x `DepthScoringFilter`).
 *
 * A seed has depth 1, a page that it links to 2: one more than its distance. The links of a page at the maximum depth are not
 * followed. The maximum is that of the crawl, or of URLs that match a pattern, or what the seed line of the page's
 * ancestors said (`_maxdepth_`), in rising order. Pages near to their seeds come first: the sort value is multiplied by
 * one more than the depth that is left.
 */
import type { LinearRegex } from '../url/linear-regex.js';
import type { Distribute, SortValue } from './scoring.js';

/** Metadata of a seed, carried to all that is found from it: the depth that holds there. */
export const MAX_DEPTH_KEY = '_maxdepth_';

export interface DepthProps {
  /** Depth whose links are not followed any more; a seed has 1. */
  readonly max: number;
  /** URLs with a maximum of their own. */
  readonly override: { readonly pattern: LinearRegex; readonly max: number } | null;
}

interface DepthPosition {
  readonly url: string;
  readonly distance: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Discards the links of pages at the maximum, and carries on a maximum that a seed line set. */
export function limitDepth(props: DepthProps): Distribute {
  return (page, so) => {
    const own = page.metadata[MAX_DEPTH_KEY];
    const carried = ownMaximum(page) === null ? so.carried : { ...so.carried, [MAX_DEPTH_KEY]: own! };
    return { ...so, carried, follow: so.follow && depthOf(page) < maximumOf(page, props) };
  };
}

/** Pages with more depth left come first. A page beyond its maximum is sorted as one at it. */
export function sortByDepth(props: DepthProps): SortValue {
  return { value: (page, sort) => sort * (1 + Math.max(0, maximumOf(page, props) - depthOf(page))) };
}

const depthOf = ({ distance }: DepthPosition): number => distance + 1;

function maximumOf(page: DepthPosition, { max, override }: DepthProps): number {
  const own = ownMaximum(page);
  if (own !== null) return own;
  return override !== null && override.pattern.test(page.url) ? override.max : max;
}

function ownMaximum({ metadata }: DepthPosition): number | null {
  const given = metadata[MAX_DEPTH_KEY] ?? '';
  return /^\d{1,9}$/.test(given) ? Number(given) : null;
}
