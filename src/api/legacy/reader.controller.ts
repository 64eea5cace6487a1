/**
 * The readers of 1.x. They take a path of a file on the server; here everything is in tables and no path of a request
 * reaches the file system, so they say where the same data is.
 */
import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { Needs } from '../access/access.guard.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { Takes } from '../request/body.interceptor.js';
import { notOfferedYet } from './legacy.problems.js';

/** Fields of a row and their types, as 1.x names them. */
const linkFields = {
  key_url: 'string',
  timestamp: 'int',
  score: 'float',
  anchor: 'string',
  linktype: 'string',
  url: 'string',
};
const nodeFields = {
  key_url: 'string',
  num_inlinks: 'int',
  num_outlinks: 'int',
  inlink_score: 'float',
  outlink_score: 'float',
  metadata: 'string',
};

const noSequences = notOfferedYet(
  'POST /reader/sequence/read',
  'Pages are rows, not files: use GET /v1/pages with "Accept: application/x-ndjson", or POST /db/crawldb with type dump.',
);
const noLinks = notOfferedYet(
  'POST /reader/link/read',
  'The links to and from a page are in GET /v1/pages/{url}; those of all fetched pages in GET /db/fetchdb.',
);
const noNodes = notOfferedYet(
  'POST /reader/node/read',
  'Scores, ranks and numbers of links are in GET /v1/pages (`ranks`), the best scores in POST /db/crawldb with type topN; links in GET /v1/pages/{url}.',
);

const later = (what: string) => ({
  description: `${what}, as NutchServer answers; not offered yet: the answer is 501.`,
  schema: { type: 'array' as const, items: { type: 'object' as const, additionalProperties: true } },
});
const fieldsAnswer = (fields: Record<string, string>) => ({
  description: 'Type of each field.',
  schema: { type: 'object' as const, additionalProperties: { type: 'string' as const }, example: fields },
});

@ApiTags('legacy')
@Controller('reader')
export class ReaderController {
  @Post('sequence/read')
  @Needs('read')
  @HttpCode(200)
  @Takes('none')
  @Operation('Read a sequence file (1.x)', 'Not offered yet: answers 501 and says what serves instead.')
  @ApiOkResponse(later('Rows'))
  @Problems(noSequences)
  readSequence(): never {
    throw noSequences;
  }

  @Get('link')
  @Needs('read')
  @Operation('Fields of a link of the webgraph (1.x)', 'The names and types of the fields, as in the original.')
  @ApiOkResponse(fieldsAnswer(linkFields))
  describeLink(): Record<string, string> {
    return linkFields;
  }

  @Post('link/read')
  @Needs('read')
  @HttpCode(200)
  @Takes('none')
  @Operation('Read links of the webgraph (1.x)', 'Not offered yet: answers 501 and says what serves instead.')
  @ApiOkResponse(later('Links'))
  @Problems(noLinks)
  readLinks(): never {
    throw noLinks;
  }

  @Get('node')
  @Needs('read')
  @Operation('Fields of a node of the webgraph (1.x)', 'The names and types of the fields, as in the original.')
  @ApiOkResponse(fieldsAnswer(nodeFields))
  describeNode(): Record<string, string> {
    return nodeFields;
  }

  @Post('node/read')
  @Needs('read')
  @HttpCode(200)
  @Takes('none')
  @Operation('Read nodes of the webgraph (1.x)', 'Not offered yet: answers 501 and says what serves instead.')
  @ApiOkResponse(later('Nodes'))
  @Problems(noNodes)
  readNodes(): never {
    throw noNodes;
  }
}
