/**
 * The readers of 1.x. There they accepted the path of any file on the server; here all data is in tables, a path is the name of a
 * store within a crawl, and no path is opened in the file system.
 */
import { Body, Controller, Get, HttpCode, Post, Req, type StreamableFile } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { type StorePath, storeOfPath } from '../../core/url/store-path.js';
import { knownCrawl } from '../../webpage/crawl.store.js';
import { Needs } from '../access/access.guard.js';
import { AnswerStreams } from '../answer/answer-streams.js';
import { Database } from '../database.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { bodyRefused, tooManyExports } from '../problem.js';
import { AdmittedQuery, admit } from '../request/admit.js';
import { noCrawl, noSegmentOrDump, noStore } from './legacy.problems.js';
import { ReaderConfig, RowsQuery, rowRangeOf } from './reader.dto.js';
import { countText, rowTexts } from './row-answer.js';
import { SEQUENCE_STORES, sequenceOf } from './sequence-rows.js';
import { type ReadOf, type TextRow, inlinkRows, nodeRows, outlinkRows } from './webgraph-rows.query.js';

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

/** Names of stores; the first is the default when a path ends with the crawl. */
type Stores = readonly [string, ...string[]];
const LINK_STORES: Stores = ['outlinks', 'inlinks', 'linkdb', 'webgraphdb'];
const NODE_STORES: Stores = ['nodes', 'webgraphdb'];

type Chunks = AsyncIterable<readonly unknown[]>;

const ROWS_TEXT =
  'Rows `start` to `end` - 1, if both are given, else the first `nrows`, else all, streamed. With `count` the response is the number of all rows, as text. `path` is a name within a crawl: ';

const rowsAnswer = (description: string, items: object, example: unknown[]) => ({
  description: `${description} With \`count\`, their number.`,
  content: {
    'application/json': { schema: { type: 'array' as const, items }, example },
    'text/plain': { schema: { type: 'string' as const }, example: '12' },
  },
});
const fieldsAnswer = (fields: Record<string, string>) => ({
  description: 'Type of each field.',
  schema: { type: 'object' as const, additionalProperties: { type: 'string' as const }, example: fields },
});
const pairOfTexts = { type: 'array', items: { type: 'string' } };
const textRow = { type: 'object', additionalProperties: { type: 'string' } };
const refusals = (stores: Stores) => [
  noStore('/etc/passwd', stores),
  refusalOf(RowsQuery, { nrows: 'x' }),
  bodyRefused('it is empty'),
  tooManyExports(16),
];

/** The body of a reader, with a path that this reader accepts. */
const ReaderBody = (path: string): MethodDecorator =>
  ApiBody({ type: ReaderConfig, examples: { path: { summary: path, value: { path } } } });

const PAIR_EXAMPLE = ['http://example.org/', 'Version: 7\nStatus: 2 (db_fetched)\n'];
const LINK_EXAMPLE = {
  key_url: 'http://example.org/',
  timestamp: '1764000000000',
  score: '0.0',
  anchor: 'A page',
  linktype: '2',
  url: 'http://example.org/a',
};
const NODE_EXAMPLE = {
  key_url: 'http://example.org/',
  num_inlinks: '3',
  num_outlinks: '2',
  inlink_score: '1.25',
  outlink_score: '0.625',
  metadata: '',
};

@ApiTags('legacy')
@Controller('reader')
export class ReaderController {
  constructor(
    private readonly database: Database,
    private readonly streams: AnswerStreams,
  ) {}

  @Post('sequence/read')
  @Needs('read')
  @HttpCode(200)
  @ReaderBody('k1/crawldb/current/part-r-00000/data')
  @Operation(
    'Read a sequence file (1.x)',
    `${ROWS_TEXT}\`k1/crawldb\`, \`k1/linkdb\`, \`k1/segments/<segment>/<part>\` or a dump.`,
  )
  @ApiOkResponse(rowsAnswer('Rows of key and value.', pairOfTexts, [PAIR_EXAMPLE]))
  @Problems(...refusals(SEQUENCE_STORES))
  async readSequence(
    @Body() body: unknown,
    @AdmittedQuery(RowsQuery) query: RowsQuery,
    @Req() request: Request,
  ): Promise<Buffer | StreamableFile> {
    const { at, read } = await this.storeOf(body, SEQUENCE_STORES);
    const rows = await sequenceOf(read, at);
    if (rows === null) throw noSegmentOrDump((body as ReaderConfig).path, at.store);
    return this.answer(request, query, rows);
  }

