/** index-basic: the fields that most searches use (Nutch `BasicIndexingFilter`). */
import { domainOf } from '../url/domain.js';
import { splitUrl } from '../url/url-components.js';
import { wellFormedStart } from './field-text.js';
import { type IndexingFilter, addField } from './indexing-filter.js';

export interface IndexBasicOptions {
  readonly addDomain: boolean;
  /** Characters; -1: all. */
  readonly maxTitleLength: number;
  readonly maxContentLength: number;
}

export function indexBasic({ addDomain, maxTitleLength, maxContentLength }: IndexBasicOptions): IndexingFilter {
  return (document, page) => {
    const host = (splitUrl(page.representative)?.host ?? '').toLowerCase();
    if (addDomain) addField(document, 'domain', domainOf(host));
    addField(document, 'host', host);
    addField(document, 'url', page.representative);
    addField(document, 'content', wellFormedStart(page.text, maxContentLength));
    addField(document, 'title', wellFormedStart(page.title, maxTitleLength));
    const caching = page.metadata['caching.forbidden'];
    if (caching !== undefined && caching !== 'none') addField(document, 'cache', caching);
    addField(document, 'tstamp', new Date(page.fetchTime));
    return document;
  };
}
