/** A page with what stands around it. */
import { Field, FieldOf, FieldOrNull, RecordField } from '../openapi/fields.js';
import { PageDto, PageTime } from './page.dto.js';

export class PageVisit {
  @PageTime('When the visit was written.')
  time!: string;

  @Field('Status that came of it.', 'db_fetched')
  status!: string;

  @Field('Protocol status by name.', 'SUCCESS')
  protocol!: string;

  @FieldOrNull(Number, 'HTTP status; null without an answer.', 200)
  httpStatus!: number | null;

  @FieldOrNull(Number, 'Milliseconds from request to last byte.', 12)
  ms!: number | null;

  @FieldOrNull(Number, 'Bytes on the wire.', 4_096)
  bytes!: number | null;

  @FieldOrNull(String, 'Fingerprint, when parsed in the same breath.', null)
  signature!: string | null;

  @FieldOrNull(String, 'FETCH job.', 'k1-default-FETCH-3')
  job!: string | null;
}

export class PageInlink {
  @Field('Page that links here.', 'http://other.test/')
  url!: string;

  @FieldOrNull(String, 'Text of the link.', 'docs')
  anchor!: string | null;

  @FieldOrNull(Number, 'Score that the link handed over when last paid; null where no inlink of it is stored.', 0.5)
  score!: number | null;
}

export class PageOutlink {
  @Field('Page that is linked to.', 'http://example.org/docs/api')
  url!: string;

  @Field('Text of the link.', 'API')
  anchor!: string;
}

export class PageContentFacts {
  @FieldOrNull(Number, 'Bytes kept, after decoding.', 4_096)
  length!: number | null;

  @FieldOrNull(Number, 'Characters of text.', 1_024)
  textLength!: number | null;

  @FieldOrNull(String, 'Encoding the content was read in.', 'UTF-8')
  charset!: string | null;

  @FieldOrNull(String, 'Why the content is not whole; null when it is.', null)
  truncated!: string | null;
}

export class PageDetail extends PageDto {
  @FieldOf([PageVisit], 'Visits, newest first, at most 100.')
  history!: PageVisit[];

  @FieldOf(
    [PageInlink],
    'Links to the page, best first, at most 100. Those inside a host are stored only with `db.ignore.internal.links` false; of a page to which links are broken (`GET /v1/broken-links`) they are looked for in the pages of its host, and stand behind those that are stored.',
  )
  inlinks!: PageInlink[];

  @FieldOrNull(
    String,
    'Where not all pages of the host were looked through for such links: the `cursor` of `GET /v1/broken-links` with this URL as `target` that goes on behind them. Else null.',
    null,
  )
  inlinksCursor!: string | null;

  @FieldOf([PageOutlink], 'Links of the page, in page order, at most 1,000.')
  outlinks!: PageOutlink[];

  @Field('How many links of the page are stored.', 1)
  outlinkCount!: number;

  @RecordField('Headers of the answer.', { 'content-type': 'text/html' })
  headers!: Record<string, unknown>;

  @FieldOrNull(PageContentFacts, 'What is stored of the content; null before the first.')
  content!: PageContentFacts | null;
}
