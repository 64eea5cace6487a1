import { Controller, Get, Param, Query, Req, Res, type StreamableFile } from '@nestjs/common';
import { ApiQuery, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Needs } from '../access/access.guard.js';
import { CrawlNames } from '../crawl/crawl-names.js';
import { crawlOrJobUnknown } from '../crawl/crawl.problems.js';
import { refusalBy } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { batchUnknown, tooManyExports } from '../problem.js';
import { admitQuery } from '../request/admit.js';
import { CrawlNameParam } from '../request/ids.js';
import { PageLists, PagesAnswer } from './page-list.js';
import type { PageList } from './page.dto.js';
import { CrawlPagesQuery, limitOf } from './page-list.params.js';

@ApiTags('page')
@Controller('v1/crawls')
export class CrawlPagesController {
  constructor(
    private readonly names: CrawlNames,
    private readonly lists: PageLists,
  ) {}

  @Get(':id/pages')
  @Needs('read')
  @CrawlNameParam()
  @ApiQuery({ type: CrawlPagesQuery })
  @Operation(
    'List the pages of a crawl',
    'All pages of the crawl, whichever of its jobs added them, in the form of `GET /v1/pages`.',
  )
  @PagesAnswer()
  @Problems(crawlOrJobUnknown('k9'), refusalBy(() => limitOf('all', false)), tooManyExports(16), batchUnknown('b9'))
  async listOfCrawl(
    @Param('id') id: string,
    @Query() query: Request['query'],
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PageList | Buffer | StreamableFile> {
    const { crawl } = await this.names.find(id);
    return this.lists.answer(crawl, admitQuery(CrawlPagesQuery, query), request, response);
  }
}
