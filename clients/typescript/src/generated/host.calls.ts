/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { HostChanges, HostDetailDto, HostDto, HostList } from './schemas.js';

/** Calls of the group `host`. */
export class HostCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List hosts
   * Hosts of a crawl in the order of their reversed names, with exact counts of their pages by status. Read from the small host table, not from the pages. Pages of `file:` URLs have no host, and are counted in none.
   * `GET /v1/hosts`
   */
  list(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration that determines the delay of the host (`fetcher.*`) and the meaning of the answer to GET /robots.txt (`http.robots.*`). Without it: the copy of the newest CRAWL or FETCH of the crawl that has not ended, else of the newest, else `default`. */
      confId?: string;
      /** Prefix of the reversed host: `org.apache.`. */
      prefix?: string;
      /** Registered domain, as in URLs: `apache.org`. */
      domain?: string;
      /** Maximum number of hosts. */
      limit?: number;
      /** `cursor` of the previous answer: continues after its last host. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<HostList> {
    return this.transport.json<HostList>({
      method: 'GET',
      path: '/v1/hosts',
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Read a host
   * Counts of its pages by status, meaning and age of its robots.txt, when the next request may be sent, its sitemaps (SITEMAP), and the facts of HOSTDB.
   * `GET /v1/hosts/{host}`
   */
  read(
    host: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration that determines the delay of the host (`fetcher.*`) and the meaning of the answer to GET /robots.txt (`http.robots.*`). Without it: the copy of the newest CRAWL or FETCH of the crawl that has not ended, else of the newest, else `default`. */
      confId?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<HostDetailDto> {
    return this.transport.json<HostDetailDto>({
      method: 'GET',
      path: `/v1/hosts/${segment(host)}`,
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Change how a host is treated
   * Sets the given fields: null clears a field, missing ones stay. The settings apply to this crawl, also if it has not seen the host yet. They may be set before its first INJECT: while the crawl has no pages, the header `Orbweaver-Notice` says so. A running FETCH applies them within seconds, GENERATE leaves out hosts that are drained or blocked. A longer Crawl-delay of robots.txt still applies.
   * `PATCH /v1/hosts/{host}`
   */
  change(
    host: string,
    body: HostChanges,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration that determines the delay of the host (`fetcher.*`) and the meaning of the answer to GET /robots.txt (`http.robots.*`). Without it: the copy of the newest CRAWL or FETCH of the crawl that has not ended, else of the newest, else `default`. */
      confId?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<HostDto> {
    return this.transport.json<HostDto>({
      method: 'PATCH',
      path: `/v1/hosts/${segment(host)}`,
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      query,
      options,
    });
  }
}
