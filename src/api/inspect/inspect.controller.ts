import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Needs } from '../access/access.guard.js';
import { Problems } from '../openapi/problem-answers.js';
import { PageDto } from '../page/page.dto.js';
import { bodyRefused, confIdUnknown, fieldsInvalid } from '../problem.js';
import { admit } from '../request/admit.js';
import { Takes } from '../request/body.interceptor.js';
import { inspectBusy } from './inspect.problems.js';
import { UrlInspector } from './url-inspector.js';
import { InspectUrl, InspectedUrl } from './url.dto.js';

/** The body of a question. Throws BODY_REFUSED for none. */
const present = (body: unknown): unknown => {
  if (body === undefined || body === null) throw bodyRefused('it is empty');
  return body;
};

@ApiTags('inspect')
@ApiExtraModels(PageDto)
@Controller('v1/inspect')
export class InspectController {
  constructor(private readonly urls: UrlInspector) {}

  @Post('url')
  @Needs('read')
  @HttpCode(200)
  @Takes('inspect')
  @ApiBody({ type: InspectUrl })
  @ApiOperation({
    summary: 'Ask why (not) a URL is fetched',
    description:
      'The way of a URL through normalizers and filters, its row, and every reason that keeps it from being fetched now, by the code of the jobs themselves. Changes nothing. Names are resolved (1 s at most) so that the egress guard can judge their addresses; other servers are asked with `robots` only.',
  })
  @ApiOkResponse({ description: 'What was found.', type: InspectedUrl })
  @Problems(
    bodyRefused('it is empty'),
    fieldsInvalid('scope must be one of the following values: default, inject, outlink, … (given: "seed").'),
    confIdUnknown('c9'),
    inspectBusy(8),
  )
  url(@Body() body: unknown): Promise<InspectedUrl> {
    return this.urls.inspect(admit(InspectUrl, present(body)).value);
  }
}
