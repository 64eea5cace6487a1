/**
 * Hints of sitemaps for the schedule (sitemaps.org protocol 0.9).
 *
 * `changefreq` is the initial interval of a page that still has the default one; after that the adapted interval counts.
 * It is untrusted input, so the bounds of the schedule apply, and invalid values are ignored. A `lastmod` after the last
 * fetch makes a page due; SITEMAP does that when it reads the sitemap.
 */
import { DAY_S } from '../day.js';
import { MAX_INT32 } from '../int32.js';

/** Metadata keys of the hints of a sitemap. */
export const SITEMAP_KEYS = {
  changefreq: 'sitemap.changefreq',
  lastmod: 'sitemap.lastmod',
  priority: 'sitemap.priority',
} as const;

export interface SitemapHints {
  /** Seconds between two changes, or null. */
  readonly changeSeconds: number | null;
}

const SECONDS: Readonly<Record<string, number>> = {
  always: 60,
  hourly: 3_600,
  daily: DAY_S,
  weekly: 7 * DAY_S,
  monthly: 30 * DAY_S,
  yearly: 365 * DAY_S,
  never: MAX_INT32,
};

/** Seconds of a `changefreq`; null for any other word. `always` is a minute, `never` the maximum. */
export function changefreqSeconds(word: string | null | undefined): number | null {
  const known = (word ?? '').trim().toLowerCase();
  return Object.hasOwn(SECONDS, known) ? SECONDS[known]! : null;
}

export function sitemapHints(metadata: Readonly<Record<string, string | null | undefined>>): SitemapHints {
  return { changeSeconds: changefreqSeconds(metadata[SITEMAP_KEYS.changefreq]) };
}
