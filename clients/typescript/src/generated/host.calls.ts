/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { HostChanges, HostDetailDto, HostDto, HostList } from './schemas.js';

/** Calls of the group `host`. */
export class HostCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List hosts
   * Hosts of a crawl in the order of their reversed names, with exact counts of their pages by status. Read from the small host table: no page is looked at.
   * `GET /v1/hosts`
   */
  list(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose properties say how fast the host is asked (`fetcher.*`) and what the answer to GET /robots.txt means (`http.robots.*`). Without it, the copy that the newest CRAWL or FETCH of the crawl runs with: one that has not ended goes first; `default` where there is none. */
      confId?: string;
      /** Beginning of the reversed host: `org.apache.`. */
      prefix?: string;
      /** Registered domain, as in URLs: `apache.org`. */
      domain?: string;
      /** Hosts at most. */
      limit?: number;
      /** `cursor` of the answer before: goes on behind its last host. */
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
   * Counts of its pages by status, what its robots.txt means and how old it is, when it may be asked next, its sitemaps (SITEMAP), and what HOSTDB found out about it.
   * `GET /v1/hosts/{host}`
   */
  read(
    host: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose properties say how fast the host is asked (`fetcher.*`) and what the answer to GET /robots.txt means (`http.robots.*`). Without it, the copy that the newest CRAWL or FETCH of the crawl runs with: one that has not ended goes first; `default` where there is none. */
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
   * Sets what the body names: null clears, what is missing stays. It holds for this crawl, also for a host that the crawl has not seen yet. A FETCH under way takes it up within seconds, GENERATE leaves out hosts that are drained or blocked. A Crawl-delay of robots.txt still holds where it is longer.
   * `PATCH /v1/hosts/{host}`
   */
  change(
    host: string,
    body: HostChanges,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose properties say how fast the host is asked (`fetcher.*`) and what the answer to GET /robots.txt means (`http.robots.*`). Without it, the copy that the newest CRAWL or FETCH of the crawl runs with: one that has not ended goes first; `default` where there is none. */
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
