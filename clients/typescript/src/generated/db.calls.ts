/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { type Bytes, type CallOptions, type Transport } from '../transport.js';
import type { DbFilter, DbQuery, DbQueryResult, FetchNodeDbInfo } from './schemas.js';

/** Calls of the group `db`. */
export class DbCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Read pages (2.x)
   * Pages of a crawl in the order of their row keys, streamed, at most `limit`; `cursor` continues after the last one. Status codes are those of 2.x (38 for not modified).
   * `POST /db`
   */
  query(body: DbFilter, options: CallOptions = {}): Promise<DbQueryResult> {
    return this.transport.json<DbQueryResult>({
      method: 'POST',
      path: '/db',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Query the page table (1.x)
   * `stats`: counts by status (exact), scores and retries (with the time they were computed). `url`: one page. `dump`: pages as text, streamed; with `parts`, parts of a segment. `topN`: the pages with the highest scores. For a crawl to which nothing was ever written, statistics and topN are empty; a dump of it, or of an unknown batch, is 404.
   * `POST /db/crawldb`
   */
  crawlDb(body: DbQuery, options: CallOptions = {}): Promise<Record<string, unknown>> {
    return this.transport.json<Record<string, unknown>>({
      method: 'POST',
      path: '/db/crawldb',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Query the page table (1.x)
   * `stats`: counts by status (exact), scores and retries (with the time they were computed). `url`: one page. `dump`: pages as text, streamed; with `parts`, parts of a segment. `topN`: the pages with the highest scores. For a crawl to which nothing was ever written, statistics and topN are empty; a dump of it, or of an unknown batch, is 404.
   * `POST /db/crawldb`
   */
  crawlDbBytes(body: DbQuery, options: CallOptions = {}): Promise<Bytes> {
    return this.transport.bytes({
      method: 'POST',
      path: '/db/crawldb',
      accept: 'application/octet-stream',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Fetched pages and their links (1.x)
   * Entries `from` to `to` (inclusive, numbered from 1, in the order of their row keys; `to` 0 or too large: all), streamed.
   * `GET /db/fetchdb`
   */
  fetchDb(
    query: {
      /** First entry, numbered from 1; 0 means 1. */
      from?: number;
      /** Last entry, inclusive; 0 for all. */
      to?: number;
      /** The crawl; the empty name is a crawl, too. Without it: that of the running FETCH, else of the newest FETCH, else the only crawl. */
      crawlId?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<FetchNodeDbInfo[]> {
    return this.transport.json<FetchNodeDbInfo[]>({
      method: 'GET',
      path: '/db/fetchdb',
      accept: 'application/json',
      query,
      options,
    });
  }
}
