/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { type CallOptions, type Transport } from '../transport.js';
import type { SearchAnswer } from './schemas.js';

/** Calls of the group `search`. */
export class SearchCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Search the documents of a crawl
   * The built-in index, which INDEX writes: the documents that fit the query best, from the best on. Pages with all of the words come first, above all where these make up the title; any one is enough to be found.
   * `GET /v1/search`
   */
  search(
    query: {
      /** What is searched for: words, `"a phrase"`, `+must`, `-not`, `AND`, `OR`, `NOT`, brackets, `title:word`, `begin*`, and the filters `site:`, `host:`, `lang:`, `type:`, `date:`, `segment:`. Any text is a query. */
      q?: string;
      /** The crawl; without it the one that has an index. */
      crawlId?: string;
      /** Configuration whose weights of fields (`search.boost.*`) count. */
      confId?: string;
      /** Hits at most. */
      limit?: number;
      /** `cursor` of the answer before: goes on behind it. */
      cursor?: string;
      /** What is counted over all that was found: `host`, `lang`, `type`, separated by commas. */
      facets?: string;
      /** Whether words that stand out in the first hits are searched for as well: auto, where the query is five words or more and no title; on; off. */
      expand?: string;
      /** How documents are scored: bm25f, by words, title and links; bm25, as Lucene 8 does; classic, by TF-IDF as Lucene 3 did. The latter two give the numbers of Lucene, and add words with `expand=on` only. */
      similarity?: string;
      /** Fragments of its text that a hit shows, at most. */
      snippets?: number;
      /** Each hit says how its score came about. */
      explain?: boolean;
    } = {},
    options: CallOptions = {},
  ): Promise<SearchAnswer> {
    return this.transport.json<SearchAnswer>({
      method: 'GET',
      path: '/v1/search',
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Search the documents of a crawl
   * The built-in index, which INDEX writes: the documents that fit the query best, from the best on. Pages with all of the words come first, above all where these make up the title; any one is enough to be found.
   * `GET /search`
   */
  searchHere(
    query: {
      /** What is searched for: words, `"a phrase"`, `+must`, `-not`, `AND`, `OR`, `NOT`, brackets, `title:word`, `begin*`, and the filters `site:`, `host:`, `lang:`, `type:`, `date:`, `segment:`. Any text is a query. */
      q?: string;
      /** The crawl; without it the one that has an index. */
      crawlId?: string;
      /** Configuration whose weights of fields (`search.boost.*`) count. */
      confId?: string;
      /** Hits at most. */
      limit?: number;
      /** `cursor` of the answer before: goes on behind it. */
      cursor?: string;
      /** What is counted over all that was found: `host`, `lang`, `type`, separated by commas. */
      facets?: string;
      /** Whether words that stand out in the first hits are searched for as well: auto, where the query is five words or more and no title; on; off. */
      expand?: string;
      /** How documents are scored: bm25f, by words, title and links; bm25, as Lucene 8 does; classic, by TF-IDF as Lucene 3 did. The latter two give the numbers of Lucene, and add words with `expand=on` only. */
      similarity?: string;
      /** Fragments of its text that a hit shows, at most. */
      snippets?: number;
      /** Each hit says how its score came about. */
      explain?: boolean;
    } = {},
    options: CallOptions = {},
  ): Promise<SearchAnswer> {
    return this.transport.json<SearchAnswer>({
      method: 'GET',
      path: '/search',
      accept: 'application/json',
      query,
      options,
    });
  }
}
