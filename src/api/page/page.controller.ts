/** Pages of a crawl: filtered lists, and one page with its content or its text. */
import { Controller, Get, Param, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { ConfStore } from '../../conf/conf.store.js';
import { statusName } from '../../core/page/page-status.js';
import { knownCrawl } from '../../webpage/crawl.store.js';
import type { PageRow } from '../../core/page/page-row.js';
import { restored, unlessDamaged } from '../../webpage/damaged-page.js';
import { Needs } from '../access/access.guard.js';
import { Database } from '../database.js';
import { Heavy, confWithRules } from '../heavy/heavy.js';
import { refusalBy, refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { batchUnknown, confIdUnknown, crawlUnknown, pageUnknown, tooManyExports } from '../problem.js';
import { valueRefused } from '../refused-fields.js';
import { AdmittedQuery } from '../request/admit.js';
import { isBroken } from './broken-links.query.js';
import { findPage, rowKeyGiven } from './page-finder.js';
import { PageLists, PagesAnswer } from './page-list.js';
import { linkScoresOf } from './link-scores.query.js';
import { pageView } from './page-view.js';
import { PageDetail } from './page-detail.dto.js';
import type { PageList } from './page.dto.js';
import { pageDamaged, pageWithoutContent, pageWithoutText } from './page.problems.js';
import { type PageId, largeColumn, linksTo, readPageRest, visitsOf } from './page-detail.query.js';
import { PageQuery, PageTextQuery, PagesQuery, limitOf, rangeOfQuery } from './page-list.params.js';

const MAX_URL_IN_PATH = 4_096;

const UrlParam = () =>
  ApiParam({
    name: 'url',
    description: 'The URL, percent-encoded as one segment (`encodeURIComponent`).',
    example: 'http://example.org/',
    type: String,
  });
const unknownPage = pageUnknown('http://site.test/none', 'k1');
const invalidUrl = refusalBy(() => rowKeyGiven('url', 'site.test'));
const invalidId = refusalOf(PageQuery, { crawlId: 'a b' });

/** A number that no crawl has. */
const NO_CRAWL = -1;

@ApiTags('page')
@Controller('v1/pages')
export class PageController {
  constructor(
    private readonly database: Database,
    private readonly confs: ConfStore,
    private readonly lists: PageLists,
  ) {}

  @Get()
  @Needs('read')
  @Operation(
    'List pages',
    'Pages of a crawl in the order of their row keys. As JSON at most 1,000, with a cursor for the next ones. With ' +
      '`Accept: application/x-ndjson` one page per line, streamed as fast as the client reads, `limit=all` for every page; to continue after a broken connection, pass the `key` of the last complete line as `cursor`. ' +
      'Filters are combined with AND.',
  )
  @PagesAnswer()
  @Problems(refusalBy(() => limitOf('all', false)), tooManyExports(16), crawlUnknown('k9'), batchUnknown('b9'))
  async list(
    @AdmittedQuery(PagesQuery) query: PagesQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PageList | Buffer | StreamableFile> {
    const crawl = await knownCrawl(this.database.pool, query.crawlId);
    if (crawl === undefined) {
      // Errors of the query are reported first.
      await rangeOfQuery(this.database.pool, NO_CRAWL, { ...query, batch: '' });
      throw crawlUnknown(query.crawlId);
    }
    return this.lists.answer(crawl, query, request, response);
  }

  @Get(':url')
  @Heavy('query', confWithRules)
  @Needs('read')
  @UrlParam()
  @Operation(
    'Read a page',
    'The row of a URL, with its visits, the links to and from it, and the headers of the last response. The URL is looked up as given, and as normalized with the configuration.',
  )
  @ApiOkResponse({ description: 'The page.', type: PageDetail })
  @Problems(invalidUrl, invalidId, confIdUnknown('c9'), unknownPage)
  async read(@Param('url') url: string, @AdmittedQuery(PageQuery) query: PageQuery): Promise<PageDetail> {
    const { page, crawl } = await this.requirePage(url, query);
    const { pool } = this.database;
    const id = { crawl, host: page.host, key: page.key };
    const [history, links, rest, scores] = await Promise.all([
      visitsOf(pool, id),
      linksTo(pool, { ...id, broken: isBroken(page) }),
      readPageRest(pool, id),
      linkScoresOf(pool, crawl, [id]),
    ]);
    return { ...pageView(page, scores.get(page.key)), history, ...links, ...rest };
  }

  @Get(':url/content')
  @Heavy('query', confWithRules)
  @Needs('read')
  @UrlParam()
  @Operation(
    'Read the content of a page',
    'The bytes of the last response that had content, decompressed, always as an attachment of type application/octet-stream, so that no browser runs it on this site. Its original Content-Type is in the header `Orbweaver-Content-Type`.',
  )
  @ApiOkResponse({
    description: 'The bytes.',
    content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    headers: {
      'Orbweaver-Content-Type': { description: 'The original Content-Type.', schema: { type: 'string' } },
      'Content-Disposition': { description: 'Always `attachment`.', schema: { type: 'string' } },
    },
  })
  @Problems(
    invalidUrl,
    invalidId,
    confIdUnknown('c9'),
    unknownPage,
    pageWithoutContent('http://site.test/', 'db_unfetched'),
    pageDamaged('http://site.test/', 'content'),
  )
  async content(
    @Param('url') url: string,
    @AdmittedQuery(PageQuery) query: PageQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer> {
    const { page, crawl } = await this.requirePage(url, query);
    const content = await this.whole({ crawl, host: page.host, key: page.key }, 'content');
    if (content === null) throw pageWithoutContent(url, statusName(page.status));
    response.setHeader('Content-Type', 'application/octet-stream');
    response.setHeader('Content-Disposition', 'attachment; filename="content"');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    if (page.contentType) response.setHeader('Orbweaver-Content-Type', headerText(page.contentType));
    return content;
  }

  @Get(':url/text')
  @Heavy('query', confWithRules)
  @Needs('read')
  @UrlParam()
  @Operation(
    'Read the text of a page',
    'The text that PARSE extracted, in UTF-8; or the main content, as text or as Markdown, if it was stored.',
  )
  @ApiOkResponse({
    description: 'The text.',
    content: {
      'text/plain': { schema: { type: 'string' }, example: 'Documentation Start here' },
      'text/markdown': { schema: { type: 'string' }, example: '# Documentation\n\nStart here' },
    },
  })
  @Problems(
    invalidUrl,
    invalidId,
    confIdUnknown('c9'),
    unknownPage,
    pageWithoutText('http://site.test/', 'db_unfetched'),
    pageDamaged('http://site.test/', 'text'),
  )
  async text(
    @Param('url') url: string,
    @AdmittedQuery(PageTextQuery) { as, ...query }: PageTextQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Buffer> {
    const { page, crawl } = await this.requirePage(url, query);
    const id = { crawl, host: page.host, key: page.key };
    const text = as === 'text' ? await this.whole(id, 'text') : keptForm(page, as);
    if (text === null) throw pageWithoutText(url, statusName(page.status));
    response.setHeader('Content-Type', as === 'markdown' ? 'text/markdown' : 'text/plain');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    return text;
  }

  private async whole(id: PageId, column: 'content' | 'text'): Promise<Buffer | null> {
    const bytes = await largeColumn(this.database.pool, id, column);
    if (!bytes) return null;
    return unlessDamaged(restored(id, column, bytes), ({ url }) => {
      throw pageDamaged(url, column);
    });
  }

  private async requirePage(url: string, { crawlId, confId }: PageQuery): Promise<{ page: PageRow; crawl: number }> {
    if (url.length > MAX_URL_IN_PATH || url.includes('\0'))
      throw valueRefused('url', url, `a URL of at most ${MAX_URL_IN_PATH} characters, without NUL`);
    const { pool } = this.database;
    const crawl = await knownCrawl(pool, crawlId);
    const page = await findPage({ pool, confs: this.confs }, crawl, { field: 'url', url, confId });
    if (page === undefined || crawl === undefined) throw pageUnknown(url, crawlId);
    return { page, crawl };
  }
}

/** The main content of a page, which PARSE stores in the metadata; null if it did not. */
function keptForm(page: PageRow, form: 'readable' | 'markdown'): Buffer | null {
  const kept = page.metadata?.[form];
  return typeof kept === 'string' ? Buffer.from(kept) : null;
}

/** The value of a crawled header for a header of this server: printable ASCII, truncated. */
const headerText = (text: string) => text.slice(0, 256).replaceAll(/[^\x20-\x7e]/g, '?');
