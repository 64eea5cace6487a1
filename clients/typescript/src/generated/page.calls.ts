/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type Bytes, type CallOptions, type Transport } from '../transport.js';
import type { BrokenLinkList, PageDetail, PageDto, PageList } from './schemas.js';

/** Calls of the group `page`. */
export class PageCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List pages
   * Pages of a crawl in the order of their row keys. As JSON at most 1,000, with a cursor that goes on behind them. With `Accept: application/x-ndjson` one page a line, streamed as fast as it is read, `limit=all` for every page; to go on after a cut, give the `key` of the last whole line as `cursor`. Filters hold together.
   * `GET /v1/pages`
   */
  list(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Pages that begin so. `http://site.test/docs/`: URLs of that scheme, host and port whose path begins so. Otherwise the beginning of a row key: `org.apache.` (every host below apache.org), `org.apache.nutch:` (one host, any scheme). */
      prefix?: string;
      /** Pages of one host: `www.site.test`, or reversed, `test.site.www`, where the crawl has no host of the name. */
      host?: string;
      /** Statuses by name or number, separated by commas: `db_fetched,db_notmodified`. */
      status?: string;
      /** Pages that are in this batch now (generate mark), or were in it last (batch id): its id, or its name as a segment. Those that are in it have `partition` in their metadata, and here `rank`: the position in it by score. */
      batch?: string;
      /** Pages at most: 1 to 1000 as JSON; any number, or `all`, as application/x-ndjson. */
      limit?: string;
      /** `cursor` of the answer before, or the `key` of the last line: goes on behind it. */
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
   * Pages of a crawl in the order of their row keys. As JSON at most 1,000, with a cursor that goes on behind them. With `Accept: application/x-ndjson` one page a line, streamed as fast as it is read, `limit=all` for every page; to go on after a cut, give the `key` of the last whole line as `cursor`. Filters hold together.
   * `GET /v1/pages`
   */
  listLines(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Pages that begin so. `http://site.test/docs/`: URLs of that scheme, host and port whose path begins so. Otherwise the beginning of a row key: `org.apache.` (every host below apache.org), `org.apache.nutch:` (one host, any scheme). */
      prefix?: string;
      /** Pages of one host: `www.site.test`, or reversed, `test.site.www`, where the crawl has no host of the name. */
      host?: string;
      /** Statuses by name or number, separated by commas: `db_fetched,db_notmodified`. */
      status?: string;
      /** Pages that are in this batch now (generate mark), or were in it last (batch id): its id, or its name as a segment. Those that are in it have `partition` in their metadata, and here `rank`: the position in it by score. */
      batch?: string;
      /** Pages at most: 1 to 1000 as JSON; any number, or `all`, as application/x-ndjson. */
      limit?: string;
      /** `cursor` of the answer before, or the `key` of the last line: goes on behind it. */
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
   * The row of a URL, with its visits, the links to and from it, and the headers of the last answer. The URL may be written as the normalizers of the configuration would write it.
   * `GET /v1/pages/{url}`
   */
  read(
    url: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose normalizers read the URL. */
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
   * The bytes of the last answer that had some, without its content coding, always as an attachment of type application/octet-stream: nothing in it may run here. The Content-Type it came with is in the header `Orbweaver-Content-Type`.
   * `GET /v1/pages/{url}/content`
   */
  content(
    url: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose normalizers read the URL. */
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
   * The text that parsing found, in UTF-8; or its main content, as text or as Markdown, where it was kept.
   * `GET /v1/pages/{url}/text`
   */
  text(
    url: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose normalizers read the URL. */
      confId?: string;
      /** text: all of it; readable: the main content (`parse.readable`); markdown: the same as Markdown (`parse.markdown`). */
      as?: string;
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
   * The text that parsing found, in UTF-8; or its main content, as text or as Markdown, where it was kept.
   * `GET /v1/pages/{url}/text`
   */
  textBytes(
    url: string,
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose normalizers read the URL. */
      confId?: string;
      /** text: all of it; readable: the main content (`parse.readable`); markdown: the same as Markdown (`parse.markdown`). */
      as?: string;
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
   * All pages of the crawl, by whichever of its jobs they came: as `GET /v1/pages` lists them.
   * `GET /v1/crawls/{id}/pages`
   */
  listOfCrawl(
    id: string,
    query: {
      /** Pages that begin so. `http://site.test/docs/`: URLs of that scheme, host and port whose path begins so. Otherwise the beginning of a row key: `org.apache.` (every host below apache.org), `org.apache.nutch:` (one host, any scheme). */
      prefix?: string;
      /** Pages of one host: `www.site.test`, or reversed, `test.site.www`, where the crawl has no host of the name. */
      host?: string;
      /** Statuses by name or number, separated by commas: `db_fetched,db_notmodified`. */
      status?: string;
      /** Pages that are in this batch now (generate mark), or were in it last (batch id): its id, or its name as a segment. Those that are in it have `partition` in their metadata, and here `rank`: the position in it by score. */
      batch?: string;
      /** Pages at most: 1 to 1000 as JSON; any number, or `all`, as application/x-ndjson. */
      limit?: string;
      /** `cursor` of the answer before, or the `key` of the last line: goes on behind it. */
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
   * All pages of the crawl, by whichever of its jobs they came: as `GET /v1/pages` lists them.
   * `GET /v1/crawls/{id}/pages`
   */
  listOfCrawlLines(
    id: string,
    query: {
      /** Pages that begin so. `http://site.test/docs/`: URLs of that scheme, host and port whose path begins so. Otherwise the beginning of a row key: `org.apache.` (every host below apache.org), `org.apache.nutch:` (one host, any scheme). */
      prefix?: string;
      /** Pages of one host: `www.site.test`, or reversed, `test.site.www`, where the crawl has no host of the name. */
      host?: string;
      /** Statuses by name or number, separated by commas: `db_fetched,db_notmodified`. */
      status?: string;
      /** Pages that are in this batch now (generate mark), or were in it last (batch id): its id, or its name as a segment. Those that are in it have `partition` in their metadata, and here `rank`: the position in it by score. */
      batch?: string;
      /** Pages at most: 1 to 1000 as JSON; any number, or `all`, as application/x-ndjson. */
      limit?: string;
      /** `cursor` of the answer before, or the `key` of the last line: goes on behind it. */
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
   * Links to pages that are gone (db_gone) because their last visit failed, with the pages that have them, in the order of these. What robots.txt forbids is not broken, pages that are gone themselves link nowhere, and what `db.update.purge.404` has removed is not known. Read from the links of 1,000 pages a call, with `target` of 5,000, links inside a host and all, whatever inlinks are stored. Links of other hosts to a page are the `inlinks` of `GET /v1/pages/{url}`.
   * `GET /v1/broken-links`
   */
  listBrokenLinks(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Configuration whose normalizers read the URL. */
      confId?: string;
      /** Links on the pages of one host: `www.site.test`, or reversed, `test.site.www`. Default: of every host; with `target` of its own. */
      host?: string;
      /** Only links to this URL, which the crawl must know. */
      target?: string;
      /** Links at most. */
      limit?: number;
      /** `cursor` of the answer before: goes on behind it. */
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
