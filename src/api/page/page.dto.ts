/** Pages as /v1 shows them: names for statuses, ISO 8601 times in UTC, hosts as they stand in URLs. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** A time or null, as OpenAPI describes it. */
export const time = (description: string) => ({
  description: `${description} ISO 8601, UTC.`,
  nullable: true,
  type: String,
  format: 'date-time',
  example: '2026-01-31T12:00:00.000Z',
});
/** A text or null, as OpenAPI describes it. */
export const textOrNull = (description: string, example: string | null) => ({
  description,
  nullable: true,
  type: String,
  example,
});

export class PageMarks {
  @ApiProperty(textOrNull('`y` for a seed, `s` for a sitemap.', 'y'))
  inject!: string | null;

  @ApiProperty(textOrNull('Batch that the page is in now.', null))
  generate!: string | null;

  @ApiProperty(textOrNull('The same batch, once fetched.', null))
  fetch!: string | null;

  @ApiProperty(textOrNull('The same batch, once parsed.', null))
  parse!: string | null;

  @ApiProperty(textOrNull('Batch with which UPDATEDB took the page in last.', '1769860000-17'))
  update!: string | null;

  @ApiProperty(textOrNull('Batch that was indexed last.', null))
  index!: string | null;
}

export class PageProtocolStatus {
  @ApiProperty({ description: 'Code of the last visit.', example: 1 })
  code!: number;

  @ApiProperty({ description: 'Its name.', example: 'SUCCESS' })
  name!: string;

  @ApiProperty({
    description: 'Its words: target of a redirect, line of robots.txt, message of an error.',
    type: [String],
    example: [],
  })
  args!: string[];
}

export class PageParseStatus {
  @ApiProperty({ description: '0 not parsed, 1 success, 2 failed.', example: 1 })
  major!: number;

  @ApiProperty({ description: 'Why.', example: 0 })
  minor!: number;

  @ApiProperty({ description: 'Both as words.', example: 'success/ok' })
  name!: string;

  @ApiProperty({
    description: 'Target and seconds of a refresh, or the reason of a failure.',
    type: [String],
    example: [],
  })
  args!: string[];
}

/** A row of the web table. */
export class PageDto {
  @ApiProperty({ description: 'The URL.', example: 'http://example.org/docs/' })
  url!: string;

  @ApiProperty({
    description: 'Row key: the URL with its host reversed. Pages are in its order.',
    example: 'test.site:http/docs/',
  })
  key!: string;

  @ApiProperty({ description: 'Host.', example: 'example.org' })
  host!: string;

  @ApiProperty({ description: 'Registered domain of the host.', example: 'example.org' })
  domain!: string;

  @ApiProperty({ description: 'Status by name.', example: 'db_fetched' })
  status!: string;

  @ApiProperty({ description: 'Status by number.', example: 2 })
  statusCode!: number;

  @ApiProperty({ description: 'Importance (OPIC).', example: 1 })
  score!: number;

  @ApiProperty({ description: 'Fewest links from a seed.', example: 0 })
  distance!: number;

  @ApiProperty({ ...time('When the page is due; between FETCH and UPDATEDB: when it was visited.'), nullable: false })
  fetchTime!: string;

  @ApiProperty(time('When it had been due before the last visit.'))
  prevFetchTime!: string | null;

  @ApiProperty({ description: 'Seconds between two visits.', example: 2_592_000 })
  fetchInterval!: number;

  @ApiProperty({ description: 'Temporary failures in a row.', example: 0 })
  retries!: number;

  @ApiProperty(time('When the content last changed, as far as known.'))
  modifiedTime!: string | null;

  @ApiProperty(time('The value before.'))
  prevModifiedTime!: string | null;

  @ApiProperty(textOrNull('Batch that the page was last generated into.', '1769860000-17'))
  batchId!: string | null;

  @ApiProperty({ description: 'What the steps left on the page.', type: PageMarks })
  marks!: PageMarks;

  @ApiProperty({
    description: 'How the last visit ended; null when there was none.',
    type: PageProtocolStatus,
    nullable: true,
  })
  protocolStatus!: PageProtocolStatus | null;

  @ApiProperty({
    description: 'HTTP status of the last visit; null without an answer.',
    type: Number,
    nullable: true,
    example: 200,
  })
  httpStatus!: number | null;

  @ApiProperty({
    description: 'How parsing ended; null when the page was not parsed.',
    type: PageParseStatus,
    nullable: true,
  })
  parseStatus!: PageParseStatus | null;

  @ApiProperty(textOrNull('Fingerprint of the content.', 'd41d8cd98f00b204e9800998ecf8427e'))
  signature!: string | null;

  @ApiProperty(textOrNull('The fingerprint before.', null))
  prevSignature!: string | null;

  @ApiProperty(textOrNull('Title.', 'Documentation'))
  title!: string | null;

  @ApiProperty(textOrNull('Content-Type as it came.', 'text/html'))
  contentType!: string | null;

  @ApiProperty(textOrNull('URL that answered.', 'http://example.org/docs/'))
  baseUrl!: string | null;

  @ApiProperty(textOrNull('URL that should stand for a redirected page.', null))
  reprUrl!: string | null;

  @ApiProperty(textOrNull('Where a redirect leads.', null))
  redirectUrl!: string | null;

  @ApiProperty({
    description: 'How the page was found.',
    enum: ['seed', 'link', 'redirect', 'sitemap'],
    example: 'seed',
  })
  sourceKind!: string;

  @ApiProperty(textOrNull('ETag of the answer.', null))
  etag!: string | null;

  @ApiProperty(time('Last-Modified of the answer.'))
  lastModified!: string | null;

  @ApiPropertyOptional({
    description:
      'Why only a part of its content is stored, although it was fetched: `length` (http.content.limit), `time`, `disconnect`, `decode`. Left out of a page whose content is whole.',
    example: 'length',
  })
  truncated?: string;

  @ApiProperty({
    description: 'Metadata of seed and page.',
    type: 'object',
    additionalProperties: true,
    example: { language: 'en' },
  })
  metadata!: Record<string, unknown>;
}

export class PageList {
  @ApiProperty({ description: 'Pages in the order of their row keys.', type: [PageDto] })
  pages!: PageDto[];

  @ApiProperty(
    textOrNull(
      'Give it as `cursor` to read on (it is the key of the last page); null when there is nothing more.',
      null,
    ),
  )
  cursor!: string | null;
}
