/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { ReaderConfig, ServiceConfig, ServiceInfo } from './schemas.js';

/** Calls of the group `legacy`. */
export class LegacyCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Read a sequence file (1.x)
   * Rows `start` to `end` - 1, if both are given, else the first `nrows`, else all, streamed. With `count` the response is the number of all rows, as text. `path` is a name within a crawl: `k1/crawldb`, `k1/linkdb`, `k1/segments/<segment>/<part>` or a dump.
   * `POST /reader/sequence/read`
   */
  readSequence(
    body: ReaderConfig,
    query: {
      /** Number of rows from the beginning; -1 for all. */
      nrows?: number;
      /** The first row, from 0; used together with `end`. */
      start?: number;
      /** The row after the last one; used together with `start`. */
      end?: number;
      /** Return the number of all rows, as text. */
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
   * Read a sequence file (1.x)
   * Rows `start` to `end` - 1, if both are given, else the first `nrows`, else all, streamed. With `count` the response is the number of all rows, as text. `path` is a name within a crawl: `k1/crawldb`, `k1/linkdb`, `k1/segments/<segment>/<part>` or a dump.
   * `POST /reader/sequence/read`
   */
  readSequenceText(
    body: ReaderConfig,
    query: {
      /** Number of rows from the beginning; -1 for all. */
      nrows?: number;
      /** The first row, from 0; used together with `end`. */
      start?: number;
      /** The row after the last one; used together with `start`. */
      end?: number;
      /** Return the number of all rows, as text. */
      count?: boolean;
    } = {},
    options: CallOptions = {},
  ): Promise<string> {
    return this.transport.text({
      method: 'POST',
      path: '/reader/sequence/read',
      accept: 'text/plain',
      body,
      bodyType: 'application/json',
      query,
      options,
    });
  }

  /**
   * Fields of a link of the webgraph (1.x)
   * The names and types of the fields, as in Nutch.
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
   * Rows `start` to `end` - 1, if both are given, else the first `nrows`, else all, streamed. With `count` the response is the number of all rows, as text. `path` is a name within a crawl: `k1/webgraphdb/outlinks` (links by source page) or `k1/webgraphdb/inlinks` (by target page, as INVERTLINKS stored them; their `timestamp` is 0).
   * `POST /reader/link/read`
   */
  readLinks(
    body: ReaderConfig,
    query: {
      /** Number of rows from the beginning; -1 for all. */
      nrows?: number;
      /** The first row, from 0; used together with `end`. */
      start?: number;
      /** The row after the last one; used together with `start`. */
      end?: number;
      /** Return the number of all rows, as text. */
      count?: boolean;
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
   * Read links of the webgraph (1.x)
   * Rows `start` to `end` - 1, if both are given, else the first `nrows`, else all, streamed. With `count` the response is the number of all rows, as text. `path` is a name within a crawl: `k1/webgraphdb/outlinks` (links by source page) or `k1/webgraphdb/inlinks` (by target page, as INVERTLINKS stored them; their `timestamp` is 0).
   * `POST /reader/link/read`
   */
  readLinksText(
    body: ReaderConfig,
    query: {
      /** Number of rows from the beginning; -1 for all. */
      nrows?: number;
      /** The first row, from 0; used together with `end`. */
      start?: number;
      /** The row after the last one; used together with `start`. */
      end?: number;
      /** Return the number of all rows, as text. */
      count?: boolean;
    } = {},
    options: CallOptions = {},
  ): Promise<string> {
    return this.transport.text({
      method: 'POST',
      path: '/reader/link/read',
      accept: 'text/plain',
      body,
      bodyType: 'application/json',
      query,
      options,
    });
  }

  /**
   * Fields of a node of the webgraph (1.x)
   * The names and types of the fields, as in Nutch.
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
   * Rows `start` to `end` - 1, if both are given, else the first `nrows`, else all, streamed. With `count` the response is the number of all rows, as text. `path` is a name within a crawl: `k1/webgraphdb/nodes`. They are written by WEBGRAPH or LINKRANK; sorted by host.
   * `POST /reader/node/read`
   */
  readNodes(
    body: ReaderConfig,
    query: {
      /** Number of rows from the beginning; -1 for all. */
      nrows?: number;
      /** The first row, from 0; used together with `end`. */
      start?: number;
      /** The row after the last one; used together with `start`. */
      end?: number;
      /** Return the number of all rows, as text. */
      count?: boolean;
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
   * Read nodes of the webgraph (1.x)
   * Rows `start` to `end` - 1, if both are given, else the first `nrows`, else all, streamed. With `count` the response is the number of all rows, as text. `path` is a name within a crawl: `k1/webgraphdb/nodes`. They are written by WEBGRAPH or LINKRANK; sorted by host.
   * `POST /reader/node/read`
   */
  readNodesText(
    body: ReaderConfig,
    query: {
      /** Number of rows from the beginning; -1 for all. */
      nrows?: number;
      /** The first row, from 0; used together with `end`. */
      start?: number;
      /** The row after the last one; used together with `start`. */
      end?: number;
      /** Return the number of all rows, as text. */
      count?: boolean;
    } = {},
    options: CallOptions = {},
  ): Promise<string> {
    return this.transport.text({
      method: 'POST',
      path: '/reader/node/read',
      accept: 'text/plain',
      body,
      bodyType: 'application/json',
      query,
      options,
    });
  }

  /**
   * List CommonCrawl dumps of the crawl without a name (1.x)
   * The dump of the pages fetched up to the end of the last FETCH; none before the first FETCH has ended.
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
   * Create a CommonCrawl dump (1.x)
   * Returns the name of a dump of the pages fetched up to now. Nothing is written: `POST /reader/sequence/read` reads the pages by that name.
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
   * The dump of the pages fetched up to the end of the last FETCH; none before the first FETCH has ended.
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
   * Create a CommonCrawl dump of a crawl (1.x)
   * Returns the name of a dump of the pages fetched up to now. Nothing is written: `POST /reader/sequence/read` reads the pages by that name.
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
