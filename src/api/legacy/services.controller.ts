import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import { Needs } from '../access/access.guard.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { Takes } from '../request/body.interceptor.js';
import { notOfferedYet } from './legacy.problems.js';

const INSTEAD =
  'Use GET /v1/pages with "Accept: application/x-ndjson" for the pages and GET /v1/pages/{url}/content for their bytes.';
const noDumps = notOfferedYet('GET /services/commoncrawldump', INSTEAD);
const noDumping = notOfferedYet('POST /services/commoncrawldump', INSTEAD);

/** Services of 1.x that write files on the server. */
@ApiTags('legacy')
@Controller('services/commoncrawldump')
export class ServicesController {
  @Get()
  @Needs('read')
  @Operation('List CommonCrawl dumps (1.x)', 'Not offered yet: answers 501 and says what serves instead.')
  @ApiOkResponse({ description: 'Paths, as NutchServer answers; not offered yet: the answer is 501.' })
  @Problems(noDumps)
  list(): never {
    throw noDumps;
  }

  @Get(':crawlId')
  @Needs('read')
  @ApiParam({ name: 'crawlId', description: 'The crawl.', example: 'k1', type: String })
  @Operation('List CommonCrawl dumps of a crawl (1.x)', 'Not offered yet: answers 501 and says what serves instead.')
  @ApiOkResponse({
    description: 'Paths, as NutchServer answers; not offered yet: the answer is 501.',
    schema: { type: 'object', properties: { dumpPaths: { type: 'array', items: { type: 'string' } } } },
  })
  @Problems(noDumps)
  listOfCrawl(): never {
    throw noDumps;
  }

  @Post()
  @Needs('run')
  @HttpCode(200)
  @Takes('none')
  @Operation('Write a CommonCrawl dump (1.x)', 'Not offered yet: answers 501 and says what serves instead.')
  @ApiOkResponse({ description: 'A path, as NutchServer answers; not offered yet: the answer is 501.' })
  @Problems(noDumping)
  create(): never {
    throw noDumping;
  }

  @Post(':crawlId')
  @Needs('run')
  @HttpCode(200)
  @Takes('none')
  @ApiParam({ name: 'crawlId', description: 'The crawl.', example: 'k1', type: String })
  @Operation('Write a CommonCrawl dump of a crawl (1.x)', 'Not offered yet: answers 501 and says what serves instead.')
  @ApiOkResponse({ description: 'A path, as NutchServer answers; not offered yet: the answer is 501.' })
  @Problems(noDumping)
  createOfCrawl(): never {
    throw noDumping;
  }
}
