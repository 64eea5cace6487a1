/** A page with its visits, links and content. */
import { Field, FieldOf, FieldOrNull, RecordField } from '../openapi/fields.js';
import { PageDto, PageTime } from './page.dto.js';

export class PageVisit {
  @PageTime('When the visit was written.')
  time!: string;

  @Field('Status that resulted.', 'db_fetched')
  status!: string;

  @Field('Protocol status by name.', 'SUCCESS')
  protocol!: string;

  @FieldOrNull(Number, 'HTTP status; null without a response.', 200)
  httpStatus!: number | null;

  @FieldOrNull(Number, 'Milliseconds from the request to the last byte.', 12)
  ms!: number | null;

  @FieldOrNull(Number, 'Bytes received, before decompression.', 4_096)
  bytes!: number | null;

  @FieldOrNull(String, 'Hash of the content, if FETCH also parsed the page.', null)
  signature!: string | null;

  @FieldOrNull(String, 'FETCH job.', 'k1-default-FETCH-3')
  job!: string | null;
}

export class PageInlink {
  @Field('Page that links here.', 'http://other.test/')
  url!: string;

  @FieldOrNull(String, 'Text of the link.', 'docs')
  anchor!: string | null;

  @FieldOrNull(Number, 'Score that the link last contributed; null when no inlink is stored for it.', 0.5)
  score!: number | null;
}

export class PageOutlink {
  @Field('Target page.', 'http://example.org/docs/api')
  url!: string;

  @Field('Text of the link.', 'API')
  anchor!: string;
}

export class PageContentFacts {
  @FieldOrNull(Number, 'Bytes kept, after decoding.', 4_096)
  length!: number | null;

  @FieldOrNull(Number, 'Characters of text.', 1_024)
  textLength!: number | null;

  @FieldOrNull(String, 'Character encoding with which the content was decoded.', 'UTF-8')
  charset!: string | null;

  @FieldOrNull(String, 'Why the content is incomplete; null when it is complete.', null)
  truncated!: string | null;
}

export class PageDetail extends PageDto {
  @FieldOf([PageVisit], 'Visits, newest first, at most 100.')
  history!: PageVisit[];

  @FieldOf(
    [PageInlink],
    'Links to the page, highest score first, at most 100. Links within a host are stored only with `db.ignore.internal.links` false; if links to the page are broken (`GET /v1/broken-links`), links from the pages of its host are searched, and follow the stored ones.',
  )
  inlinks!: PageInlink[];

  @FieldOrNull(
    String,
    'If not all pages of the host were searched for such links: the `cursor` with which `GET /v1/broken-links`, with this URL as `target`, continues the search. Otherwise null.',
    null,
  )
  inlinksCursor!: string | null;

  @FieldOf([PageOutlink], 'Links of the page, in page order, at most 1,000.')
  outlinks!: PageOutlink[];

  @Field('Number of stored links of the page.', 1)
  outlinkCount!: number;

  @RecordField('Headers of the response.', { 'content-type': 'text/html' })
  headers!: Record<string, unknown>;

  @FieldOrNull(PageContentFacts, 'Facts about the stored content; null when none was stored yet.')
  content!: PageContentFacts | null;
}
