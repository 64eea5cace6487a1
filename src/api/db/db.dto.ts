/** Bodies, queries and answers of `/db`, named as NutchServer names them. */
import { ID_SHAPE_OR_EMPTY } from '../../core/id-shape.js';
import { MAX_INT32 } from '../../core/int32.js';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsObject, IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { Field, FieldOf, FieldWithDefault, OptionalField } from '../openapi/fields.js';
import { booleanOf } from '../request/boolean-text.js';
import { ConfIdField, CrawlIdField, OptionalCrawlIdField, mustBeCrawlId } from '../request/ids.js';
import { NextCursor } from '../request/list-cursor.js';
import { OptionalText } from '../request/text-field.js';
import { WholeNumber } from '../request/whole-number.js';
import { queryTypes } from './crawldb-args.js';
import { fieldNames } from './page-fields.js';

/** DbQuery (1.x). */
export class DbQuery {
  @ConfIdField('Configuration whose normalizers are applied to `args.url`.')
  confId: string = 'default';

  @Field('The type of the query, in any letter case.', 'stats', { enum: [...queryTypes] })
  @IsString()
  @MaxLength(20, { message: `type must be one of ${queryTypes.join(', ')}` })
  type!: string;

  @OptionalField(
    'stats: `sort` (counts by host). dump: `format` (normal, csv, json), `status`, `retry`, `regex`, `sample`, `expr`, `batch` (an id, or `segment`; its pages have `partition` and `rank` in their metadata), with that `parts` (crawl_generate, crawl_fetch, content, crawl_parse, parse_data, parse_text, as `readseg -dump` writes them, and inlinks). topN: `nnn`, `min`. url: `url`. Paths such as `out_dir` are ignored: the response is the file.',
    {},
    { type: 'object', additionalProperties: true },
  )
  @Transform(({ value }) => value ?? {})
  @IsObject()
  args: Record<string, unknown> = {};

  @Field('The crawl; the empty name is a crawl, too.', 'k1')
  @Matches(ID_SHAPE_OR_EMPTY, mustBeCrawlId)
  crawlId!: string;
}

/** DbFilter (2.x), with crawl, limit and cursor added. */
export class DbFilter {
  @CrawlIdField()
  crawlId: string = '';

  @OptionalText(128, 'Pages that UPDATEDB updated with this batch; `-all`: with any batch.', '-all')
  batchId?: string;

  @OptionalText(4_096, 'First key: a URL, or a row key when `isKeysReversed`.', 'http://example.org/')
  startKey?: string;

  @OptionalText(4_096, 'Last key, inclusive; used only with a start key.', 'http://example.org/z')
  endKey?: string;

  @FieldWithDefault(false, 'Keys are row keys, such as `test.site:http/`.')
  @IsOptional()
  @Transform(({ value }) => booleanOf(value))
  @IsBoolean()
  isKeysReversed?: boolean;

  @FieldWithDefault(false, '`isKeysReversed` under the name that some JSON mappers use.')
  @IsOptional()
  @Transform(({ value }) => booleanOf(value))
  @IsBoolean()
  keysReversed?: boolean;

  @OptionalField(
    'Fields to return; unknown names are ignored. Missing or empty: all but `text`, `content` and `history` (the visits as in `GET /v1/pages/{url}`, newest first).',
    ['url', 'status', 'markers'],
    { enum: fieldNames, isArray: true },
  )
  @IsOptional()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  // Decorators run from the last to the first: `IsArray` is checked first.
  @IsArray()
  fields?: string[] | null;

  @WholeNumber({
    description: 'Maximum number of pages.',
    default: 10_000,
    minimum: 1,
    maximum: 1_000_000,
    example: 100,
  })
  limit: number = 10_000;

  @OptionalField('`cursor` of the previous answer: continues after its last page.', null, {
    nullable: true,
    type: String,
  })
  @IsOptional()
  @MaxLength(4_096)
  @IsString()
  cursor?: string | null;
}

export class DbQueryResult {
  @Field(
    'Pages in the order of their row keys. If `text` or `content` of a page is damaged (it cannot be decompressed), the field is null, and `damaged` of the page names it.',
    [{ url: 'http://example.org/', status: 2, markers: { dist: '0', _injmrk_: 'y' } }],
    { type: 'array', items: { type: 'object', additionalProperties: true } },
  )
  values!: Record<string, unknown>[];

  @NextCursor(null)
  cursor!: string | null;
}

export class FetchDbQuery {
  @WholeNumber({
    description: 'First entry, numbered from 1; 0 means 1.',
    default: 0,
    minimum: 0,
    maximum: MAX_INT32,
  })
  from: number = 0;

  @WholeNumber({ description: 'Last entry, inclusive; 0 for all.', default: 0, minimum: 0, maximum: MAX_INT32 })
  to: number = 0;

  @OptionalCrawlIdField(
    'The crawl; the empty name is a crawl, too. Without it: that of the running FETCH, else of the newest FETCH, else the only crawl.',
  )
  crawlId?: string;
}

export class FetchNodeChild {
  @Field('Target of the link.', 'http://example.org/a')
  childUrl!: string;

  @Field('Text of the link.', 'A')
  anchorText!: string;
}

/** FetchNodeDbInfo: a fetched page and its links. */
export class FetchNodeDbInfo {
  @Field('The page.', 'http://example.org/')
  url!: string;

  @Field('Its status code.', 2)
  status!: number;

  @Field('Number of its links.', 1)
  numOfOutlinks!: number;

  @FieldOf([FetchNodeChild], 'Its links.')
  children!: FetchNodeChild[];
}
