/** Sites with sitemaps and rows of SITEMAP, for its specs. */
import type { Cycle } from '../support/cycle.js';
import { type Handler, type Site, page, startSite, status } from '../support/site.js';
import { pages, pathOf } from './table.js';

export const xml = { 'content-type': 'application/xml' };
export const entry = (loc: string, rest = '') => `<url><loc>${loc}</loc>${rest}</url>`;
export const urlset = (...entries: string[]): Handler => page(`<urlset>${entries.join('\n')}</urlset>`, xml);
export const index = (...locs: string[]): Handler =>
  page(`<sitemapindex>${locs.map((loc) => `<sitemap><loc>${loc}</loc></sitemap>`).join('')}</sitemapindex>`, xml);

/** Paths of the requests to a site, in order. */
export const asked = (one: Site): string[] => one.log.map(({ path }) => path);

/** A row of the table `sitemap`. */
export interface SitemapRow extends Record<string, unknown> {
  path: string;
  source: string;
  status: string | null;
  entries: number | null;
  error: string | null;
  wanted_by: string | null;
}

export function sitemapsOf(cycle: Cycle) {
  const sites: Site[] = [];
  return {
    /** A site whose handlers are made once its URL is known. */
    async site(handlers: (url: string) => Record<string, Handler>): Promise<Site> {
      let made: Record<string, Handler> = {};
      const started = await startSite((req, res) => {
        const path = (req.url ?? '').split('?')[0] ?? '';
        return (made[path] ?? made['*'] ?? status(404))(req, res);
      });
      made = handlers(started.url);
      sites.push(started);
      return started;
    },
    async closeSites(): Promise<void> {
      for (const one of sites.splice(0)) await one.close();
    },
    run: (crawlId: string, args: Record<string, unknown> = {}, conf: Record<string, string> = {}) =>
      cycle.run('SITEMAP', args, { crawlId, conf }),
    paths: async (crawlId: string) => (await pages(cycle, crawlId)).map(({ key }) => pathOf(key)),
    rows: (crawlId: string) =>
      cycle.db.query<SitemapRow>(
        `select regexp_replace(url, '^[^/]*//[^/]*', '') as path, source, s.status, entries, error, wanted_by
           from sitemap s join crawl c on c.id = s.crawl where c.name = $1 order by url`,
        [crawlId],
      ),
  };
}
