/** `POST /v1/inspect/fetch`: one guarded fetch, nothing stored. */
import { IsString, Length } from 'class-validator';
import { Field, FieldOf, FieldOrNull, RecordField } from '../openapi/fields.js';
import { PageProtocolStatus } from '../page/page.dto.js';
import { ConfIdField } from '../request/ids.js';
import { ReasonDto, UrlRobots, MAX_URL_IN_BODY } from './url.dto.js';

export class InspectFetch {
  @Field('The URL, http or https.', 'http://example.org/')
  @Length(1, MAX_URL_IN_BODY)
  @IsString()
  url!: string;

  @ConfIdField('The configuration: agent name, limits, addresses, redirects.')
  confId: string = 'default';
}

const Milliseconds = (description: string, example: number): PropertyDecorator =>
  FieldOrNull(Number, `${description}, ms; null when it is not known.`, example);

export class FetchTimings {
  @Milliseconds('Name resolution', 12)
  dns!: number | null;

  @Milliseconds('TCP and TLS handshakes', 30)
  connect!: number | null;

  @Milliseconds('From the call to the status line', 95)
  firstByte!: number | null;

  @Field('From the call to the last byte, ms.', 120)
  total!: number;
}

export class FetchRedirect {
  @FieldOrNull(String, 'The Location header.', '/new')
  location!: string | null;

  @FieldOrNull(String, 'The target, absolute.', 'http://example.org/new')
  target!: string | null;

  @Field(
    '`followed`: FETCH follows it immediately (http.redirect.max). `later`: the target joins the crawl and is fetched in a later round. `dropped`: too many (http.redirect.max.exceeded.skip). `refused`: see decisions.',
    'later',
    { enum: ['followed', 'later', 'dropped', 'refused'] },
  )
  decision!: 'followed' | 'later' | 'dropped' | 'refused';
}

export class FetchHop {
  @Field('The requested URL.', 'http://example.org/')
  url!: string;

  @FieldOf(UrlRobots, 'What its robots.txt says.')
  robots!: UrlRobots;

  @FieldOrNull(Number, 'HTTP status; null when there was no response.', 200)
  status!: number | null;

  @FieldOf(PageProtocolStatus, 'The protocol status that FETCH derives.')
  protocolStatus!: PageProtocolStatus;

  @FieldOrNull(FetchTimings, 'How long it took; null when no request was sent.')
  timings!: FetchTimings | null;

  @FieldOrNull(FetchRedirect, 'The redirect, if it is one.')
  redirect!: FetchRedirect | null;
}

export class InspectedFetch {
  @Field('The normalized URL, which was requested.', 'http://example.org/')
  url!: string;

  @Field('The URL of the last hop.', 'http://example.org/')
  finalUrl!: string;

  @FieldOf([FetchHop], 'Each request, in order.')
  hops!: FetchHop[];

  @FieldOrNull(Number, 'HTTP status of the last hop.', 200)
  status!: number | null;

  @RecordField(
    'Headers of the last hop, names in lower case.',
    { 'content-type': 'text/html; charset=utf-8' },
    { type: 'string' },
  )
  headers!: Record<string, string>;

  @FieldOrNull(String, 'Its Content-Type header.', 'text/html; charset=utf-8')
  contentType!: string | null;

  @FieldOrNull(Number, 'Bytes kept, after decompression.', 5_120)
  bytes!: number | null;

  @FieldOrNull(Number, 'Bytes of the body as they were sent.', 1_730)
  wireBytes!: number | null;

  @Field('Why the body is incomplete.', null, {
    enum: ['length', 'time', 'disconnect', 'decode', null],
    type: String,
    nullable: true,
  })
  truncated!: string | null;

  @FieldOf(PageProtocolStatus, 'The protocol status that FETCH derives from the last hop.')
  protocolStatus!: PageProtocolStatus;

  @Field('The status that FETCH would write into the row.', 'db_fetched')
  pageStatus!: string;

  @FieldOrNull(FetchTimings, 'Times of the last hop.')
  timings!: FetchTimings | null;

  @FieldOf([ReasonDto], 'The decisions, and what caused them.')
  decisions!: ReasonDto[];
}
