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
      /** Only crawls with this crawl id. */
      crawlId?: string;
      /** Only crawls in this state. */
      state?: 'IDLE' | 'RUNNING' | 'STOPPING' | 'KILLING' | 'FINISHED' | 'FAILED' | 'KILLED' | 'ANY';
      /** `cursor` of the previous answer: continues after its last job. */
      cursor?: string;
      /** Maximum number of crawls, newest first. */
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
   * Creates a CRAWL job: INJECT, then complete rounds of GENERATE, FETCH, PARSE and UPDATEDB until nothing is due or a limit is reached. It continues by itself after any restart. When no seed can be crawled, the response is 400 with a reason for each; when only some are refused, the header `Orbweaver-Notice` names them.
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
   * The CRAWL job as it is now, its counters so far, and its jobs. For a crawl id: the newest CRAWL job that has not ended, else the newest.
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
   * Creates a DROPCRAWL job, which deletes all data of the crawl: pages, contents, links, hosts with their settings, visits, batches, sitemaps, ended jobs, events, lists of inline seeds; then its id is free. The id of a CRAWL job names the whole crawl, too. The job reports its progress in `msg` and `counters`, continues after any restart, and can be stopped: the next one deletes the rest. While it runs, no job of the crawl can be created (409).
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
   * Pages being fetched are still stored; nothing more is fetched until the crawl is resumed. With a crawl id: all jobs of the crawl that have not ended.
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
   * A paused crawl continues where it was paused. With a crawl id: all jobs of the crawl that have not ended.
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
   * Nothing more is fetched, the round is completed (fetched pages go through PARSE and UPDATEDB), and the crawl ends FINISHED with reason "stopped". With a crawl id: all jobs of the crawl that have not ended.
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
   * Connections are closed and the crawl ends KILLED. Its batch stays open: an UPDATEDB job releases its pages. With a crawl id: all jobs of the crawl that have not ended.
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
