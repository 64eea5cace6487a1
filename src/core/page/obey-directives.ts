/**
 * Applies the robots directives of a page: `noindex` drops title and text, `nofollow` makes all links ones not to be
 * followed. The header `X-Robots-Tag` counts like a directive in the page, for documents of any format.
 *
 * INDEX reads the directives from the metadata: `robots` (`noindex`, `nofollow`, or both, separated by a comma),
 * `caching.forbidden`, and `canonical`, the URL that the page declares as canonical where that differs from its own.
 */
import { addRobotsTag, type RobotsMeta } from '../html/robots-directives.js';
import { urlWithoutUserInfo } from '../url/url-credentials.js';
import type { ParsedPage, ParserInput } from './parser.js';

const NO_NAMES: ReadonlySet<string> = new Set();

/** Adds the directives of the header to those of the page and applies them. */
export function obeyDirectives(parsed: ParsedPage, { page, props }: ParserInput): ParsedPage {
  const robots: RobotsMeta = { nocache: false, ...parsed.robots };
  if (page.robotsTag) addRobotsTag(robots, page.robotsTag, props.robotNames ?? NO_NAMES, page.now ?? 0);
  const directives = [robots.noindex && 'noindex', robots.nofollow && 'nofollow']
    .filter((word) => word !== false)
    .join(',');
  const named = parsed.canonical === null ? null : urlWithoutUserInfo(parsed.canonical);
  const canonical = named === page.url ? null : named;
  if (directives === '' && !robots.nocache && canonical === null) return parsed;
  return {
    ...parsed,
    ...(robots.noindex && { title: '', text: '' }),
    outlinks: robots.nofollow ? parsed.outlinks.map((link) => ({ ...link, nofollow: true as const })) : parsed.outlinks,
    robots,
    canonical: named,
    metadata: {
      ...parsed.metadata,
      ...(directives !== '' && { robots: directives }),
      ...(robots.nocache && { 'caching.forbidden': props['parser.caching.forbidden.policy'] }),
      ...(canonical !== null && { canonical }),
    },
  };
}

/** Metadata that only a parse sets: what the latest parse does not set is removed. */
export const PARSE_METADATA: readonly string[] = ['robots', 'caching.forbidden', 'canonical', 'readable', 'markdown'];