  @Get('link')
  @Needs('read')
  @Operation('Fields of a link of the webgraph (1.x)', 'The names and types of the fields, as in Nutch.')
  @ApiOkResponse(fieldsAnswer(linkFields))
  describeLink(): Record<string, string> {
    return linkFields;
  }

  @Post('link/read')
  @Needs('read')
  @HttpCode(200)
  @ReaderBody('k1/webgraphdb/outlinks/current/part-r-00000/data')
  @Operation(
    'Read links of the webgraph (1.x)',
    `${ROWS_TEXT}\`k1/webgraphdb/outlinks\` (links by source page) or \`k1/webgraphdb/inlinks\` (by target page, as INVERTLINKS stored them; their \`timestamp\` is 0).`,
  )
  @ApiOkResponse(rowsAnswer('Links; `linktype` is 1 for an inlink, 2 for an outlink.', textRow, [LINK_EXAMPLE]))
  @Problems(...refusals(LINK_STORES))
  async readLinks(
    @Body() body: unknown,
    @AdmittedQuery(RowsQuery) query: RowsQuery,
    @Req() request: Request,
  ): Promise<Buffer | StreamableFile> {
    const { at, read } = await this.storeOf(body, LINK_STORES);
    const rows = at.store === 'inlinks' || at.store === 'linkdb' ? inlinkRows : outlinkRows;
    return this.rowsOf(request, query, { read, rows });
  }

  @Get('node')
  @Needs('read')
  @Operation('Fields of a node of the webgraph (1.x)', 'The names and types of the fields, as in Nutch.')
  @ApiOkResponse(fieldsAnswer(nodeFields))
  describeNode(): Record<string, string> {
    return nodeFields;
  }

  @Post('node/read')
  @Needs('read')
  @HttpCode(200)
  @ReaderBody('k1/webgraphdb/nodes/current/part-r-00000/data')
  @Operation(
    'Read nodes of the webgraph (1.x)',
    `${ROWS_TEXT}\`k1/webgraphdb/nodes\`. They are written by WEBGRAPH or LINKRANK; sorted by host.`,
  )
  @ApiOkResponse(rowsAnswer('Nodes.', textRow, [NODE_EXAMPLE]))
  @Problems(...refusals(NODE_STORES))
  async readNodes(
    @Body() body: unknown,
    @AdmittedQuery(RowsQuery) query: RowsQuery,
    @Req() request: Request,
  ): Promise<Buffer | StreamableFile> {
    const { read } = await this.storeOf(body, NODE_STORES);
    return this.rowsOf(request, query, { read, rows: nodeRows });
  }

  /** Throws FILE_NOT_FOUND. */
  private async storeOf(body: unknown, stores: Stores): Promise<{ at: StorePath; read: Omit<ReadOf, 'signal'> }> {
    if (body === undefined || body === null) throw bodyRefused('it is empty');
    const { path } = admit(ReaderConfig, body).value;
    const at = storeOfPath(path, stores);
    if (at === null) throw noStore(path, stores);
    const crawl = await knownCrawl(this.database.pool, at.crawl);
    if (crawl === undefined) throw noCrawl(path);
    return { at, read: { pool: this.database.pool, crawl } };
  }

  private rowsOf(
    request: Request,
    query: RowsQuery,
    { read, rows }: { read: Omit<ReadOf, 'signal'>; rows: (read: ReadOf) => AsyncIterable<TextRow[]> },
  ): Promise<Buffer | StreamableFile> {
    return this.answer(request, query, (signal) => rows({ ...read, signal }));
  }

  private answer(
    request: Request,
    query: RowsQuery,
    rows: (signal: AbortSignal) => Chunks,
  ): Promise<Buffer | StreamableFile> {
    if (query.count === true) {
      const number = (signal: AbortSignal) => countText(rows(signal));
      return this.streams.answer(request, number, { type: 'text/plain', pages: Infinity });
    }
    const range = rowRangeOf(query);
    const texts = (signal: AbortSignal) => rowTexts(rows(signal), range);
    return this.streams.answer(request, texts, { type: 'application/json', pages: range.to });
  }
}
