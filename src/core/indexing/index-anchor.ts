/** index-anchor: the anchors of inlinks (Nutch `AnchorIndexingFilter`). */
import { domainOf } from '../url/domain.js';
import { splitUrl } from '../url/url-components.js';
import { type IndexingFilter, addField } from './indexing-filter.js';

/**
 * Adds the anchors of inlinks, each text once per linking domain, as Nutch 1.x does: a menu on every page of a site counts
 * once. With `deduplicate` each text once per document, ignoring case.
 */
export function indexAnchor(deduplicate: boolean): IndexingFilter {
  return (document, { inlinks }) => {
    const seen = new Set<string>();
    for (const { url, anchor } of inlinks) {
      const text = anchor.trim();
      if (text === '') continue;
      const name = deduplicate ? text.toLowerCase() : `${domainOf(splitUrl(url)?.host ?? '')} ${text}`;
      if (seen.has(name)) continue;
      seen.add(name);
      addField(document, 'anchor', text);
    }
    return document;
  };
}
