/** Hosts as /v1 shows them. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsNumber, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { crawlIdShape, idShape, mustBeCrawlId, mustBeId } from '../request/ids.js';
import { WholeNumber } from '../request/whole-number.js';

const timeOrNull = (description: string) => ({
  description: `${description} ISO 8601, UTC.`,
  nullable: true,
  type: String,
  format: 'date-time',
  example: null,
});

/** A reversed host and a slash, which no host has: another text is no cursor. */
export const hostCursor = /^[^\s/]{1,1000}\/$/;

/** One host: which crawl, and whose properties say how fast it is asked and what an answer to GET /robots.txt means. */
export class HostQuery {
  @ApiPropertyOptional({ description: 'The crawl.', default: '', example: 'k1' })
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId: string = '';

  @ApiPropertyOptional({
    description:
      'Configuration whose properties say how fast the host is asked (`fetcher.*`) and what the answer to GET /robots.txt means (`http.robots.*`). Without it, the copy that the newest CRAWL or FETCH of the crawl runs with: one that has not ended goes first; `default` where there is none.',
    example: 'default',
  })
  @IsOptional()
  @Matches(idShape, mustBeId)
  confId?: string;
}

export class HostsQuery extends HostQuery {
  @ApiPropertyOptional({ description: 'Beginning of the reversed host: `org.apache.`.' })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  prefix?: string;

  @ApiPropertyOptional({ description: 'Registered domain, as in URLs: `apache.org`.' })
  @IsOptional()
  @IsString()
  @MaxLength(255)
  domain?: string;

