/**
 * What a page asks of robots, done: of one that forbids to be indexed no title and text are kept, and no link of one that
 * forbids to follow is followed. The header `X-Robots-Tag` counts as the page's own words, for documents of any format.
 *
 * Whoever indexes later reads the same from the metadata: `robots` (`noindex`, `nofollow`, or both, divided by a comma),
 * `caching.forbidden`, and `canonical`, the URL by which a page wants to be known where that is not its own.
 */
import { addRobotsTag, type RobotsMeta } from '../html/robots-directives.js';
import type { ParsedPage, ParserInput } from './parser.js';

const NO_NAMES: ReadonlySet<string> = new Set();

/** The page with the directives of its header added, and done as they ask. */
export function obeyDirectives(parsed: ParsedPage, { page, props }: ParserInput): ParsedPage {
  const robots: RobotsMeta = { nocache: false, ...parsed.robots };
  if (page.robotsTag) addRobotsTag(robots, page.robotsTag, props.robotNames ?? NO_NAMES, page.now ?? 0);
  const asked = [robots.noindex && 'noindex', robots.nofollow && 'nofollow'].filter((word) => word !== false).join(',');
  const canonical = parsed.canonical === page.url ? null : parsed.canonical;
  if (asked === '' && !robots.nocache && canonical === null) return parsed;
  return {
    ...parsed,
    ...(robots.noindex && { title: '', text: '' }),
    outlinks: robots.nofollow ? parsed.outlinks.map((link) => ({ ...link, nofollow: true as const })) : parsed.outlinks,
    robots,
    metadata: {
      ...parsed.metadata,
      ...(asked !== '' && { robots: asked }),
      ...(robots.nocache && { 'caching.forbidden': props['parser.caching.forbidden.policy'] }),
      ...(canonical !== null && { canonical }),
    },
  };
}

/** Metadata that a parse alone decides: what an earlier parse said goes when the next one does not say it again. */
export const DIRECTIVE_METADATA: readonly string[] = [
  'robots',
  'caching.forbidden',
  'canonical',
  'lang',
  'readable',
  'markdown',
];
