/** `POST /v1/inspect/fetch`: one guarded fetch, nothing stored. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsString, Length, Matches } from 'class-validator';
import { PageProtocolStatus } from '../page/page.dto.js';
import { idShape, mustBeId } from '../request/ids.js';
import { ReasonDto, UrlRobots, MAX_URL_LENGTH } from './url.dto.js';

export class InspectFetch {
  @ApiProperty({ description: 'The URL, http or https.', example: 'http://example.org/' })
  @IsString()
  @Length(1, MAX_URL_LENGTH)
  url!: string;

  @ApiPropertyOptional({
    description: 'The configuration: who asks, limits, addresses, redirects.',
    default: 'default',
    example: 'default',
  })
  @Transform(({ value }) => value ?? 'default')
  @Matches(idShape, mustBeId)
  confId: string = 'default';
}

const ms = (description: string, example: number | null) => ({
  description: `${description}, ms; null when it is not known.`,
  type: Number,
  nullable: true,
  example,
});

export class FetchTimings {
  @ApiProperty(ms('Name resolution', 12))
  dns!: number | null;

  @ApiProperty(ms('TCP and TLS handshakes', 30))
  connect!: number | null;

  @ApiProperty(ms('From the call to the status line', 95))
  firstByte!: number | null;

  @ApiProperty({ description: 'From the call to the last byte, ms.', example: 120 })
  total!: number;
}

export class FetchRedirect {
  @ApiProperty({ description: 'The Location header.', type: String, nullable: true, example: '/new' })
  location!: string | null;

  @ApiProperty({
    description: 'Where it leads, absolute.',
    type: String,
    nullable: true,
    example: 'http://example.org/new',
  })
  target!: string | null;

  @ApiProperty({
    description:
      '`followed`: FETCH follows it at once (http.redirect.max). `later`: the target joins the crawl and is fetched in a later round. `dropped`: too many (http.redirect.max.exceeded.skip). `refused`: see decisions.',
    enum: ['followed', 'later', 'dropped', 'refused'],
    example: 'later',
  })
  decision!: 'followed' | 'later' | 'dropped' | 'refused';
}

export class FetchHop {
  @ApiProperty({ description: 'The URL that was asked for.', example: 'http://example.org/' })
  url!: string;

  @ApiProperty({ description: 'What its robots.txt says.', type: UrlRobots })
  robots!: UrlRobots;

  @ApiProperty({
    description: 'HTTP status; null when there was no answer.',
    type: Number,
    nullable: true,
    example: 200,
  })
  status!: number | null;

  @ApiProperty({ description: 'What FETCH makes of it.', type: PageProtocolStatus })
  protocolStatus!: PageProtocolStatus;

  @ApiProperty({ description: 'How long it took; null when nothing was asked.', type: FetchTimings, nullable: true })
  timings!: FetchTimings | null;

  @ApiProperty({ description: 'Where it leads, for a redirect.', type: FetchRedirect, nullable: true })
  redirect!: FetchRedirect | null;
}

export class InspectedFetch {
  @ApiProperty({
    description: 'The URL as the normalizers write it: what was asked for.',
    example: 'http://example.org/',
  })
  url!: string;

  @ApiProperty({ description: 'The URL of the last hop.', example: 'http://example.org/' })
  finalUrl!: string;

  @ApiProperty({ description: 'Each request, in order.', type: [FetchHop] })
  hops!: FetchHop[];

  @ApiProperty({ description: 'HTTP status of the last hop.', type: Number, nullable: true, example: 200 })
  status!: number | null;

  @ApiProperty({
    description: 'Headers of the last hop, names in lower case.',
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { 'content-type': 'text/html; charset=utf-8' },
  })
  headers!: Record<string, string>;

  @ApiProperty({
    description: 'Its Content-Type header.',
    type: String,
    nullable: true,
    example: 'text/html; charset=utf-8',
  })
  contentType!: string | null;

  @ApiProperty({ description: 'Bytes kept, content codings undone.', type: Number, nullable: true, example: 5_120 })
  bytes!: number | null;

  @ApiProperty({ description: 'Bytes of the body as they were sent.', type: Number, nullable: true, example: 1_730 })
  wireBytes!: number | null;

  @ApiProperty({
    description: 'Why the body is shorter than what the server has.',
    enum: ['length', 'time', 'disconnect', 'decode', null],
    type: String,
    nullable: true,
    example: null,
  })
  truncated!: string | null;

  @ApiProperty({ description: 'What FETCH makes of the last hop.', type: PageProtocolStatus })
  protocolStatus!: PageProtocolStatus;

  @ApiProperty({ description: 'The status that FETCH would write into the row.', example: 'db_fetched' })
  pageStatus!: string;

  @ApiProperty({ description: 'Times of the last hop.', type: FetchTimings, nullable: true })
  timings!: FetchTimings | null;

  @ApiProperty({ description: 'What was decided on the way, and by what.', type: [ReasonDto] })
  decisions!: ReasonDto[];
}
