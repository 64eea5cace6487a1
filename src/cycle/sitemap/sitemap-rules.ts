/** From what people, robots files and indexes write to sitemaps on a list: normalized and filtered as the job asks for. */
import { resolveUrl } from '../../core/url/resolve.js';
import { hostKeyOf, reverseUrl } from '../../core/url/row-key.js';
import type { AdmitOptions, UrlRules } from '../../plugin/url-rules.js';
import type { WantedSitemap } from '../../webpage/sitemap.store.js';

/** Indexes that lead to indexes: deeper ones are not followed. */
export const DEEPEST_INDEX = 3;

export class SitemapRules {
  constructor(
    readonly urls: UrlRules,
    readonly switches: AdmitOptions,
  ) {}

  /**
   * A URL as it may be asked for; null when it is none or the rules refuse it. The filters speak of pages: those that ship
   * refuse `.gz` and queries, which are no reason against a sitemap, so they are asked without them.
   */
  admit(url: string): string | null {
    const { normalize, filter } = this.switches;
    const admitted = this.urls.admit(url, 'default', { normalize, filter: false });
    if ('rejected' in admitted) return null;
    const asked = admitted.url.replace(/\?.*$/s, '').replace(/\.gz$/i, '');
    return filter && !this.urls.filter(asked).accepted ? null : admitted.url;
  }

  argument(url: string): WantedSitemap | null {
    return this.wanted(url, { source: 'argument', foundIn: null, vouchedBy: null, depth: 0 });
  }

  /** A host (`site.test`), an origin or any URL of it: its robots.txt is to be asked. */
  origin(given: string): WantedSitemap | null {
    const url = URL.parse(/^https?:\/\//i.test(given) ? given : `http://${given}`);
    // The filters speak of pages: an origin whose home page they refuse is no place for us.
    if (url === null || url.hostname === '' || this.admit(`${url.origin}/`) === null) return null;
    const robots = `${url.origin}/robots.txt`;
    return { host: hostOf(robots), url: robots, source: 'host', foundIn: null, vouchedBy: null, depth: 0 };
  }

  /** Those that a robots.txt names, or the default URL. */
  ofRobots(origin: string, named: readonly string[], isDefaultUrl: boolean): (WantedSitemap | null)[] {
    const foundIn = `${origin}/robots.txt`;
    if (named.length > 0)
      return named.map((url) =>
        this.wanted(resolveUrl(url, foundIn), { source: 'robots', foundIn, vouchedBy: origin, depth: 0 }),
      );
    return isDefaultUrl
      ? [this.wanted(`${origin}/sitemap.xml`, { source: 'default', foundIn, vouchedBy: null, depth: 0 })]
      : [];
  }

  /** One that an index names. */
  ofIndex(url: string, index: WantedSitemap): WantedSitemap | null {
    return this.wanted(url, {
      source: 'index',
      foundIn: index.url,
      vouchedBy: index.vouchedBy,
      depth: index.depth + 1,
    });
  }

  private wanted(url: string | null, rest: Omit<WantedSitemap, 'host' | 'url'>): WantedSitemap | null {
    const admitted = url === null ? null : this.admit(url);
    // Of a robots.txt the list says whether its origin is still to be asked.
    if (admitted === null || URL.parse('/robots.txt', admitted)?.href === admitted) return null;
    return { host: hostOf(admitted), url: admitted, ...rest };
  }
}

const hostOf = (url: string): string => hostKeyOf(reverseUrl(url));
