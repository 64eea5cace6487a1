/**
 * Limits the depth of a crawl (Nutch 1.x `DepthScoringFilter`).
 *
 * A seed has depth 1, a page that it links to 2: the distance plus 1. The links of a page at the maximum depth are not
 * followed. In ascending precedence the maximum is that of the crawl, that for URLs that match a pattern, or `_maxdepth_`
 * of the seed line from which the page was found. Pages near their seeds are generated first: the sort value is
 * multiplied by the remaining depth plus 1.
 */
import type { LinearRegex } from '../url/linear-regex.js';
import type { Distribute, SortValue } from './scoring-filter.js';

/** Metadata of a seed, passed to all pages found from it: their maximum depth. */
export const MAX_DEPTH_KEY = '_maxdepth_';

export interface DepthProps {
  /** Depth at which links are no longer followed; a seed has 1. */
  readonly max: number;
  /** URLs with another maximum. */
  readonly override: { readonly pattern: LinearRegex; readonly max: number } | null;
}

interface DepthPosition {
  readonly url: string;
  readonly distance: number;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Discards the links of pages at the maximum, and passes on a maximum from a seed line. */
export function limitDepth(props: DepthProps): Distribute {
  return (page, shares) => {
    const own = page.metadata[MAX_DEPTH_KEY];
    const carried = ownMaximum(page) === null ? shares.carried : { ...shares.carried, [MAX_DEPTH_KEY]: own! };
    return { ...shares, carried, follow: shares.follow && depthOf(page) < maximumOf(page, props) };
  };
}

/** Pages with more remaining depth come first. A page beyond its maximum is sorted like one at it. */
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
  const text = metadata[MAX_DEPTH_KEY] ?? '';
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
