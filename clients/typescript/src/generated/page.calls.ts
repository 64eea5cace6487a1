/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type Bytes, type CallOptions, type Transport } from '../transport.js';
import type { BrokenLinkList, PageDetail, PageDto, PageList } from './schemas.js';

/** Calls of the group `page`. */
export class PageCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List pages
   * Pages of a crawl in the order of their row keys. As JSON at most 1,000, with a cursor for the next ones. With `Accept: application/x-ndjson` one page per line, streamed as fast as the client reads, `limit=all` for every page; to continue after a broken connection, pass the `key` of the last complete line as `cursor`. Filters are combined with AND.
   * `GET /v1/pages`
   */
  list(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Only pages with this prefix. `http://site.test/docs/`: URLs of that scheme, host and port with that path prefix. Otherwise the prefix of a row key: `org.apache.` (every host below apache.org), `org.apache.nutch:` (one host, any scheme). */
      prefix?: string;
      /** Only pages of one host: `www.site.test`, or reversed, `test.site.www`, if the crawl has no host with that name. */
      host?: string;
      /** Statuses by name or number, separated by commas: `db_fetched,db_notmodified`. */
      status?: string;
      /** Only pages that are in this batch now (generate mark), or were last in it (batch id): its id, or its name as a segment. Pages that are in it now have `partition` in their metadata, and here `rank`: their position in it by score. */
      batch?: string;
      /** Maximum number of pages: 1 to 1000 as JSON; any number, or `all`, as application/x-ndjson. */
      limit?: string;
      /** A row key: `cursor` of the previous answer, or the `key` of the last line. Continues after it. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<PageList> {
    return this.transport.json<PageList>({
      method: 'GET',
      path: '/v1/pages',
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * List pages
   * Pages of a crawl in the order of their row keys. As JSON at most 1,000, with a cursor for the next ones. With `Accept: application/x-ndjson` one page per line, streamed as fast as the client reads, `limit=all` for every page; to continue after a broken connection, pass the `key` of the last complete line as `cursor`. Filters are combined with AND.
   * `GET /v1/pages`
   */
  listLines(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Only pages with this prefix. `http://site.test/docs/`: URLs of that scheme, host and port with that path prefix. Otherwise the prefix of a row key: `org.apache.` (every host below apache.org), `org.apache.nutch:` (one host, any scheme). */
      prefix?: string;
      /** Only pages of one host: `www.site.test`, or reversed, `test.site.www`, if the crawl has no host with that name. */
      host?: string;
      /** Statuses by name or number, separated by commas: `db_fetched,db_notmodified`. */
      status?: string;
      /** Only pages that are in this batch now (generate mark), or were last in it (batch id): its id, or its name as a segment. Pages that are in it now have `partition` in their metadata, and here `rank`: their position in it by score. */
      batch?: string;
      /** Maximum number of pages: 1 to 1000 as JSON; any number, or `all`, as application/x-ndjson. */
      limit?: string;
      /** A row key: `cursor` of the previous answer, or the `key` of the last line. Continues after it. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): AsyncIterableIterator<PageDto> {
    return this.transport.lines<PageDto>({
      method: 'GET',
      path: '/v1/pages',
      accept: 'application/x-ndjson',
      query,
      options,
    });
  }

  /**
   * Read a page
   * The row of a URL, with its visits, the links to and from it, and the headers of the last response. The URL is looked up as given, and as normalized with the configuration.
   * `GET /v1/pages/{url}`
   */
  read(
    url: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose normalizers are applied to the URL. */
      confId?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<PageDetail> {
    return this.transport.json<PageDetail>({
      method: 'GET',
      path: `/v1/pages/${segment(url)}`,
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Read the content of a page
   * The bytes of the last response that had content, decompressed, always as an attachment of type application/octet-stream, so that no browser runs it on this site. Its original Content-Type is in the header `Orbweaver-Content-Type`.
   * `GET /v1/pages/{url}/content`
   */
  content(
    url: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose normalizers are applied to the URL. */
      confId?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<Bytes> {
    return this.transport.bytes({
      method: 'GET',
      path: `/v1/pages/${segment(url)}/content`,
      accept: 'application/octet-stream',
      query,
      options,
    });
  }

  /**
   * Read the text of a page
   * The text that PARSE extracted, in UTF-8; or the main content, as text or as Markdown, if it was stored.
   * `GET /v1/pages/{url}/text`
   */
  text(
    url: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose normalizers are applied to the URL. */
      confId?: string;
      /** text: the whole text; readable: the main content (`parse.readable`); markdown: the same as Markdown (`parse.markdown`). */
      as?: 'text' | 'readable' | 'markdown';
    } = {},
    options: CallOptions = {},
  ): Promise<string> {
    return this.transport.text({
      method: 'GET',
      path: `/v1/pages/${segment(url)}/text`,
      accept: 'text/plain',
      query,
      options,
    });
  }

  /**
   * Read the text of a page
   * The text that PARSE extracted, in UTF-8; or the main content, as text or as Markdown, if it was stored.
   * `GET /v1/pages/{url}/text`
   */
  textBytes(
    url: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose normalizers are applied to the URL. */
      confId?: string;
      /** text: the whole text; readable: the main content (`parse.readable`); markdown: the same as Markdown (`parse.markdown`). */
      as?: 'text' | 'readable' | 'markdown';
    } = {},
    options: CallOptions = {},
  ): Promise<Bytes> {
    return this.transport.bytes({
      method: 'GET',
      path: `/v1/pages/${segment(url)}/text`,
      accept: 'text/markdown',
      query,
      options,
    });
  }

  /**
   * List the pages of a crawl
   * All pages of the crawl, whichever of its jobs added them, in the form of `GET /v1/pages`.
   * `GET /v1/crawls/{id}/pages`
   */
  listOfCrawl(
    id: string,
    query: {
      /** Only pages with this prefix. `http://site.test/docs/`: URLs of that scheme, host and port with that path prefix. Otherwise the prefix of a row key: `org.apache.` (every host below apache.org), `org.apache.nutch:` (one host, any scheme). */
      prefix?: string;
      /** Only pages of one host: `www.site.test`, or reversed, `test.site.www`, if the crawl has no host with that name. */
      host?: string;
      /** Statuses by name or number, separated by commas: `db_fetched,db_notmodified`. */
      status?: string;
      /** Only pages that are in this batch now (generate mark), or were last in it (batch id): its id, or its name as a segment. Pages that are in it now have `partition` in their metadata, and here `rank`: their position in it by score. */
      batch?: string;
      /** Maximum number of pages: 1 to 1000 as JSON; any number, or `all`, as application/x-ndjson. */
      limit?: string;
      /** A row key: `cursor` of the previous answer, or the `key` of the last line. Continues after it. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<PageList> {
    return this.transport.json<PageList>({
      method: 'GET',
      path: `/v1/crawls/${segment(id)}/pages`,
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * List the pages of a crawl
   * All pages of the crawl, whichever of its jobs added them, in the form of `GET /v1/pages`.
   * `GET /v1/crawls/{id}/pages`
   */
  listOfCrawlLines(
    id: string,
    query: {
      /** Only pages with this prefix. `http://site.test/docs/`: URLs of that scheme, host and port with that path prefix. Otherwise the prefix of a row key: `org.apache.` (every host below apache.org), `org.apache.nutch:` (one host, any scheme). */
      prefix?: string;
      /** Only pages of one host: `www.site.test`, or reversed, `test.site.www`, if the crawl has no host with that name. */
      host?: string;
      /** Statuses by name or number, separated by commas: `db_fetched,db_notmodified`. */
      status?: string;
      /** Only pages that are in this batch now (generate mark), or were last in it (batch id): its id, or its name as a segment. Pages that are in it now have `partition` in their metadata, and here `rank`: their position in it by score. */
      batch?: string;
      /** Maximum number of pages: 1 to 1000 as JSON; any number, or `all`, as application/x-ndjson. */
      limit?: string;
      /** A row key: `cursor` of the previous answer, or the `key` of the last line. Continues after it. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): AsyncIterableIterator<PageDto> {
    return this.transport.lines<PageDto>({
      method: 'GET',
      path: `/v1/crawls/${segment(id)}/pages`,
      accept: 'application/x-ndjson',
      query,
      options,
    });
  }

  /**
   * List broken links
   * Links to pages that are gone (db_gone) because their last visit failed, in the order of their source pages. Links to pages that robots.txt forbids do not count as broken, links of pages that are gone themselves are ignored, and pages that `db.update.purge.404` has removed are unknown. Each call reads the links of 1,000 pages, with `target` of 5,000, including links within a host, independent of stored inlinks. Links of other hosts to a page are the `inlinks` of `GET /v1/pages/{url}`.
   * `GET /v1/broken-links`
   */
  listBrokenLinks(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose normalizers are applied to the URL. */
      confId?: string;
      /** Only links on the pages of one host: `www.site.test`, or reversed, `test.site.www`. Default: every host; with `target`, the host of the target. */
      host?: string;
      /** Only links to this URL, which the crawl must know. */
      target?: string;
      /** Maximum number of links. */
      limit?: number;
      /** `cursor` of the previous answer: continues after it. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<BrokenLinkList> {
    return this.transport.json<BrokenLinkList>({
      method: 'GET',
      path: '/v1/broken-links',
      accept: 'application/json',
      query,
      options,
    });
  }
}
