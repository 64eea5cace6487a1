/** Hosts under /v1. */
import { ID_SHAPE } from '../../core/id-shape.js';
import { MAX_DELAY_S, MAX_THREADS_PER_QUEUE } from '../../core/politeness/pace.js';
import { applyDecorators } from '@nestjs/common';
import { IsBoolean, IsInt, IsNumber, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { Field, FieldOf, FieldOrNull, OptionalField, RecordField, TimeField, TimeOrNull } from '../openapi/fields.js';
import { CrawlIdField, mustBeId } from '../request/ids.js';
import { IdCursorField, NextCursor } from '../request/list-cursor.js';
import { OptionalText } from '../request/text-field.js';
import { WholeNumber } from '../request/whole-number.js';

const HostTime = (description: string): PropertyDecorator => TimeOrNull(`${description} ISO 8601, UTC.`, null);

/** A reversed host and a slash, which no host contains: other text is not a cursor. */
export const HOST_CURSOR = /^[^\s/]{1,1000}\/$/;

/** One host: its crawl, and the configuration for its delay and for the meaning of answers to GET /robots.txt. */
export class HostQuery {
  @CrawlIdField()
  crawlId: string = '';

  @OptionalField(
    'Configuration that determines the delay of the host (`fetcher.*`) and the meaning of the answer to GET /robots.txt (`http.robots.*`). Without it: the copy of the newest CRAWL or FETCH of the crawl that has not ended, else of the newest, else `default`.',
    'default',
    { pattern: ID_SHAPE.source },
  )
  @IsOptional()
  @Matches(ID_SHAPE, mustBeId)
  confId?: string;
}

export class HostsQuery extends HostQuery {
  @OptionalText(255, 'Prefix of the reversed host: `org.apache.`.')
  prefix?: string;

  @OptionalText(255, 'Registered domain, as in URLs: `apache.org`.')
  domain?: string;

  @WholeNumber({ description: 'Maximum number of hosts.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @IdCursorField(HOST_CURSOR, 'its last host')
  cursor?: string;
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const CLEARED = 'null removes it.';
/** A delay in seconds; null removes it. */
const DelayField = (description: string): PropertyDecorator =>
  applyDecorators(
    IsNumber({}, { message: '$property must be a number' }),
    Min(0),
    Max(MAX_DELAY_S),
    IsOptional(),
    OptionalField(`${description} ${CLEARED}`, undefined, {
      type: Number,
      nullable: true,
      minimum: 0,
      maximum: MAX_DELAY_S,
    }),
  );

/** The body of `PATCH /v1/hosts/{host}`. Missing fields are left unchanged. */
export class HostChanges {
  @OptionalField(
    `Until when the host is blocked: ISO 8601 with a time zone, in the future, at most ten years ahead. null ends any block, also a back-off after failures of the host.`,
    undefined,
    { type: String, format: 'date-time', nullable: true },
  )
  @IsOptional()
  @IsString()
  @Matches(ISO_TIME, {
    message: 'blockedUntil must be an ISO 8601 time with a time zone, such as 2030-01-31T08:00:00Z',
  })
  blockedUntil?: string | null;

  @DelayField('Delay after a request, instead of fetcher.server.delay.')
  delaySeconds?: number | null;

  @DelayField('Delay when the queue has several threads, instead of fetcher.server.min.delay (or delaySeconds).')
  minDelaySeconds?: number | null;

  @OptionalField(`Concurrent requests, instead of fetcher.threads.per.queue. ${CLEARED}`, undefined, {
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MAX_THREADS_PER_QUEUE,
  })
  @IsOptional()
  @Max(MAX_THREADS_PER_QUEUE)
  @Min(1)
  @IsInt()
  threads?: number | null;

  @OptionalField('true: no page of the host is generated until this is removed (false or null).', true, {
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
    'What the file means: its rules apply, everything is allowed, nothing is allowed, or requests are deferred.',
    'rules',
    { enum: ['rules', 'allow-all', 'deny-all', 'defer'] },
  )
  state!: string;

  @FieldOrNull(Number, 'HTTP status of the answer.', 200)
  httpStatus!: number | null;

  @TimeField('When it was requested. ISO 8601, UTC.')
  fetchedAt!: string;

  @Field('Seconds since then.', 60)
  ageSeconds!: number;

  @TimeField('When it expires. ISO 8601, UTC.')
  expiresAt!: string;

  @Field('Whether the next fetch requests it again.', false)
  expired!: boolean;

  @Field('Bytes of the file.', 42)
  bytes!: number;

  @FieldOrNull(Number, 'Crawl-delay for the crawler that fetched the file, seconds.', null)
  crawlDelay!: number | null;

  @FieldOrNull(String, 'Why the last request for it failed; null: it did not.', null)
  error!: string | null;

  @Field('Failures in a row: by an HTTP status, or by the network (counted once a day).', 0)
  failures!: number;
}

/** How fast FETCH would send requests to the host. */
export class HostPace {
  @FieldOrNull(
    String,
    'Fetch queue of the host (fetcher.queue.mode); null: that of its address, which is not resolved here.',
    'example.org',
  )
  queue!: string | null;

  @Field('Delay after a request, seconds.', 5)
  delaySeconds!: number;

  @Field('Concurrent requests.', 1)
  threads!: number;

  @Field('Source of the delay: a property, the settings of the host, or Crawl-delay of its robots.txt.', 'property', {
    enum: ['property', 'host', 'robots'],
  })
  source!: string;

  @Field('Whether Crawl-delay exceeds fetcher.max.crawl.delay, so that nothing is fetched.', false)
  refused!: boolean;

  @FieldOrNull(
    String,
    'The job whose copy of a configuration was used; null: the requested configuration, or `default`.',
    'k1-default-CRAWL-1',
  )
  job!: string | null;
}

/** Manual settings; null: the properties apply. */
export class HostSettingsDto {
  @FieldOrNull(Number, 'Delay after a request.', null)
  delaySeconds!: number | null;

  @FieldOrNull(Number, 'Delay when there are several threads.', null)
  minDelaySeconds!: number | null;

  @FieldOrNull(Number, 'Concurrent requests.', null)
  threads!: number | null;
}

export class HostPoliteness {
  @Field('Fetch queue: the host, or its domain with fetcher.queue.mode byDomain.', 'example.org')
  queue!: string;

  @TimeField('When the next request may start. ISO 8601, UTC.')
  nextAt!: string;

  @TimeField('When the lease of the queue ends. ISO 8601, UTC.')
  leaseUntil!: string;

  @HostTime('Until when its servers asked not to be sent requests, in any crawl.')
  blockedUntil!: string | null;
}

export class HostDto {
  @Field('Host as in URLs.', 'example.org')
  host!: string;

  @Field('Reversed host, by which hosts are sorted.', 'test.site')
  key!: string;

  @Field('Registered domain.', 'example.org')
  domain!: string;

  @Field('Number of pages of the host.', 7)
  pages!: number;

  @RecordField(
    'Number of pages by status; a status without pages is omitted.',
    { db_unfetched: 6, db_fetched: 1 },
    { type: 'integer' },
  )
  status!: Record<string, number>;

  @FieldOf([HostRobots], 'robots.txt by origin, as last requested, at most 10; empty when it was never requested.')
  robots!: HostRobots[];

  @FieldOf(HostPace, 'How fast FETCH sends requests to it: with the configuration of the crawl, or that of `confId`.')
  pace!: HostPace;

  @FieldOrNull(HostPoliteness, 'When the next request may be sent; null when no fetch has queued it.')
  politeness!: HostPoliteness | null;

  @Field('Failures of the host in a row.', 0)
  failures!: number;

  @FieldOrNull(Number, 'settings.delaySeconds in milliseconds.', null)
  delayMs!: number | null;

  @FieldOf(HostSettingsDto, 'Manual settings.')
  settings!: HostSettingsDto;

  @Field('Whether the host is drained: none of its pages is generated.', false)
  drain!: boolean;

  @HostTime('Until when the host is blocked.')
  blockedUntil!: string | null;

  @Field('What blocked it: an operator (`hand`), or failures of its servers (429, 5xx, Retry-After).', null, {
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
