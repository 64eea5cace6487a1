/** `POST /v1/inspect/schedule`: what UPDATEDB would make of a page after a visit. */
import { ApiProperty, ApiPropertyOptional, getSchemaPath, ApiExtraModels } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import {
  IsBoolean,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  MaxLength,
  Min,
} from 'class-validator';
import { idShape, mustBeId } from '../request/ids.js';
import { MAX_URL_LENGTH } from './url.dto.js';

const LATEST = 8_640_000_000_000_000;
const MAX_SECONDS = 2_147_483_647;
const isoShape = /^\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** Milliseconds of a time that is given as such or in ISO 8601; any other value as it came, to be refused. */
function msOf(given: unknown): unknown {
  if (typeof given !== 'string') return given ?? undefined;
  if (/^\d{1,16}$/.test(given)) return Number(given);
  const time = isoShape.test(given) ? Date.parse(given) : NaN;
  return Number.isNaN(time) ? given : time;
}

/** Given as a number or as text; read, it is milliseconds. */
export type GivenTime = number | string;

/** A time: milliseconds since 1970, or ISO 8601. */
function Time(description: string, example: number): PropertyDecorator {
  return (target, name) => {
    ApiPropertyOptional({ description: `${description} Milliseconds since 1970, or ISO 8601.`, type: Number, example })(
      target,
      name,
    );
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

  @ApiPropertyOptional({
    description: 'Seconds between two fetches. Default: db.fetch.interval.default.',
    example: 86_400,
  })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(MAX_SECONDS)
  fetchInterval?: number;

  @ApiPropertyOptional({ description: 'Temporary failures in a row before this visit.', default: 0, example: 0 })
  @IsOptional()
  @IsInt()
  @Min(0)
  @Max(30_000)
  retries?: number;

  @Time('When the content last changed; 0 or absent: nobody knows.', 0)
  modifiedTime?: GivenTime;

  @ApiPropertyOptional({
    description: 'Fingerprint of its content before this visit, hex.',
    example: 'd41d8cd98f00b204e9800998ecf8427e',
  })
  @IsOptional()
  @IsString()
  @MaxLength(128)
  signature?: string;

  @ApiPropertyOptional({ description: 'Content type, for MimeAdaptiveFetchSchedule.', example: 'text/html' })
  @IsOptional()
  @IsString()
  @MaxLength(1_000)
  contentType?: string;

  @ApiPropertyOptional({
    description: 'Its URL, or only its host: for bounds by host.',
    example: 'http://example.org/',
  })
  @IsOptional()
  @IsString()
  @Length(1, MAX_URL_LENGTH)
  url?: string;

  @ApiPropertyOptional({
    description: 'Metadata that count: fixedInterval (seconds), sitemap.changefreq.',
    type: 'object',
    additionalProperties: { type: 'string' },
    example: {},
  })
  @IsOptional()
  @IsObject()
  metadata?: Record<string, unknown>;
}

export class ScheduleOutcome {
  @Time('When it was visited. Default: now.', 1_700_000_000_000)
  time?: GivenTime;

  @ApiPropertyOptional({
    description:
      'What came of it: a status by name or number (db_fetched, fetch_retry, 3 …). One of status, protocol and httpStatus is required.',
    example: 'db_fetched',
  })
  @IsOptional()
  @Transform(statusText)
  @IsString()
  @MaxLength(40)
  status?: string;

  @ApiPropertyOptional({ description: 'The same as a protocol status: SUCCESS, NOTFOUND, 16 …' })
  @IsOptional()
  @Transform(statusText)
  @IsString()
  @MaxLength(40)
  protocol?: string;

  @ApiPropertyOptional({ description: 'The same as an HTTP status.' })
  @IsOptional()
  @IsInt()
  @Min(100)
  @Max(599)
  httpStatus?: number;

  @ApiPropertyOptional({
    description: 'Fingerprint of the content, hex. Equal to that before: not modified.',
    example: '9e107d9d372bb6826bd81d3542a419d6',
  })
  @IsOptional()
  @IsString()
  @MaxLength(128)
  signature?: string;

  @Time('Last-Modified of the answer.', 1_699_990_000_000)
  lastModified?: GivenTime;

  @ApiPropertyOptional({
    description: 'PARSE could not read the content (parser.delete.failed.parse).',
    example: false,
  })
  @IsOptional()
  @IsBoolean()
  parseFailed?: boolean;
}

@ApiExtraModels(SchedulePage, ScheduleOutcome)
export class InspectSchedule {
  @ApiProperty({
    description: 'The page before the visit.',
    allOf: [{ $ref: getSchemaPath(SchedulePage) }],
    example: { fetchTime: 1_700_000_000_000, fetchInterval: 86_400, signature: 'd41d8cd98f00b204e9800998ecf8427e' },
  })
  @IsObject()
  page!: Record<string, unknown>;

  @ApiProperty({
    description: 'What the visit found.',
    allOf: [{ $ref: getSchemaPath(ScheduleOutcome) }],
    example: { status: 'db_fetched', signature: '9e107d9d372bb6826bd81d3542a419d6', time: 1_700_000_000_000 },
  })
  @IsObject()
  outcome!: Record<string, unknown>;

  @ApiPropertyOptional({ description: 'The configuration.', default: 'default', example: 'default' })
  @Transform(({ value }) => value ?? 'default')
  @Matches(idShape, mustBeId)
  confId: string = 'default';
}

export class InspectedSchedule {
  @ApiProperty({ description: 'When the page is due next, ms since 1970.', example: 1_700_086_400_000 })
  fetchTime!: number;

  @ApiProperty({ description: 'Seconds between two fetches.', example: 86_400 })
  fetchInterval!: number;

  @ApiProperty({ description: 'Status by name.', example: 'db_fetched' })
  status!: string;

  @ApiProperty({ description: 'Status by number.', example: 2 })
  statusCode!: number;

  @ApiProperty({ description: 'When the content last changed, ms since 1970; 0: nobody knows.', example: 0 })
  modifiedTime!: number;

  @ApiProperty({ description: 'When it had been due before this visit, ms since 1970.', example: 1_700_000_000_000 })
  prevFetchTime!: number;

  @ApiProperty({ description: 'Temporary failures in a row.', example: 0 })
  retries!: number;

  @ApiProperty({
    description: 'The next fetch asks without conditions: signature and validators are forgotten.',
    example: false,
  })
  unconditional!: boolean;

  @ApiProperty({
    description: 'Why, in sentences that name the properties.',
    type: [String],
    example: ['DefaultFetchSchedule (db.fetch.schedule.class): fetched, content changed.'],
  })
  why!: string[];
}
