/** How pages of a crawl are answered: a list with a cursor, or JSON lines as they are read. */
import { Injectable, type StreamableFile, applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiProduces, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { AnswerStreams } from '../answer/answer-streams.js';
import { Database } from '../database.js';
import { pageLines, pageList } from './page-list.js';
import { PageDto, PageList } from './page.dto.js';
import { type CrawlPagesQuery, limitOf, rangeOf } from './pages-query.js';

const NDJSON = 'application/x-ndjson';

/** What an address says of such an answer. */
export const PagesAnswer = () =>
  applyDecorators(
    ApiExtraModels(PageDto, PageList),
    ApiProduces('application/json', NDJSON),
    ApiOkResponse({
      description: 'The pages.',
      content: {
        'application/json': { schema: { $ref: getSchemaPath(PageList) } },
        [NDJSON]: { schema: { $ref: getSchemaPath(PageDto) } },
      },
    }),
  );

@Injectable()
export class PageLists {
  constructor(
    private readonly database: Database,
    private readonly streams: AnswerStreams,
  ) {}

  /** The pages of a crawl, in the form that the client accepts. Throws FIELDS_INVALID, TOO_MANY_EXPORTS. */
  async answer(
    crawl: number,
    asked: CrawlPagesQuery,
    request: Request,
    response: Response,
  ): Promise<PageList | Buffer | StreamableFile> {
    const streamed = request.accepts(['application/json', NDJSON]) === NDJSON;
    const limit = limitOf(asked.limit, streamed);
    response.setHeader('Vary', 'Accept');
    const { pool } = this.database;
    const range = await rangeOf(pool, crawl, asked);
    if (!streamed) return pageList(pool, range, limit);
    const lines = (signal: AbortSignal) => pageLines(pool, { ...range, signal }, limit);
    return this.streams.answer(request, lines, { type: NDJSON, pages: limit });
  }
}
