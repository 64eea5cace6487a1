/** From URLs in arguments, robots.txt and indexes to sitemaps of the list: normalized and filtered as the job requires. */
import type { AdmitOptions, UrlRules } from '../url/url-rules.js';
import { beginsAsUrl } from '../url/key-range.js';
import { resolveUrl } from '../url/resolve.js';
import { hostKeyOf, reverseUrl } from '../url/row-key.js';

/** Where a sitemap comes from; `host` means an origin whose robots.txt is to be read for sitemaps. */
export type SitemapSource = 'seed' | 'argument' | 'robots' | 'default' | 'index' | 'host';

export interface WantedSitemap {
  host: string;
  url: string;
  source: SitemapSource;
  /** The robots.txt or index that names it. */
  foundIn: string | null;
  /** Origin whose robots.txt names it, or the index that leads to it: its own if that does, else the last one. */
  vouchedBy: string | null;
  /** Number of indexes between it and its source. */
  depth: number;
}

/** Depth of nested indexes: deeper ones are not followed. */
export const MAX_INDEX_DEPTH = 3;

/**
 * The origins whose entries a sitemap may list if the robots.txt of one of them names it: that file is proof for a host
 * (sitemaps.org, "Sitemaps & Cross Submits"), so it is for http and https alike. Another port may be another site.
 */
export function originsVouchedBy(origin: string): string[] {
  const { host, port } = new URL(origin);
  return port === '' ? [`http://${host}`, `https://${host}`] : [origin];
}

export class SitemapRules {
  constructor(
    readonly urls: UrlRules,
    readonly switches: AdmitOptions,
  ) {}

  /**
   * The URL to request; null if it is invalid or the rules refuse it. The filters are meant for pages: the default ones
   * refuse `.gz` and queries, which are no reason against a sitemap, so they are applied without them.
   */
  admit(url: string): string | null {
    const { normalize, filter } = this.switches;
    const admitted = this.urls.admit(url, 'default', { normalize, filter: false });
    // Sitemaps are requested by HTTP, whatever pages are fetched by.
    if ('rejected' in admitted || !admitted.url.startsWith('http')) return null;
    const withoutQuery = admitted.url.replace(/\?.*$/s, '').replace(/\.gz$/i, '');
    return filter && !this.urls.filter(withoutQuery).accepted ? null : admitted.url;
  }

  argument(url: string): WantedSitemap | null {
    return this.wantedSitemap(url, { source: 'argument', foundIn: null, vouchedBy: null, depth: 0 });
  }

  /** A host (`site.test`), an origin or any URL of it: its robots.txt is to be read. */
  origin(hostOrUrl: string): WantedSitemap | null {
    const url = URL.parse(beginsAsUrl(hostOrUrl) ? hostOrUrl : `http://${hostOrUrl}`);
    // The filters are meant for pages: an origin whose home page they refuse is refused.
    if (url === null || !/^https?:$/.test(url.protocol) || this.admit(`${url.origin}/`) === null) return null;
    const robots = `${url.origin}/robots.txt`;
    return { host: hostKeyOfUrl(robots), url: robots, source: 'host', foundIn: null, vouchedBy: null, depth: 0 };
  }

  /** Those that a robots.txt names, or the default URL. */
  ofRobots(origin: string, named: readonly string[], isDefaultUrl: boolean): (WantedSitemap | null)[] {
    const foundIn = `${origin}/robots.txt`;
    if (named.length > 0)
      return named.map((url) =>
        this.wantedSitemap(resolveUrl(url, foundIn), { source: 'robots', foundIn, vouchedBy: origin, depth: 0 }),
      );
    return isDefaultUrl
      ? [this.wantedSitemap(`${origin}/sitemap.xml`, { source: 'default', foundIn, vouchedBy: null, depth: 0 })]
      : [];
  }

  /** A sitemap that an index names. */
  ofIndex(url: string, index: WantedSitemap): WantedSitemap | null {
    return this.wantedSitemap(url, {
      source: 'index',
      foundIn: index.url,
      vouchedBy: index.vouchedBy,
      depth: index.depth + 1,
    });
  }

  private wantedSitemap(url: string | null, rest: Omit<WantedSitemap, 'host' | 'url'>): WantedSitemap | null {
    const admitted = url === null ? null : this.admit(url);
    // A robots.txt is no sitemap: its origin has a row of its own on the list.
    if (admitted === null || URL.parse('/robots.txt', admitted)?.href === admitted) return null;
    return { host: hostKeyOfUrl(admitted), url: admitted, ...rest };
  }
}

const hostKeyOfUrl = (url: string): string => hostKeyOf(reverseUrl(url));
