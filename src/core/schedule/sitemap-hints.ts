/**
 * What a sitemap says about the rhythm of a page, as the schedule takes it (sitemaps.org protocol 0.9).
 *
 * `changefreq` is where the interval of a page starts that has learnt none of its own; what visits tell wins from then
 * on. It is the hint of a stranger, so the bounds of the schedule hold, and what makes no sense is as if it were not
 * there. That a `lastmod` behind the last fetch makes a page due is seen to by SITEMAP, which reads it.
 */

/** Metadata keys under which the hints of a sitemap stand with a page. */
export const SITEMAP_KEYS = {
  changefreq: 'sitemap.changefreq',
  lastmod: 'sitemap.lastmod',
  priority: 'sitemap.priority',
} as const;

export interface SitemapHints {
  /** Seconds between two changes, or null. */
  readonly changeSeconds: number | null;
}

const DAY = 86_400;
const SECONDS: Readonly<Record<string, number>> = {
  always: 60,
  hourly: 3_600,
  daily: DAY,
  weekly: 7 * DAY,
  monthly: 30 * DAY,
  yearly: 365 * DAY,
  never: 2_147_483_647,
};

/** Seconds that a `changefreq` stands for; null for any other word. `always` is a minute, `never` the longest there is. */
export function changefreqSeconds(word: string | null | undefined): number | null {
  const known = (word ?? '').trim().toLowerCase();
  return Object.hasOwn(SECONDS, known) ? SECONDS[known]! : null;
}

export function sitemapHints(metadata: Readonly<Record<string, string | null | undefined>>): SitemapHints {
  return { changeSeconds: changefreqSeconds(metadata[SITEMAP_KEYS.changefreq]) };
}
