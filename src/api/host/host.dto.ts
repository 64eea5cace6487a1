/** Hosts as /v1 shows them. */
import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsInt, IsNumber, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import {
  Field,
  FieldOf,
  FieldOrNull,
  NextCursor,
  OptionalField,
  RecordField,
  TimeField,
  TimeOrNull,
} from '../openapi/fields.js';
import { CursorField } from '../request/cursor-field.js';
import { CrawlIdField, idShape, mustBeId } from '../request/ids.js';
import { OptionalText } from '../request/text-field.js';
import { WholeNumber } from '../request/whole-number.js';

const HostTime = (description: string): PropertyDecorator => TimeOrNull(`${description} ISO 8601, UTC.`, null);

/** A reversed host and a slash, which no host has: another text is no cursor. */
export const hostCursor = /^[^\s/]{1,1000}\/$/;

/** One host: which crawl, and whose properties say how fast it is asked and what an answer to GET /robots.txt means. */
export class HostQuery {
  @CrawlIdField()
  crawlId: string = '';

  @OptionalField(
    'Configuration whose properties say how fast the host is asked (`fetcher.*`) and what the answer to GET /robots.txt means (`http.robots.*`). Without it, the copy that the newest CRAWL or FETCH of the crawl runs with: one that has not ended goes first; `default` where there is none.',
    'default',
  )
  @IsOptional()
  @Matches(idShape, mustBeId)
  confId?: string;
}

export class HostsQuery extends HostQuery {
  @OptionalText(255, 'Beginning of the reversed host: `org.apache.`.')
  prefix?: string;

  @OptionalText(255, 'Registered domain, as in URLs: `apache.org`.')
  domain?: string;

