/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { CrawlList, CrawlProgress, CrawlRequest, DropCrawlJobInfo } from './schemas.js';

/** Calls of the group `crawl`. */
export class CrawlCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List crawls
   * CRAWL jobs, the newest first.
   * `GET /v1/crawls`
   */
  list(
    query: {
      /** Crawls of this crawl id only. */
      crawlId?: string;
      /** Crawls in this state only. */
      state?: string;
      /** `cursor` of the answer before: goes on behind its last job. */
      cursor?: string;
      /** Crawls at most, the newest first. */
      limit?: number;
    } = {},
    options: CallOptions = {},
  ): Promise<CrawlList> {
    return this.transport.json<CrawlList>({
      method: 'GET',
      path: '/v1/crawls',
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Crawl
   * Makes a CRAWL job: INJECT, then whole rounds of GENERATE, FETCH, PARSE and UPDATEDB until nothing is due or a limit is met. It carries on by itself after any restart. When no seed can be crawled the answer is 400 with the reason of each; seeds that are refused beside good ones stand in the header `Orbweaver-Notice`.
   * `POST /v1/crawls`
   */
  create(body: CrawlRequest, options: CallOptions = {}): Promise<CrawlProgress> {
    return this.transport.json<CrawlProgress>({
      method: 'POST',
      path: '/v1/crawls',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * Read a crawl
   * The CRAWL job as it is now, its counters so far, and its jobs. Of a crawl id: the newest CRAWL job that has not ended, else the newest.
   * `GET /v1/crawls/{id}`
   */
  read(id: string, options: CallOptions = {}): Promise<CrawlProgress> {
    return this.transport.json<CrawlProgress>({
      method: 'GET',
      path: `/v1/crawls/${segment(id)}`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Delete a crawl
   * Makes a DROPCRAWL job, which deletes all that the crawl has: pages, contents, links, hosts with their settings, visits, batches, sitemaps, ended jobs, events, lists of inline seeds; then its id is free. The id of a CRAWL job names the whole crawl, too. The job tells in `msg` and `counters` how far it is, goes on after any restart, and may be stopped: what is left is deleted by the next one. While it works no job of the crawl is made (409).
   * `DELETE /v1/crawls/{id}`
   */
  delete(id: string, options: CallOptions = {}): Promise<DropCrawlJobInfo> {
    return this.transport.json<DropCrawlJobInfo>({
      method: 'DELETE',
      path: `/v1/crawls/${segment(id)}`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Pause a crawl
   * What is in hand is written; nothing more is fetched until the crawl is resumed. With a crawl id: all jobs of the crawl that have not ended.
   * `POST /v1/crawls/{id}/pause`
   */
  pause(id: string, options: CallOptions = {}): Promise<boolean> {
    return this.transport.json<boolean>({
      method: 'POST',
      path: `/v1/crawls/${segment(id)}/pause`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Resume a crawl
   * A paused crawl goes on where it was. With a crawl id: all jobs of the crawl that have not ended.
   * `POST /v1/crawls/{id}/resume`
   */
  resume(id: string, options: CallOptions = {}): Promise<boolean> {
    return this.transport.json<boolean>({
      method: 'POST',
      path: `/v1/crawls/${segment(id)}/resume`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Stop a crawl
   * Nothing more is fetched, the round is closed (what was fetched is parsed and brought in), and the crawl ends FINISHED with reason "stopped". With a crawl id: all jobs of the crawl that have not ended.
   * `POST /v1/crawls/{id}/stop`
   */
  stop(id: string, options: CallOptions = {}): Promise<boolean> {
    return this.transport.json<boolean>({
      method: 'POST',
      path: `/v1/crawls/${segment(id)}/stop`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Abort a crawl
   * Connections are cut and the crawl ends KILLED. Its batch stays open: an UPDATEDB job gives its pages back. With a crawl id: all jobs of the crawl that have not ended.
   * `POST /v1/crawls/{id}/abort`
   */
  abort(id: string, options: CallOptions = {}): Promise<boolean> {
    return this.transport.json<boolean>({
      method: 'POST',
      path: `/v1/crawls/${segment(id)}/abort`,
      accept: 'application/json',
      options,
    });
  }
}
