/** Answers with the pages of a crawl: a list with a cursor, or a stream of JSON lines. */
import { Injectable, type StreamableFile, applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiProduces, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Pool } from 'pg';
import type { PageRange } from '../../core/page/page-range.js';
import type { PageRow } from '../../core/page/page-row.js';
import { scanPages } from '../../webpage/page-scan.sql.js';
import { AnswerStreams } from '../answer/answer-streams.js';
import { Database } from '../database.js';
import { listPage } from '../request/list-cursor.js';
import { linkScoresOf } from './link-scores.query.js';
import { pageView } from './page-view.js';
import { PageDto, PageList } from './page.dto.js';
import { type CrawlPagesQuery, limitOf, rangeOfQuery } from './page-list.params.js';

const NDJSON = 'application/x-ndjson';

/** The description of such an answer. */
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
    query: CrawlPagesQuery,
    request: Request,
    response: Response,
  ): Promise<PageList | Buffer | StreamableFile> {
    const streamed = request.accepts(['application/json', NDJSON]) === NDJSON;
    const limit = limitOf(query.limit, streamed);
    response.setHeader('Vary', 'Accept');
    const { pool } = this.database;
    const range = await rangeOfQuery(pool, crawl, query);
    if (!streamed) return pageList(pool, range, limit);
    const lines = (signal: AbortSignal) => pageLines(pool, { ...range, signal }, limit);
    return this.streams.answer(request, lines, { type: NDJSON, pages: limit });
  }
}

/** The first pages of a range, and the cursor: null when there are no more. */
export async function pageList(pool: Pool, range: PageRange, limit: number): Promise<PageList> {
  const pages = [];
  // One more is read than is returned: it shows whether there is a next page.
  for await (const chunk of scanPages(pool, range, 'row', limit + 1)) {
    pages.push(...chunk);
    if (pages.length > limit) break;
  }
  const { items, cursor } = listPage(pages, limit, ({ key }) => key);
  return { pages: await viewsOf(pool, range, items), cursor };
}

async function viewsOf(pool: Pool, { crawl }: PageRange, pages: readonly PageRow[]): Promise<PageDto[]> {
  const scores = await linkScoresOf(pool, crawl, pages);
  return pages.map((page) => pageView(page, scores.get(page.key)));
}

/** Pages of a range, one JSON object per line, read as they are sent. */
export async function* pageLines(pool: Pool, range: PageRange, limit: number): AsyncGenerator<string> {
  let left = limit;
  for await (const chunk of scanPages(pool, range, 'row', limit)) {
    const shown = chunk.slice(0, left);
    const views = await viewsOf(pool, range, shown);
    yield views.map((page) => `${JSON.stringify(page)}\n`).join('');
    left -= shown.length;
    if (left <= 0) return;
  }
}
