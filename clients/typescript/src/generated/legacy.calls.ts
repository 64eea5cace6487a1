/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { ReaderConfig, ServiceConfig, ServiceInfo } from './schemas.js';

/** Calls of the group `legacy`. */
export class LegacyCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Read a sequence file (1.x)
   * Rows `start` to `end` - 1, if both are given, else the first `nrows`, else all, streamed. `path` is a name within a crawl: `k1/crawldb`, `k1/segments/<segment>/<part>` or a dump. With `count` the answer is their number, as text.
   * `POST /reader/sequence/read`
   */
  readSequence(
    body: ReaderConfig,
    query: {
      /** The first rows, so many; -1 for all. */
      nrows?: number;
      /** The first row, from 0; counts with `end`. */
      start?: number;
      /** The row behind the last one; counts with `start`. */
      end?: number;
      /** Answer how many rows there are, as text. */
      count?: boolean;
    } = {},
    options: CallOptions = {},
  ): Promise<string[][]> {
    return this.transport.json<string[][]>({
      method: 'POST',
      path: '/reader/sequence/read',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      query,
      options,
    });
  }

  /**
   * Fields of a link of the webgraph (1.x)
   * The names and types of the fields, as in the original.
   * `GET /reader/link`
   */
  describeLink(options: CallOptions = {}): Promise<Record<string, string>> {
    return this.transport.json<Record<string, string>>({
      method: 'GET',
      path: '/reader/link',
      accept: 'application/json',
      options,
    });
  }

  /**
   * Read links of the webgraph (1.x)
   * Rows `start` to `end` - 1, if both are given, else the first `nrows`, else all, streamed. `path` is a name within a crawl: `k1/webgraphdb/outlinks` (links by the page that has them) or `k1/webgraphdb/inlinks` (by the page that they lead to, as INVERTLINKS has stored them; their `timestamp` is 0).
   * `POST /reader/link/read`
   */
  readLinks(
    body: ReaderConfig,
    query: {
      /** The first rows, so many; -1 for all. */
      nrows?: number;
      /** The first row, from 0; counts with `end`. */
      start?: number;
      /** The row behind the last one; counts with `start`. */
      end?: number;
    } = {},
    options: CallOptions = {},
  ): Promise<Record<string, string>[]> {
    return this.transport.json<Record<string, string>[]>({
      method: 'POST',
      path: '/reader/link/read',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      query,
      options,
    });
  }

  /**
   * Fields of a node of the webgraph (1.x)
   * The names and types of the fields, as in the original.
   * `GET /reader/node`
   */
  describeNode(options: CallOptions = {}): Promise<Record<string, string>> {
    return this.transport.json<Record<string, string>>({
      method: 'GET',
      path: '/reader/node',
      accept: 'application/json',
      options,
    });
  }

  /**
   * Read nodes of the webgraph (1.x)
   * Rows `start` to `end` - 1, if both are given, else the first `nrows`, else all, streamed. `path` is a name within a crawl: `k1/webgraphdb/nodes`. They are there after WEBGRAPH or LINKRANK, host by host.
   * `POST /reader/node/read`
   */
  readNodes(
    body: ReaderConfig,
    query: {
      /** The first rows, so many; -1 for all. */
      nrows?: number;
      /** The first row, from 0; counts with `end`. */
      start?: number;
      /** The row behind the last one; counts with `start`. */
      end?: number;
    } = {},
    options: CallOptions = {},
  ): Promise<Record<string, string>[]> {
    return this.transport.json<Record<string, string>[]>({
      method: 'POST',
      path: '/reader/node/read',
      accept: 'application/json',
      body,
      bodyType: 'application/json',
      query,
      options,
    });
  }

  /**
   * List CommonCrawl dumps of the crawl without a name (1.x)
   * The dump of what the last FETCH brought; none for a crawl that has fetched nothing.
   * `GET /services/commoncrawldump`
   */
  list(options: CallOptions = {}): Promise<ServiceInfo> {
    return this.transport.json<ServiceInfo>({
      method: 'GET',
      path: '/services/commoncrawldump',
      accept: 'application/json',
      options,
    });
  }

  /**
   * Make a CommonCrawl dump (1.x)
   * Answers the name of a dump of what is fetched now. Nothing is written: `POST /reader/sequence/read` reads the pages by that name.
   * `POST /services/commoncrawldump`
   */
  create(body: ServiceConfig, options: CallOptions = {}): Promise<string> {
    return this.transport.text({
      method: 'POST',
      path: '/services/commoncrawldump',
      accept: 'text/plain',
      body,
      bodyType: 'application/json',
      options,
    });
  }

  /**
   * List CommonCrawl dumps of a crawl (1.x)
   * The dump of what the last FETCH brought; none for a crawl that has fetched nothing.
   * `GET /services/commoncrawldump/{crawlId}`
   */
  listOfCrawl(crawlId: string, options: CallOptions = {}): Promise<ServiceInfo> {
    return this.transport.json<ServiceInfo>({
      method: 'GET',
      path: `/services/commoncrawldump/${segment(crawlId)}`,
      accept: 'application/json',
      options,
    });
  }

  /**
   * Make a CommonCrawl dump of a crawl (1.x)
   * Answers the name of a dump of what is fetched now. Nothing is written: `POST /reader/sequence/read` reads the pages by that name.
   * `POST /services/commoncrawldump/{crawlId}`
   */
  createOfCrawl(crawlId: string, options: CallOptions = {}): Promise<string> {
    return this.transport.text({
      method: 'POST',
      path: `/services/commoncrawldump/${segment(crawlId)}`,
      accept: 'text/plain',
      options,
    });
  }
}
