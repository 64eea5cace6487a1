import { FEED_TYPES, readFeedPage } from '../../core/feed/feed-page.js';
import type { PluginFor } from '../extension-points.js';

/** `feed`: RSS, RDF and Atom. */
export const feedParser: PluginFor<'makeParser'> = {
  id: 'feed',
  className: 'org.apache.nutch.parse.feed.FeedParser',
  description: 'Reads RSS, RDF and Atom: the text of the entries, their links with titles, and dates.',
  makeParser: () => ({ types: FEED_TYPES, parse: readFeedPage }),
};
