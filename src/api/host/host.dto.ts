/** Hosts as /v1 shows them. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsOptional, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { crawlIdShape, idShape, mustBeCrawlId, mustBeId } from '../request/ids.js';

const timeOrNull = (description: string) => ({
  description: `${description} ISO 8601, UTC.`,
  nullable: true,
  type: String,
  format: 'date-time',
  example: null,
});

/** One host: which crawl, and whose properties say what an answer to GET /robots.txt means. */
export class HostQuery {
  @ApiPropertyOptional({ description: 'The crawl.', default: '', example: 'k1' })
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId: string = '';

  @ApiPropertyOptional({
    description: 'Configuration whose `http.robots.*` properties say what the answer to GET /robots.txt means.',
    default: 'default',
    example: 'default',
  })
  @Matches(idShape, mustBeId)
  confId: string = 'default';
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

  @ApiPropertyOptional({ description: 'Hosts at most.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  limit: number = 100;

  @ApiPropertyOptional({ description: '`cursor` of the answer before: goes on behind its last host.' })
  @IsOptional()
  @IsString()
  @MaxLength(4_096)
  cursor?: string;
}

export class HostRobots {
  @ApiProperty({ description: 'Scheme, host and port.', example: 'http://site.test' })
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
}

export class HostPoliteness {
  @ApiProperty({
    description: 'Fetch queue: the host, or its domain with fetcher.queue.mode byDomain.',
    example: 'site.test',
  })
  queue!: string;

  @ApiProperty({ description: 'When the next request may start. ISO 8601, UTC.', format: 'date-time' })
  nextAt!: string;

  @ApiProperty({ description: 'Until when a task holds the queue. ISO 8601, UTC.', format: 'date-time' })
  leaseUntil!: string;
}

export class HostDto {
  @ApiProperty({ description: 'Host as in URLs.', example: 'site.test' })
  host!: string;

  @ApiProperty({ description: 'Reversed host. Hosts are in its order.', example: 'test.site' })
  key!: string;

  @ApiProperty({ description: 'Registered domain.', example: 'site.test' })
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
    description: 'When the host may be asked next; null when no fetch has queued it.',
    type: HostPoliteness,
    nullable: true,
  })
  politeness!: HostPoliteness | null;

  @ApiProperty({ description: 'Failures of the host in a row.', example: 0 })
  failures!: number;

  @ApiProperty({
    description: 'Delay of the host in milliseconds; null: as configured.',
    type: Number,
    nullable: true,
    example: null,
  })
  delayMs!: number | null;

  @ApiProperty(timeOrNull('Until when the host is left alone.'))
  blockedUntil!: string | null;

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