  @WholeNumber({ description: 'Hosts at most.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @ApiPropertyOptional({ description: '`cursor` of the answer before: goes on behind its last host.' })
  @IsOptional()
  @Matches(hostCursor, { message: 'cursor must be the cursor of an answer' })
  cursor?: string;
}

const DAY = 86_400;
const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const CLEARED = 'null takes it away.';
const secondsOrNull = (description: string) => ({
  description: `${description} ${CLEARED}`,
  type: Number,
  nullable: true,
  minimum: 0,
  maximum: DAY,
});

/** What `PATCH /v1/hosts/{host}` may change. A member that is missing stays as it is. */
export class HostChanges {
  @ApiPropertyOptional({
    description: `Until when the host is left alone: ISO 8601 with a time zone, in the future, at most ten years ahead. null ends any block, also one that the host's failures have earned.`,
    type: String,
    format: 'date-time',
    nullable: true,
  })
  @IsOptional()
  @IsString()
  @Matches(isoTime, { message: 'blockedUntil must be an ISO 8601 time with a time zone, such as 2030-01-31T08:00:00Z' })
  blockedUntil?: string | null;

  @ApiPropertyOptional(secondsOrNull('Rest after a request, instead of fetcher.server.delay.'))
  @IsOptional()
  @Max(DAY)
  @Min(0)
  @IsNumber({}, { message: '$property must be a number' })
  delaySeconds?: number | null;

  @ApiPropertyOptional(
    secondsOrNull('Rest where the queue has several threads, instead of fetcher.server.min.delay (or delaySeconds).'),
  )
  @IsOptional()
  @Max(DAY)
  @Min(0)
  @IsNumber({}, { message: '$property must be a number' })
  minDelaySeconds?: number | null;

  @ApiPropertyOptional({
    description: `Requests at once, instead of fetcher.threads.per.queue. ${CLEARED}`,
    type: Number,
    nullable: true,
    minimum: 1,
    maximum: 100,
  })
  @IsOptional()
  @Max(100)
  @Min(1)
  @IsInt()
  threads?: number | null;

  @ApiPropertyOptional({
    description: 'true: nothing new is fetched from the host until this is taken back (false or null).',
    type: Boolean,
    nullable: true,
    example: true,
  })
  @IsOptional()
  @IsBoolean()
  drain?: boolean | null;
}

export class HostRobots {
  @ApiProperty({ description: 'Scheme, host and port.', example: 'http://example.org' })
  origin!: string;

  @ApiProperty({
    description: 'What the file means: its rules hold, all is allowed, nothing is, or the host is left alone for now.',
    enum: ['rules', 'allow-all', 'deny-all', 'defer'],
    example: 'rules',
  })
  state!: string;

  @ApiProperty({ description: 'HTTP status of the answer.', type: Number, nullable: true, example: 200 })
  httpStatus!: number | null;

  @ApiProperty({ description: 'When it was asked for. ISO 8601, UTC.', format: 'date-time' })
  fetchedAt!: string;

  @ApiProperty({ description: 'Seconds since then.', example: 60 })
  ageSeconds!: number;

  @ApiProperty({ description: 'Until when it is believed. ISO 8601, UTC.', format: 'date-time' })
  expiresAt!: string;

  @ApiProperty({ description: 'Whether the next fetch asks for it again.', example: false })
  expired!: boolean;

  @ApiProperty({ description: 'Bytes of the file.', example: 42 })
  bytes!: number;

  @ApiProperty({
    description: 'Crawl-delay for the crawler that fetched the file, seconds.',
    type: Number,
    nullable: true,
    example: null,
  })
  crawlDelay!: number | null;

  @ApiProperty({
    description: 'Why it could not be had when it was asked for last; null: it could.',
    type: String,
    nullable: true,
    example: null,
  })
  error!: string | null;

  @ApiProperty({
    description: 'How often in a row it could not be had: by a status, or by the network (once a day).',
    example: 0,
  })
  failures!: number;
}

/** How fast FETCH would ask the host. */
export class HostPace {
  @ApiProperty({
    description:
      'Fetch queue of the host (fetcher.queue.mode); null: that of its address, which is not looked up here.',
    type: String,
    nullable: true,
    example: 'example.org',
  })
  queue!: string | null;

  @ApiProperty({ description: 'Rest after a request, seconds.', example: 5 })
  delaySeconds!: number;

  @ApiProperty({ description: 'Requests at once.', example: 1 })
  threads!: number;

  @ApiProperty({
    description: 'Whence the delay comes: a property, the settings of the host, or Crawl-delay of its robots.txt.',
    enum: ['property', 'host', 'robots'],
    example: 'property',
  })
  source!: string;

  @ApiProperty({
    description: 'Whether Crawl-delay is over fetcher.max.crawl.delay, so that nothing is fetched.',
    example: false,
  })
  refused!: boolean;

  @ApiProperty({
    description:
      'The job with whose copy of a configuration this is reckoned; null: with the configuration that was asked for, or `default`.',
    type: String,
    nullable: true,
    example: 'k1-default-CRAWL-1',
  })
  job!: string | null;
}

/** What was set by hand; null: as the properties say. */
export class HostSettingsDto {
  @ApiProperty({ description: 'Rest after a request.', type: Number, nullable: true, example: null })
  delaySeconds!: number | null;

  @ApiProperty({ description: 'Rest where there are several threads.', type: Number, nullable: true, example: null })
  minDelaySeconds!: number | null;

  @ApiProperty({ description: 'Requests at once.', type: Number, nullable: true, example: null })
  threads!: number | null;
}

export class HostPoliteness {
  @ApiProperty({
    description: 'Fetch queue: the host, or its domain with fetcher.queue.mode byDomain.',
    example: 'example.org',
  })
  queue!: string;

  @ApiProperty({ description: 'When the next request may start. ISO 8601, UTC.', format: 'date-time' })
  nextAt!: string;

  @ApiProperty({ description: 'Until when a task holds the queue. ISO 8601, UTC.', format: 'date-time' })
  leaseUntil!: string;

  @ApiProperty(timeOrNull('Until when its servers asked to be left alone, whichever crawl they told.'))
  blockedUntil!: string | null;
}

export class HostDto {
  @ApiProperty({ description: 'Host as in URLs.', example: 'example.org' })
  host!: string;

  @ApiProperty({ description: 'Reversed host. Hosts are in its order.', example: 'test.site' })
  key!: string;

  @ApiProperty({ description: 'Registered domain.', example: 'example.org' })
  domain!: string;

  @ApiProperty({ description: 'Pages of the host.', example: 7 })
  pages!: number;

  @ApiProperty({
    description: 'Pages by status; a status without pages is left out.',
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { db_unfetched: 6, db_fetched: 1 },
  })
  status!: Record<string, number>;

  @ApiProperty({
    description: 'robots.txt by origin, as last asked for, at most 10; empty when nobody did.',
    type: [HostRobots],
  })
  robots!: HostRobots[];

  @ApiProperty({
    description: 'How fast FETCH asks it: with the configuration of the crawl, or that of `confId`.',
    type: HostPace,
  })
  pace!: HostPace;

  @ApiProperty({
    description: 'When the host may be asked next; null when no fetch has queued it.',
    type: HostPoliteness,
    nullable: true,
  })
  politeness!: HostPoliteness | null;

  @ApiProperty({ description: 'Failures of the host in a row.', example: 0 })
  failures!: number;

  @ApiProperty({
    description: 'settings.delaySeconds in milliseconds.',
    type: Number,
    nullable: true,
    example: null,
  })
  delayMs!: number | null;

  @ApiProperty({ description: 'What was set by hand.', type: HostSettingsDto })
  settings!: HostSettingsDto;

  @ApiProperty({ description: 'Whether nothing new is fetched from it.', example: false })
  drain!: boolean;

  @ApiProperty(timeOrNull('Until when the host is left alone.'))
  blockedUntil!: string | null;

  @ApiProperty({
    description: 'Who blocked it: a hand, or the failures of its servers (429, 5xx, Retry-After).',
    enum: ['hand', 'back-off', null],
    type: String,
    nullable: true,
    example: null,
  })
  blockedBy!: 'hand' | 'back-off' | null;

  @ApiProperty({ description: 'Home page.', type: String, nullable: true, example: null })
  homepage!: string | null;

  @ApiProperty({ description: 'Metadata of the host.', type: 'object', additionalProperties: true, example: {} })
  metadata!: Record<string, unknown>;
}

export class HostList {
  @ApiProperty({ description: 'Hosts in the order of their reversed names.', type: [HostDto] })
  hosts!: HostDto[];

  @ApiProperty({
    description: 'Give it as `cursor` to read on; null when there is nothing more.',
    type: String,
    nullable: true,
    example: null,
  })
  cursor!: string | null;
}
