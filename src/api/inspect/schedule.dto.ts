/** `POST /v1/inspect/schedule`: how UPDATEDB would update a page after a visit. */
import { MAX_INT32 } from '../../core/int32.js';
import { ApiPropertyOptional, getSchemaPath, ApiExtraModels } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsInt,
  IsNumber,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { Field, FieldOf, OptionalField } from '../openapi/fields.js';
import { ConfIdField } from '../request/ids.js';
import { OptionalText } from '../request/text-field.js';
import { parseDatetime } from '../../core/w3c-datetime.js';
import { MAX_URL_IN_BODY } from './url.dto.js';

const LATEST = 8_640_000_000_000_000;
const SCORE = '$property must be a number from 0';
const ISO_SHAPE = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** How a whole number with these bounds is described. */
const between = (minimum: number, maximum: number) => ({ type: 'integer', minimum, maximum }) as const;

/** A time in milliseconds, given as such or in ISO 8601 (UTC without a zone); any other value is returned as it is, to be refused. */
function msOf(value: unknown): unknown {
  if (typeof value !== 'string') return value ?? undefined;
  if (/^\d{1,16}$/.test(value)) return Number(value);
  const time = ISO_SHAPE.test(value) ? parseDatetime(value) : null;
  return time ?? value;
}

/** Given as a number or as text; milliseconds after validation. */
export type GivenTime = number | string;

/** A time: milliseconds since 1970, or ISO 8601. */
function Time(description: string, example: number): PropertyDecorator {
  return (target, name) => {
    ApiPropertyOptional({
      description: `${description} Milliseconds since 1970, or ISO 8601.`,
      type: 'integer',
      minimum: 0,
      example,
    })(target, name);
    IsOptional()(target, name);
    Transform(({ value }) => msOf(value))(target, name);
    const message = '$property must be milliseconds since 1970 or a time in ISO 8601';
    IsInt({ message })(target, name);
    Min(0, { message })(target, name);
    Max(LATEST, { message })(target, name);
  };
}

const statusText = ({ value }: { value: unknown }): unknown =>
  typeof value === 'number' ? String(value) : (value ?? undefined);

export class SchedulePage {
  @Time('When the page was due.', 1_700_000_000_000)
  fetchTime?: GivenTime;

  @OptionalField('Seconds between two fetches. Default: db.fetch.interval.default.', 86_400, between(0, MAX_INT32))
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_INT32)
  fetchInterval?: number;

  @OptionalField('Temporary failures in a row before this visit.', 0, { default: 0, ...between(0, 30_000) })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(30_000)
  retries?: number;

  @Time('When the content last changed; 0 or absent: unknown.', 0)
  modifiedTime?: GivenTime;

  @OptionalText(128, 'Hash of its content before this visit, hex.', 'd41d8cd98f00b204e9800998ecf8427e')
  signature?: string;

  @OptionalText(1_000, 'Content type, for MimeAdaptiveFetchSchedule.', 'text/html')
  contentType?: string;

  @OptionalField('Its score, for db.fetch.schedule.score.exponent. Default: the score does not count.', 1)
  @IsOptional()
  @IsNumber({}, { message: SCORE })
  @Min(0, { message: SCORE })
  score?: number;

  @OptionalField('Its URL, or only its host: for limits per host.', 'http://example.org/')
  @IsOptional()
  @Length(1, MAX_URL_IN_BODY)
  @IsString()
  url?: string;

  @OptionalField(
    'Metadata that the schedule uses: fixedInterval (seconds), sitemap.changefreq.',
    {},
    { type: 'object', additionalProperties: { type: 'string' } },
  )
  @IsOptional()
  @IsObject()
  metadata?: Record<string, unknown>;
}

export class ScheduleOutcome {
  @Time('When it was visited. Default: now.', 1_700_000_000_000)
  time?: GivenTime;

  @OptionalField(
    'Its result: a status by name or number (db_fetched, fetch_retry, 3 …). One of status, protocol and httpStatus is required.',
    'db_fetched',
  )
  @IsOptional()
  @Transform(statusText)
  @MaxLength(40)
  @IsString()
  status?: string;

  @OptionalField('Its result as a protocol status by name or number: SUCCESS, NOTFOUND, 16 …')
  @IsOptional()
  @Transform(statusText)
  @MaxLength(40)
  @IsString()
  protocol?: string;

  @OptionalField('Its result as an HTTP status.', undefined, between(100, 599))
  @Transform(({ value }) => value ?? undefined)
  @IsOptional()
  @IsInt()
  @Min(100)
  @Max(599)
  httpStatus?: number;

  @OptionalText(
    128,
    'Hash of the content, hex. Equal to the previous one: not modified.',
    '9e107d9d372bb6826bd81d3542a419d6',
  )
  signature?: string;

  @Time('Last-Modified of the response.', 1_699_990_000_000)
  lastModified?: GivenTime;

  @OptionalField('PARSE could not parse the content (parser.delete.failed.parse).', false)
  @IsOptional()
  @IsBoolean()
  parseFailed?: boolean;
}

@ApiExtraModels(SchedulePage, ScheduleOutcome)
export class InspectSchedule {
  @Field(
    'The page before the visit.',
    { fetchTime: 1_700_000_000_000, fetchInterval: 86_400, signature: 'd41d8cd98f00b204e9800998ecf8427e' },
    { allOf: [{ $ref: getSchemaPath(SchedulePage) }] },
  )
  @IsObject()
  page!: Record<string, unknown>;

  @Field(
    'The result of the visit.',
    { status: 'db_fetched', signature: '9e107d9d372bb6826bd81d3542a419d6', time: 1_700_000_000_000 },
    { allOf: [{ $ref: getSchemaPath(ScheduleOutcome) }] },
  )
  @IsObject()
  outcome!: Record<string, unknown>;

  @ConfIdField('The configuration.')
  confId: string = 'default';
}

export class InspectedSchedule {
  @Field('When the page is due next, ms since 1970.', 1_700_086_400_000)
  fetchTime!: number;

  @Field('Seconds between two fetches.', 86_400)
  fetchInterval!: number;

  @Field('Status by name.', 'db_fetched')
  status!: string;

  @Field('Status by number.', 2)
  statusCode!: number;

  @Field('When the content last changed, ms since 1970; 0: unknown.', 0)
  modifiedTime!: number;

  @Field('When it was due before this visit, ms since 1970.', 1_700_000_000_000)
  prevFetchTime!: number;

  @Field('Temporary failures in a row.', 0)
  retries!: number;

  @Field('The next fetch is unconditional: signature and validators are cleared.', false)
  unconditional!: boolean;

  @FieldOf([String], 'Why, in sentences that name the properties.', [
    'DefaultFetchSchedule (db.fetch.schedule.class): fetched, content changed.',
  ])
  why!: string[];
}
