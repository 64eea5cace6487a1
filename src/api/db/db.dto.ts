import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsObject, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { crawlIdShape, idShape, mustBeCrawlId, mustBeId } from '../request/ids.js';
import { WholeNumber } from '../request/whole-number.js';
import { fieldNames } from './page-fields.js';

const flagOf = (given: unknown) => (given === 'true' ? true : given === 'false' ? false : given);
const textOr = (given: unknown, otherwise: string) => (given === null || given === undefined ? otherwise : given);

/** DbQuery (1.x). */
export class DbQuery {
  @ApiPropertyOptional({
    description: 'Configuration whose normalizers read `args.url`.',
    example: 'default',
    default: 'default',
  })
  @Transform(({ value }) => textOr(value, 'default'))
  @Matches(idShape, mustBeId)
  confId: string = 'default';

  @ApiProperty({
    description: 'What is asked, in any letter case.',
    enum: ['stats', 'dump', 'topN', 'url'],
    example: 'stats',
  })
  @IsString()
  @MaxLength(20)
  type!: string;

  @ApiPropertyOptional({
    description:
      'stats: `sort` (counts by host). dump: `format` (normal, csv, json), `status`, `retry`, `regex`, `sample`, `expr`, `batch` (an id, or `segment`; its pages have `partition` and `rank` in their metadata), with that `parts` (crawl_generate, crawl_fetch, content, crawl_parse, parse_data, parse_text: what `readseg -dump` writes of them). topN: `nnn`, `min`. url: `url`. Paths such as `out_dir` are ignored: the answer is the file.',
    type: 'object',
    additionalProperties: true,
    example: {},
  })
  @Transform(({ value }) => value ?? {})
  @IsObject()
  args: Record<string, unknown> = {};

  @ApiProperty({ description: 'The crawl; empty is a crawl too.', example: 'k1' })
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId!: string;
}

/** DbFilter (2.x), with crawl, limit and cursor added. */
export class DbFilter {
  @ApiPropertyOptional({ description: 'The crawl.', example: 'k1', default: '' })
  @Transform(({ value }) => textOr(value, ''))
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId: string = '';

  @ApiPropertyOptional({
    description: 'Pages that UPDATEDB took in with this batch; `-all`: with any batch.',
    example: '-all',
  })
  @IsOptional()
  @IsString()
  @MaxLength(128)
  batchId?: string;

  @ApiPropertyOptional({
    description: 'First key: a URL, or a row key when `isKeysReversed`.',
    example: 'http://example.org/',
  })
  @IsOptional()
  @IsString()
  @MaxLength(4_096)
  startKey?: string;

  @ApiPropertyOptional({
    description: 'Last key, included; counts only with a start key.',
    example: 'http://example.org/z',
  })
  @IsOptional()
  @IsString()
  @MaxLength(4_096)
  endKey?: string;

  @ApiPropertyOptional({ description: 'Keys are row keys, such as `test.site:http/`.', default: false })
  @IsOptional()
  @Transform(({ value }) => flagOf(value))
  @IsBoolean()
  isKeysReversed?: boolean;

  @ApiPropertyOptional({ description: 'The same, as some JSON mappers call it.', default: false })
  @IsOptional()
  @Transform(({ value }) => flagOf(value))
  @IsBoolean()
  keysReversed?: boolean;

  @ApiPropertyOptional({
    description: 'Fields shown; unknown names are left out. Without it, or empty: all but `text` and `content`.',
    enum: fieldNames,
    isArray: true,
    example: ['url', 'status', 'markers'],
  })
  @IsOptional()
  @IsArray()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  fields?: string[] | null;

  @WholeNumber({ description: 'Pages at most.', default: 10_000, minimum: 1, maximum: 1_000_000, example: 100 })
  limit: number = 10_000;

  @ApiPropertyOptional({
    description: '`cursor` of the answer before: goes on behind its last page.',
    nullable: true,
    type: String,
  })
  @IsOptional()
  @IsString()
  @MaxLength(4_096)
  cursor?: string | null;
}

/** DbQueryResult. */
export class DbQueryResult {
  @ApiProperty({
    description: 'Pages in the order of their row keys.',
    type: 'array',
    items: { type: 'object', additionalProperties: true },
    example: [{ url: 'http://example.org/', status: 2, markers: { dist: '0', _injmrk_: 'y' } }],
  })
  values!: Record<string, unknown>[];

  @ApiProperty({
    description: 'Give it as `cursor` to read on; null when there is nothing more.',
    example: null,
    nullable: true,
    type: String,
  })
  cursor!: string | null;
}

export class FetchDbQuery {
  @WholeNumber({
    description: 'First entry; they are numbered from 1.',
    default: 0,
    minimum: 0,
    maximum: 2_147_483_647,
  })
  from: number = 0;

  @WholeNumber({ description: 'Last entry, included; 0 for all.', default: 0, minimum: 0, maximum: 2_147_483_647 })
  to: number = 0;

  @ApiPropertyOptional({
    description:
      'The crawl; empty is a crawl too. Without it: that of the FETCH that runs, else of the newest, else the only crawl.',
    example: 'k1',
  })
  @IsOptional()
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId?: string;
}

export class FetchNodeChild {
  @ApiProperty({ description: 'Target of the link.', example: 'http://example.org/a' })
  childUrl!: string;

  @ApiProperty({ description: 'Text of the link.', example: 'A' })
  anchorText!: string;
}

/** FetchNodeDbInfo: a fetched page and its links. */
export class FetchNodeDbInfo {
  @ApiProperty({ description: 'The page.', example: 'http://example.org/' })
  url!: string;

  @ApiProperty({ description: 'Its status code.', example: 2 })
  status!: number;

  @ApiProperty({ description: 'Number of its links.', example: 1 })
  numOfOutlinks!: number;

  @ApiProperty({ description: 'Its links.', type: [FetchNodeChild] })
  children!: FetchNodeChild[];
}
