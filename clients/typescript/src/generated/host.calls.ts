/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { HostDto, HostList } from './schemas.js';

/** Calls of the group `host`. */
export class HostCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List hosts
   * Hosts of a crawl in the order of their reversed names, with exact counts of their pages by status. Read from the small host table: no page is looked at. A crawl that nobody wrote to has no hosts.
   * `GET /v1/hosts`
   */
  list(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose `http.robots.*` properties say what the answer to GET /robots.txt means. */
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
   * Counts of its pages by status, what its robots.txt means and how old it is, and when it may be asked next.
   * `GET /v1/hosts/{host}`
   */
  read(
    host: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose `http.robots.*` properties say what the answer to GET /robots.txt means. */
      confId?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<HostDto> {
    return this.transport.json<HostDto>({
      method: 'GET',
      path: `/v1/hosts/${segment(host)}`,
      accept: 'application/json',
      query,
      options,
    });
  }
}
