import { flag, int } from './property.js';

/** Properties of SITEMAP (Nutch `sitemap.*`). */
export const sitemapProperties = {
  'sitemap.content.limit': int(-1, 'Bytes kept of a sitemap; what is beyond is lost. -1: sitemap.size.max.', {
    min: -1,
    unit: 'bytes',
  }),
  'sitemap.domain.max': int(
    10_000,
    'Sitemaps of a registered domain that a SITEMAP follows; what robots files and indexes name beyond is passed over.',
    { max: 1_000_000 },
  ),
  'sitemap.job.max': int(100_000, 'Sitemaps that a SITEMAP follows in all, as sitemap.domain.max.', {
    max: 10_000_000,
  }),
  'sitemap.parser.timeout': int(
    30,
    'Time after which the reading of a sitemap ends; what was read is kept. -1: an hour.',
    {
      min: 1,
      max: 3_600,
      unit: 's',
      noLimit: -1,
    },
  ),
  'sitemap.redir.max': int(3, 'Redirects followed to a sitemap.', { max: 20 }),
  'sitemap.size.max': int(52_428_800, 'Largest sitemap, compressed or not.', {
    min: 1_024,
    max: 268_435_456,
    unit: 'bytes',
  }),
  'sitemap.strict.parsing': flag(
    true,
    'Take only entries under the folder of their sitemap, or on the origin whose robots.txt names it.',
  ),
  'sitemap.url.default.sitemap.xml': flag(true, 'Try /sitemap.xml where robots.txt names no sitemap.'),
  'sitemap.url.filter': flag(true, 'Filter sitemaps and their entries.'),
  'sitemap.url.normalize': flag(true, 'Normalize sitemaps and their entries.'),
  'sitemap.url.overwrite.existing': flag(
    false,
    'Score, interval and modified time of a known page are taken over from its sitemap.',
  ),
};
