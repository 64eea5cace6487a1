/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { type CallOptions, type Transport } from '../transport.js';
import type { SearchAnswer } from './schemas.js';

/** Calls of the group `search`. */
export class SearchCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Search the documents of a crawl
   * Searches the built-in index, which INDEX writes, and returns the best matching documents, best first. Pages that contain all words rank highest, especially if the title consists of them; a page that contains any one of the words is found.
   * `GET /v1/search`
   */
  search(
    query: {
      /** The query: words, `"a phrase"`, `+must`, `-not`, `AND`, `OR`, `NOT` (also `&&`, `||`, `!`), brackets, `title:word`, `begin*`, and the filters `site:`, `host:`, `lang:`, `type:`, `date:`, `segment:`. Any text is a query. */
      q?: string;
      /** The crawl; without it, the only crawl that has an index. */
      crawlId?: string;
      /** Only pages of this batch: its id, or its name as a segment. The same as `segment:` in the query. */
      segment?: string;
      /** Configuration whose properties `search.boost.*` and `search.bm25.*` are used. */
      confId?: string;
      /** Maximum number of hits. */
      limit?: number;
      /** `cursor` of the previous answer: continues after it. */
      cursor?: string;
      /** Facets to count over all matching documents: `host`, `lang`, `type`, separated by commas. */
      facets?: string;
      /** Whether to add significant words of the first hits to the query: auto, if the query has five words or more and is not a title; on; off. */
      expand?: 'auto' | 'on' | 'off';
      /** How documents are scored: bm25f, by words, title and links; bm25, as in Lucene 8; classic, TF-IDF as in Lucene 3. The latter two return the scores of Lucene, and add words only with `expand=on`. */
      similarity?: 'bm25f' | 'bm25' | 'classic';
      /** Show pages whose texts are nearly equal as one hit, with the number of `duplicates`; false shows each. */
      collapse?: boolean;
      /** Maximum number of snippets per hit. */
      snippets?: number;
      /** Explain the score of each hit. */
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
   * Searches the built-in index, which INDEX writes, and returns the best matching documents, best first. Pages that contain all words rank highest, especially if the title consists of them; a page that contains any one of the words is found.
   * `GET /search`
   */
  searchHere(
    query: {
      /** The query: words, `"a phrase"`, `+must`, `-not`, `AND`, `OR`, `NOT` (also `&&`, `||`, `!`), brackets, `title:word`, `begin*`, and the filters `site:`, `host:`, `lang:`, `type:`, `date:`, `segment:`. Any text is a query. */
      q?: string;
      /** The crawl; without it, the only crawl that has an index. */
      crawlId?: string;
      /** Only pages of this batch: its id, or its name as a segment. The same as `segment:` in the query. */
      segment?: string;
      /** Configuration whose properties `search.boost.*` and `search.bm25.*` are used. */
      confId?: string;
      /** Maximum number of hits. */
      limit?: number;
      /** `cursor` of the previous answer: continues after it. */
      cursor?: string;
      /** Facets to count over all matching documents: `host`, `lang`, `type`, separated by commas. */
      facets?: string;
      /** Whether to add significant words of the first hits to the query: auto, if the query has five words or more and is not a title; on; off. */
      expand?: 'auto' | 'on' | 'off';
      /** How documents are scored: bm25f, by words, title and links; bm25, as in Lucene 8; classic, TF-IDF as in Lucene 3. The latter two return the scores of Lucene, and add words only with `expand=on`. */
      similarity?: 'bm25f' | 'bm25' | 'classic';
      /** Show pages whose texts are nearly equal as one hit, with the number of `duplicates`; false shows each. */
      collapse?: boolean;
      /** Maximum number of snippets per hit. */
      snippets?: number;
      /** Explain the score of each hit. */
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
