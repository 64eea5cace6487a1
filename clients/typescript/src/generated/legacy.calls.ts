/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';

/** Calls of the group `legacy`. */
export class LegacyCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Read a sequence file (1.x)
   * Not offered yet: answers 501 and says what serves instead.
   * `POST /reader/sequence/read`
   */
  readSequence(options: CallOptions = {}): Promise<Record<string, unknown>[]> {
    return this.transport.json<Record<string, unknown>[]>({
      method: 'POST',
      path: '/reader/sequence/read',
      accept: 'application/json',
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
   * Not offered yet: answers 501 and says what serves instead.
   * `POST /reader/link/read`
   */
  readLinks(options: CallOptions = {}): Promise<Record<string, unknown>[]> {
    return this.transport.json<Record<string, unknown>[]>({
      method: 'POST',
      path: '/reader/link/read',
      accept: 'application/json',
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
   * Not offered yet: answers 501 and says what serves instead.
   * `POST /reader/node/read`
   */
  readNodes(options: CallOptions = {}): Promise<Record<string, unknown>[]> {
    return this.transport.json<Record<string, unknown>[]>({
      method: 'POST',
      path: '/reader/node/read',
      accept: 'application/json',
      options,
    });
  }

  /**
   * List CommonCrawl dumps (1.x)
   * Not offered yet: answers 501 and says what serves instead.
   * `GET /services/commoncrawldump`
   */
  list(options: CallOptions = {}): Promise<void> {
    return this.transport.nothing({ method: 'GET', path: '/services/commoncrawldump', options });
  }

  /**
   * Write a CommonCrawl dump (1.x)
   * Not offered yet: answers 501 and says what serves instead.
   * `POST /services/commoncrawldump`
   */
  create(options: CallOptions = {}): Promise<void> {
    return this.transport.nothing({ method: 'POST', path: '/services/commoncrawldump', options });
  }

  /**
   * List CommonCrawl dumps of a crawl (1.x)
   * Not offered yet: answers 501 and says what serves instead.
   * `GET /services/commoncrawldump/{crawlId}`
   */
  listOfCrawl(
    crawlId: string,
    options: CallOptions = {},
  ): Promise<{
    dumpPaths?: string[];
  }> {
    return this.transport.json<{
      dumpPaths?: string[];
    }>({ method: 'GET', path: `/services/commoncrawldump/${segment(crawlId)}`, accept: 'application/json', options });
  }

  /**
   * Write a CommonCrawl dump of a crawl (1.x)
   * Not offered yet: answers 501 and says what serves instead.
   * `POST /services/commoncrawldump/{crawlId}`
   */
  createOfCrawl(crawlId: string, options: CallOptions = {}): Promise<void> {
    return this.transport.nothing({ method: 'POST', path: `/services/commoncrawldump/${segment(crawlId)}`, options });
  }
}
