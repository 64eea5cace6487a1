/** Pages under /v1: statuses by name, ISO 8601 times in UTC, hosts as in URLs. */
import { Field, FieldOf, FieldOrNull, OptionalField, OptionalFieldOf, RecordField } from '../openapi/fields.js';

const EXAMPLE = '2026-01-31T12:00:00.000Z';

export const PageTime = (description: string, nullable = false): PropertyDecorator =>
  Field(`${description} ISO 8601, UTC.`, EXAMPLE, { type: String, nullable, format: 'date-time' });

const PageTimeOrNull = (description: string): PropertyDecorator => PageTime(description, true);

export class PageMarks {
  @FieldOrNull(String, '`y` for a seed, `s` for a sitemap.', 'y')
  inject!: string | null;

  @FieldOrNull(String, 'Batch that the page is in now.', null)
  generate!: string | null;

  @FieldOrNull(String, 'Batch that the page is in now, after FETCH.', null)
  fetch!: string | null;

  @FieldOrNull(String, 'Batch that the page is in now, after PARSE.', null)
  parse!: string | null;

  @FieldOrNull(String, 'Batch with which UPDATEDB last updated the page.', '1769860000-17')
  update!: string | null;

  @FieldOrNull(String, 'Batch that was last indexed.', null)
  index!: string | null;
}

export class PageProtocolStatus {
  @Field('Code of the last visit.', 1)
  code!: number;

  @Field('Its name.', 'SUCCESS')
  name!: string;

  @FieldOf([String], 'Details: target of a redirect, line of robots.txt, message of an error.', [])
  args!: string[];
}

export class PageParseStatus {
  @Field('0 not parsed, 1 success, 2 failed.', 1)
  major!: number;

  @Field('The reason.', 0)
  minor!: number;

  @Field('Both as text.', 'success/ok')
  name!: string;

  @FieldOf([String], 'Target and seconds of a refresh, or the reason of a failure.', [])
  args!: string[];
}

/** Ranks of a page, computed from the links of the crawl. */
export class PageRanks {
  @FieldOrNull(Number, 'LINKRANK: its score; null before the first run, and for a page without links that count.', 1.2)
  linkRank!: number | null;

  @FieldOrNull(Number, 'PAGERANK: its score; the sum over all pages is 1.', 0.001)
  pageRank!: number | null;

  @FieldOrNull(Number, 'HITS: hub score; the sum over all pages is 1.', 0.002)
  hub!: number | null;

  @FieldOrNull(Number, 'HITS: authority score; the sum over all pages is 1.', 0.003)
  authority!: number | null;

  @FieldOrNull(
    Number,
    'WEBGRAPH, LINKRANK: number of pages that link to it, without ignored links (`link.ignore.*`).',
    3,
  )
  inlinks!: number | null;

  @FieldOrNull(
    Number,
    'WEBGRAPH, LINKRANK: number of pages that it links to, without ignored links (`link.ignore.*`).',
    2,
  )
  outlinks!: number | null;
}

/** A row of the web table. */
export class PageDto {
  @Field('The URL.', 'http://example.org/docs/')
  url!: string;

  @Field('Row key: the URL with its host reversed. Pages are sorted by it.', 'test.site:http/docs/')
  key!: string;

  @Field('Host.', 'example.org')
  host!: string;

  @Field('Registered domain of the host.', 'example.org')
  domain!: string;

  @Field('Status by name.', 'db_fetched')
  status!: string;

  @Field('Status by number.', 2)
  statusCode!: number;

  @Field('Importance (OPIC).', 1)
  score!: number;

  @OptionalFieldOf(
    PageRanks,
    'Results of LINKRANK, PAGERANK and HITS; omitted before the first of them, and by `POST /v1/inspect/url`.',
  )
  ranks?: PageRanks;

  @Field('Smallest number of links from a seed.', 0)
  distance!: number;

  @PageTime('When the page is due; between FETCH and UPDATEDB: when it was visited.')
  fetchTime!: string;

  @PageTimeOrNull('When it was due before the last visit.')
  prevFetchTime!: string | null;

  @Field('Seconds between two visits.', 2_592_000)
  fetchInterval!: number;

  @Field('Temporary failures in a row.', 0)
  retries!: number;

  @PageTimeOrNull('When the content last changed, as far as known.')
  modifiedTime!: string | null;

  @PageTimeOrNull('The previous value.')
  prevModifiedTime!: string | null;

  @FieldOrNull(String, 'Batch for which the page was last generated.', '1769860000-17')
  batchId!: string | null;

  @FieldOf(PageMarks, 'Marks of the steps on the page.')
  marks!: PageMarks;

  @FieldOrNull(PageProtocolStatus, 'How the last visit ended; null when there was none.')
  protocolStatus!: PageProtocolStatus | null;

  @FieldOrNull(Number, 'HTTP status of the last visit; null without a response.', 200)
  httpStatus!: number | null;

  @FieldOrNull(PageParseStatus, 'How parsing ended; null when the page was not parsed.')
  parseStatus!: PageParseStatus | null;

  @FieldOrNull(String, 'Hash of the content.', 'd41d8cd98f00b204e9800998ecf8427e')
  signature!: string | null;

  @FieldOrNull(String, 'The previous signature.', null)
  prevSignature!: string | null;

  @FieldOrNull(String, 'Title.', 'Documentation')
  title!: string | null;

  @FieldOrNull(String, 'Content-Type of the response.', 'text/html')
  contentType!: string | null;

  @FieldOrNull(String, 'URL of the response.', 'http://example.org/docs/')
  baseUrl!: string | null;

  @FieldOrNull(String, 'URL that represents a redirected page.', null)
  reprUrl!: string | null;

  @FieldOrNull(String, 'Target of a redirect.', null)
  redirectUrl!: string | null;

  @Field('How the page was found.', 'seed', { enum: ['seed', 'link', 'redirect', 'sitemap'] })
  sourceKind!: string;

  @FieldOrNull(String, 'ETag of the response.', null)
  etag!: string | null;

  @PageTimeOrNull('Last-Modified of the response.')
  lastModified!: string | null;

  @OptionalField(
    'Why only a part of its content is stored, although it was fetched: `length` (http.content.limit), `time`, `disconnect`, `decode`. Omitted if the content is complete.',
    'length',
  )
  truncated?: string;

  @RecordField('Metadata of seed and page.', { language: 'en' })
  metadata!: Record<string, unknown>;
}

export class PageList {
  @FieldOf([PageDto], 'Pages in the order of their row keys.')
  pages!: PageDto[];

  @FieldOrNull(
    String,
    'Pass it as `cursor` to read the next pages (it is the key of the last page); null when there are no more.',
    null,
  )
  cursor!: string | null;
}
