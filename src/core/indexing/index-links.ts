/** index-links: outlinks and inlinks of a page (Nutch `LinksIndexingFilter`). */
import { hostOfUrl } from '../url/url-components.js';
import type { IndexLink } from './index-page.js';
import { type IndexingFilter, setField } from './indexing-filter.js';

export interface LinksOptions {
  readonly hostsOnly: boolean;
  /** Omit links from, or to, the page's own host. */
  readonly ignoreInlinkHost: boolean;
  readonly ignoreOutlinkHost: boolean;
}

export function indexLinks({ hostsOnly, ignoreInlinkHost, ignoreOutlinkHost }: LinksOptions): IndexingFilter {
  return (document, { url, inlinks, outlinks }) => {
    const pageHost = hostOfUrl(url);
    const shown = (links: readonly IndexLink[], ignoreOwn: boolean): string[] => {
      const urls = links.map((link) => link.url).filter((linkUrl) => !ignoreOwn || hostOfUrl(linkUrl) !== pageHost);
      return [...new Set(hostsOnly ? urls.map(hostOfUrl) : urls)];
    };
    setField(document, 'inlinks', shown(inlinks, ignoreInlinkHost));
    setField(document, 'outlinks', shown(outlinks, ignoreOutlinkHost));
    return document;
  };
}
