import { Controller, Get, Req, applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Needs } from '../access/access.guard.js';
import { clientOf } from '../access/client-identity.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { batchUnknown, confIdUnknown, crawlUnknown } from '../problem.js';
import { AdmittedQuery } from '../request/admit.js';
import { whileConnected } from '../request/while-connected.js';
import { FacetCount, SearchAnswer, SearchQuery } from './search.dto.js';
import { crawlNotNamed, searchesTooMany } from './search.problems.js';
import { Searches } from './searches.js';

const Described = () =>
  applyDecorators(
    Needs('read'),
    Operation(
      'Search the documents of a crawl',
      'Searches the built-in index, which INDEX writes, and returns the best matching documents, best first. Pages that contain all words rank highest, especially if the title consists of them; a page that contains any one of the words is found.',
    ),
    ApiExtraModels(FacetCount),
    ApiOkResponse({ description: 'The hits.', type: SearchAnswer }),
    Problems(
      refusalOf(SearchQuery, { q: 'crawler', limit: '5000' }),
      crawlNotNamed('"k1", "k2"'),
      confIdUnknown('c9'),
      crawlUnknown('k9'),
      batchUnknown('b9'),
      searchesTooMany(8, ' of this key'),
    ),
  );

@ApiTags('search')
@Controller('v1/search')
export class SearchController {
  constructor(private readonly searches: Searches) {}

  @Get()
  @Described()
  search(@AdmittedQuery(SearchQuery) query: SearchQuery, @Req() request: Request): Promise<SearchAnswer | undefined> {
    return whileConnected(request.res!, (gone) => this.searches.answer(clientOf(request), query, gone));
  }
}

/** Search under the short path `/search`. */
@ApiTags('search')
@Controller('search')
export class ShortSearchController {
  constructor(private readonly searches: Searches) {}

  @Get()
  @Described()
  searchHere(
    @AdmittedQuery(SearchQuery) query: SearchQuery,
    @Req() request: Request,
  ): Promise<SearchAnswer | undefined> {
    return whileConnected(request.res!, (gone) => this.searches.answer(clientOf(request), query, gone));
  }
}