  @WholeNumber({ description: 'Hosts at most.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @CursorField(hostCursor, 'its last host')
  cursor?: string;
}

const DAY = 86_400;
const isoTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const CLEARED = 'null takes it away.';
/** A rest in seconds; null takes it away. */
const Rest = (description: string): PropertyDecorator =>
  applyDecorators(
    IsNumber({}, { message: '$property must be a number' }),
    Min(0),
    Max(DAY),
    IsOptional(),
    OptionalField(`${description} ${CLEARED}`, undefined, { type: Number, nullable: true, minimum: 0, maximum: DAY }),
  );

/** What `PATCH /v1/hosts/{host}` may change. A member that is missing stays as it is. */
export class HostChanges {
  @OptionalField(
    `Until when the host is left alone: ISO 8601 with a time zone, in the future, at most ten years ahead. null ends any block, also one that the host's failures have earned.`,
    undefined,
    { type: String, format: 'date-time', nullable: true },
  )
  @IsOptional()
  @IsString()
  @Matches(isoTime, { message: 'blockedUntil must be an ISO 8601 time with a time zone, such as 2030-01-31T08:00:00Z' })
  blockedUntil?: string | null;

  @Rest('Rest after a request, instead of fetcher.server.delay.')
  delaySeconds?: number | null;

  @Rest('Rest where the queue has several threads, instead of fetcher.server.min.delay (or delaySeconds).')
  minDelaySeconds?: number | null;

  @OptionalField(`Requests at once, instead of fetcher.threads.per.queue. ${CLEARED}`, undefined, {
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

  @OptionalField('true: nothing new is fetched from the host until this is taken back (false or null).', true, {
    type: Boolean,
    nullable: true,
  })
  @IsOptional()
  @IsBoolean()
  drain?: boolean | null;
}

export class HostRobots {
  @Field('Scheme, host and port.', 'http://example.org')
  origin!: string;

  @Field(
    'What the file means: its rules hold, all is allowed, nothing is, or the host is left alone for now.',
    'rules',
    { enum: ['rules', 'allow-all', 'deny-all', 'defer'] },
  )
  state!: string;

  @FieldOrNull(Number, 'HTTP status of the answer.', 200)
  httpStatus!: number | null;

  @TimeField('When it was asked for. ISO 8601, UTC.')
  fetchedAt!: string;

  @Field('Seconds since then.', 60)
  ageSeconds!: number;

  @TimeField('Until when it is believed. ISO 8601, UTC.')
  expiresAt!: string;

  @Field('Whether the next fetch asks for it again.', false)
  expired!: boolean;

  @Field('Bytes of the file.', 42)
  bytes!: number;

  @FieldOrNull(Number, 'Crawl-delay for the crawler that fetched the file, seconds.', null)
  crawlDelay!: number | null;

  @FieldOrNull(String, 'Why it could not be had when it was asked for last; null: it could.', null)
  error!: string | null;

  @Field('How often in a row it could not be had: by a status, or by the network (once a day).', 0)
  failures!: number;
}

/** How fast FETCH would ask the host. */
export class HostPace {
  @FieldOrNull(
    String,
    'Fetch queue of the host (fetcher.queue.mode); null: that of its address, which is not looked up here.',
    'example.org',
  )
  queue!: string | null;

  @Field('Rest after a request, seconds.', 5)
  delaySeconds!: number;

  @Field('Requests at once.', 1)
  threads!: number;

  @Field(
    'Whence the delay comes: a property, the settings of the host, or Crawl-delay of its robots.txt.',
    'property',
    { enum: ['property', 'host', 'robots'] },
  )
  source!: string;

  @Field('Whether Crawl-delay is over fetcher.max.crawl.delay, so that nothing is fetched.', false)
  refused!: boolean;

  @FieldOrNull(
    String,
    'The job with whose copy of a configuration this is reckoned; null: with the configuration that was asked for, or `default`.',
    'k1-default-CRAWL-1',
  )
  job!: string | null;
}

/** What was set by hand; null: as the properties say. */
export class HostSettingsDto {
  @FieldOrNull(Number, 'Rest after a request.', null)
  delaySeconds!: number | null;

  @FieldOrNull(Number, 'Rest where there are several threads.', null)
  minDelaySeconds!: number | null;

  @FieldOrNull(Number, 'Requests at once.', null)
  threads!: number | null;
}

export class HostPoliteness {
  @Field('Fetch queue: the host, or its domain with fetcher.queue.mode byDomain.', 'example.org')
  queue!: string;

  @TimeField('When the next request may start. ISO 8601, UTC.')
  nextAt!: string;

  @TimeField('Until when a task holds the queue. ISO 8601, UTC.')
  leaseUntil!: string;

  @HostTime('Until when its servers asked to be left alone, whichever crawl they told.')
  blockedUntil!: string | null;
}

export class HostDto {
  @Field('Host as in URLs.', 'example.org')
  host!: string;

  @Field('Reversed host. Hosts are in its order.', 'test.site')
  key!: string;

  @Field('Registered domain.', 'example.org')
  domain!: string;

  @Field('Pages of the host.', 7)
  pages!: number;

  @RecordField(
    'Pages by status; a status without pages is left out.',
    { db_unfetched: 6, db_fetched: 1 },
    { type: 'integer' },
  )
  status!: Record<string, number>;

  @FieldOf([HostRobots], 'robots.txt by origin, as last asked for, at most 10; empty when nobody did.')
  robots!: HostRobots[];

  @FieldOf(HostPace, 'How fast FETCH asks it: with the configuration of the crawl, or that of `confId`.')
  pace!: HostPace;

  @FieldOrNull(HostPoliteness, 'When the host may be asked next; null when no fetch has queued it.')
  politeness!: HostPoliteness | null;

  @Field('Failures of the host in a row.', 0)
  failures!: number;

  @FieldOrNull(Number, 'settings.delaySeconds in milliseconds.', null)
  delayMs!: number | null;

  @FieldOf(HostSettingsDto, 'What was set by hand.')
  settings!: HostSettingsDto;

  @Field('Whether nothing new is fetched from it.', false)
  drain!: boolean;

  @HostTime('Until when the host is left alone.')
  blockedUntil!: string | null;

  @Field('Who blocked it: a hand, or the failures of its servers (429, 5xx, Retry-After).', null, {
    enum: ['hand', 'back-off', null],
    type: String,
    nullable: true,
  })
  blockedBy!: 'hand' | 'back-off' | null;

  @FieldOrNull(String, 'Home page.', null)
  homepage!: string | null;

  @RecordField('Metadata of the host.', {})
  metadata!: Record<string, unknown>;
}

export class HostList {
  @FieldOf([HostDto], 'Hosts in the order of their reversed names.')
  hosts!: HostDto[];

  @NextCursor(null)
  cursor!: string | null;
}
