import { SITEMAP_TYPES, readSitemapPage } from '../../core/page/sitemap-page.js';
import type { PluginFor } from '../extension-points.js';

/** `parse-sitemap`: sitemaps. */
export const sitemapParser: PluginFor<'makeParser'> = {
  id: 'parse-sitemap',
  className: 'orbweaver.parse.SitemapParser',
  description: 'Reads sitemaps that are fetched as pages: the URLs they name are links.',
  makeParser: () => ({ types: SITEMAP_TYPES, parse: readSitemapPage }),
};
