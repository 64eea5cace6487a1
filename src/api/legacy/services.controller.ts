/**
 * The CommonCrawl dumps of 1.x, where they were files on the server. Here a dump is only a name, made of the crawl and a time:
 * `POST /reader/sequence/read` reads the pages that were fetched up to then. So creating one writes nothing.
 */
import { Body, Controller, Get, Header, HttpCode, Param, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiParam, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Needs } from '../access/access.guard.js';
import { Database } from '../database.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { bodyRefused, crawlUnknown } from '../problem.js';
import { admit } from '../request/admit.js';
import { Takes } from '../request/body.interceptor.js';
import { requireCrawl } from '../request/require-crawl.js';
import { dumpPath } from './dump-names.js';
import { endOfLastFetch } from './last-fetch.query.js';
import { ServiceConfig, ServiceInfo } from './services.dto.js';

const LIST_TEXT =
  'The dump of the pages fetched up to the end of the last FETCH; none before the first FETCH has ended.';
const MAKE_TEXT =
  'Returns the name of a dump of the pages fetched up to now. Nothing is written: `POST /reader/sequence/read` reads the pages by that name.';
const pathAnswer = {
  description: 'The name of the dump.',
  schema: { type: 'string' as const, example: 'k1/dump/commoncrawl-20251124134001' },
};

@ApiTags('legacy')
@Controller('services/commoncrawldump')
export class ServicesController {
  constructor(private readonly database: Database) {}

  @Get()
  @Needs('read')
  @Operation('List CommonCrawl dumps of the crawl without a name (1.x)', LIST_TEXT)
  @ApiOkResponse({ description: 'The names of the dumps.', type: ServiceInfo })
  list(): Promise<ServiceInfo> {
    return this.listOfCrawl('');
  }

  @Get(':crawlId')
  @Needs('read')
  @ApiParam({ name: 'crawlId', description: 'The crawl.', example: 'k1', type: String })
  @Operation('List CommonCrawl dumps of a crawl (1.x)', LIST_TEXT)
  @ApiOkResponse({ description: 'The names of the dumps.', type: ServiceInfo })
  @Problems(crawlUnknown('k9'))
  async listOfCrawl(@Param('crawlId') crawlId: string): Promise<ServiceInfo> {
    await requireCrawl(this.database.pool, crawlId);
    const end = await endOfLastFetch(this.database.pool, crawlId);
    return { dumpPaths: end === undefined ? [] : [dumpPath(crawlId, end)] };
  }

  @Post()
  @Needs('run')
  @HttpCode(200)
  @ApiBody({ type: ServiceConfig })
  @Header('Content-Type', 'text/plain')
  @ApiProduces('text/plain')
  @Operation('Create a CommonCrawl dump (1.x)', MAKE_TEXT)
  @ApiOkResponse(pathAnswer)
  @Problems(crawlUnknown('k9'), bodyRefused('it is empty'), refusalOf(ServiceConfig, { crawlId: 'k1', args: 'x' }))
  async create(@Body() body: unknown): Promise<string> {
    if (body === undefined || body === null) throw bodyRefused('it is empty');
    return this.createOfCrawl(admit(ServiceConfig, body).value.crawlId);
  }

  @Post(':crawlId')
  @Needs('run')
  @HttpCode(200)
  @Takes('none')
  @ApiParam({ name: 'crawlId', description: 'The crawl.', example: 'k1', type: String })
  @Header('Content-Type', 'text/plain')
  @ApiProduces('text/plain')
  @Operation('Create a CommonCrawl dump of a crawl (1.x)', MAKE_TEXT)
  @ApiOkResponse(pathAnswer)
  @Problems(crawlUnknown('k9'))
  async createOfCrawl(@Param('crawlId') crawlId: string): Promise<string> {
    await requireCrawl(this.database.pool, crawlId);
    return dumpPath(crawlId, new Date());
  }
}
