/**
 * `/db`, as in NutchServer: rows of the web table by keys or batch, the reports of the CrawlDbReader, and the pages of fetch
 * lists.
 */
import { Body, Controller, Get, HttpCode, Post, Req, Res, StreamableFile } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Needs } from '../access/access.guard.js';
import { AnswerStreams } from '../answer/answer-streams.js';
import { Database } from '../database.js';
import { type CrawlStats, crawlStats } from '../../webpage/crawl-stats.js';
import { Heavy, singleAnswerOfLargeConf } from '../heavy/heavy.js';
import { refusalBy, refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { rowKeyGiven } from '../page/page-finder.js';
import { requireBatch } from '../request/require-crawl.js';
import { batchUnknown, bodyRefused, confIdUnknown, crawlUnknown, pageUnknown, tooManyExports } from '../problem.js';
import { AdmittedQuery, admit } from '../request/admit.js';
import { notice } from '../request/notice.js';
import {
  dumpArgs,
  isFlagSet,
  numberArg,
  requiredTextArg,
  typeOf,
  unusedQueryArgs,
  wholeNumberArg,
} from './crawldb-args.js';
import { crawlDbExamples } from './crawldb.examples.js';
import { DbFilter, DbQuery, DbQueryResult, FetchDbQuery, FetchNodeDbInfo } from './db.dto.js';
import { CrawlDbReader, rangeOfFilter } from './crawldb-reader.js';
import { type PageRow, publicMetadata } from '../../core/page/page-row.js';

const MAX_TOP_N = 1_000_000;
const MAX_HOSTS = 10_000;

/** A validated request of `POST /db/crawldb`. */
interface CrawlDbRequest extends Pick<DbQuery, 'args' | 'crawlId' | 'confId'> {
  /** Undefined for a crawl to which nothing was ever written. */
  crawl: number | undefined;
  request: Request;
}

type CrawlDbAnswer = CrawlStats | Record<string, unknown> | Buffer | StreamableFile;

@ApiTags('db')
@ApiExtraModels(DbQueryResult, FetchNodeDbInfo)
@Controller('db')
export class DbController {
  constructor(
    private readonly database: Database,
    private readonly reader: CrawlDbReader,
    private readonly streams: AnswerStreams,
  ) {}

  /** The method that answers a request of `POST /db/crawldb`, by its type. */
  private readonly answers: Record<ReturnType<typeof typeOf>, (request: CrawlDbRequest) => Promise<CrawlDbAnswer>> = {
    stats: (request) => this.stats(request),
    url: (request) => this.datum(request),
    topN: (request) => this.topN(request),
    dump: (request) => this.dump(request),
  };

  @Post()
  @Needs('read')
  @HttpCode(200)
  @ApiBody({ type: DbFilter })
  @Operation(
    'Read pages (2.x)',
    'Pages of a crawl in the order of their row keys, streamed, at most `limit`; `cursor` continues after the last one. Status codes are those of 2.x (38 for not modified).',
  )
  @ApiOkResponse({ description: 'The pages.', type: DbQueryResult })
  @Problems(
    refusalBy(() => rowKeyGiven('startKey', 'site.test')),
    refusalOf(DbFilter, { limit: 0 }),
    tooManyExports(16),
  )
  async query(@Body() body: unknown, @Req() request: Request): Promise<Buffer | StreamableFile> {
    const filter = admit(DbFilter, body ?? {}).value;
    rangeOfFilter(filter);
    const crawl = await this.reader.crawlNumber(filter.crawlId);
    const texts = (signal: AbortSignal) => this.reader.query(crawl, filter, signal);
    return this.streams.answer(request, texts, { type: 'application/json', pages: filter.limit });
  }

  @Post('crawldb')
  @Heavy('query', singleAnswerOfLargeConf)
  @Needs('read')
  @HttpCode(200)
  @ApiBody({ type: DbQuery, examples: crawlDbExamples })
  @Operation(
    'Query the page table (1.x)',
    '`stats`: counts by status (exact), scores and retries (with the time they were computed). `url`: one page. `dump`: pages as text, streamed; with `parts`, parts of a segment. `topN`: the pages with the highest scores. For a crawl to which nothing was ever written, statistics and topN are empty; a dump of it, or of an unknown batch, is 404.',
  )
  @ApiOkResponse({
    description: 'stats and url: JSON. dump and topN: the lines of the file.',
    content: {
      'application/json': {
        schema: { type: 'object', additionalProperties: true },
        example: {
          totalUrls: '1',
          minScore: '1.0',
          maxScore: '1.0',
          avgScore: '1.0',
          status: { '1': { statusValue: 'db_unfetched', count: '1' } },
        },
      },
      'application/octet-stream': { schema: { type: 'string', format: 'binary' } },
    },
  })
  @Problems(
    refusalBy(() => typeOf('all')),
    refusalOf(DbQuery, { type: 'stats', crawlId: 'a b' }),
    bodyRefused('it is empty'),
    confIdUnknown('c9'),
    pageUnknown('http://site.test/none', 'k1'),
    crawlUnknown('k9'),
    batchUnknown('b9'),
    tooManyExports(16),
  )
  async crawlDb(
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CrawlDbAnswer> {
    if (body === undefined || body === null) throw bodyRefused('it is empty');
    const { type: typeName, args, crawlId, confId } = admit(DbQuery, body).value;
    const type = typeOf(typeName);
    notice(response, unusedQueryArgs(type, args));
    await this.reader.requireConf(confId);
    const crawl = await this.reader.crawlNumber(crawlId);
    return this.answers[type]({ crawl, crawlId, confId, args, request });
  }

  @Get('fetchdb')
  @Needs('read')
  @Operation(
    'Fetched pages and their links (1.x)',
    'Entries `from` to `to` (inclusive, numbered from 1, in the order of their row keys; `to` 0 or too large: all), streamed.',
  )
  @ApiOkResponse({
    description: 'The entries.',
    schema: { type: 'array', items: { $ref: getSchemaPath(FetchNodeDbInfo) } },
  })
  @Problems(refusalOf(FetchDbQuery, { from: 'x' }), tooManyExports(16))
  async fetchDb(
    @AdmittedQuery(FetchDbQuery) { from, to, crawlId }: FetchDbQuery,
    @Req() request: Request,
  ): Promise<Buffer | StreamableFile> {
    const crawl = await (crawlId === undefined ? this.reader.crawlOfFetch() : this.reader.crawlNumber(crawlId));
    const texts = (signal: AbortSignal) => this.reader.fetchedPages(crawl, { from, to, signal });
    return this.streams.answer(request, texts, { type: 'application/json', pages: to === 0 ? Infinity : to });
  }

  private async stats({ crawl, args, confId }: CrawlDbRequest): Promise<CrawlStats> {
    const sorted = isFlagSet(args, 'sort')
      ? { hosts: MAX_HOSTS, quantiles: await this.reader.quantiles(confId) }
      : null;
    return crawlStats(this.database.pool, crawl, sorted);
  }

  private async datum({ crawl, crawlId, confId, args }: CrawlDbRequest): Promise<Record<string, unknown>> {
    const url = requiredTextArg(args, 'url');
    const page = await this.reader.page(crawl, url, confId);
    if (page === undefined) throw pageUnknown(url, crawlId);
    return datumOf(page);
  }

  private async topN({ crawl, args, request }: CrawlDbRequest): Promise<Buffer | StreamableFile> {
    const max = wholeNumberArg(args, 'nnn', { min: 1, max: MAX_TOP_N, otherwise: 10 });
    const minScore = numberArg(args, 'min', { min: -1e12, max: 1e12, otherwise: -1e12 });
    const lines = (signal: AbortSignal) => this.reader.topN(crawl, { max, minScore, signal });
    return this.streams.answer(request, lines, { type: 'application/octet-stream', pages: max });
  }

  private async dump({ crawl, crawlId, args, request }: CrawlDbRequest): Promise<Buffer | StreamableFile> {
    const { format, status, retries, batch: named, parts, keep } = dumpArgs(args);
    if (crawl === undefined) throw crawlUnknown(crawlId);
    const batch = named === undefined ? named : await requireBatch(this.database.pool, crawl, named);
    const range = { crawl, status, retries, batch };
    const texts = (signal: AbortSignal) =>
      parts === undefined
        ? this.reader.dump({ ...range, signal }, format, keep)
        : this.reader.segment({ ...range, batch: batch!, signal }, parts, keep);
    return this.streams.answer(request, texts, { type: 'application/octet-stream', pages: Infinity });
  }
}

/** A page as a CrawlDatum: times in ms since the epoch, the interval in seconds. */
function datumOf(page: PageRow): Record<string, unknown> {
  return {
    status: page.status,
    fetchTime: page.fetchTime.getTime(),
    prevFetchTime: page.prevFetchTime?.getTime() ?? 0,
    modifiedTime: page.modifiedTime?.getTime() ?? 0,
    retriesSinceFetch: page.retriesSinceFetch,
    retryInterval: page.fetchInterval,
    score: page.score,
    signature: page.signature,
    metadata: publicMetadata(page) ?? {},
  };
}
