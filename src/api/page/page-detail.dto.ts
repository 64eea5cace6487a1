/** A page with what stands around it. */
import { ApiProperty } from '@nestjs/swagger';
import { PageDto, textOrNull, time } from './page.dto.js';

export class PageVisit {
  @ApiProperty({ ...time('When the visit was written.'), nullable: false })
  time!: string;

  @ApiProperty({ description: 'Status that came of it.', example: 'db_fetched' })
  status!: string;

  @ApiProperty({ description: 'Protocol status by name.', example: 'SUCCESS' })
  protocol!: string;

  @ApiProperty({ description: 'HTTP status; null without an answer.', type: Number, nullable: true, example: 200 })
  httpStatus!: number | null;

  @ApiProperty({ description: 'Milliseconds from request to last byte.', type: Number, nullable: true, example: 12 })
  ms!: number | null;

  @ApiProperty({ description: 'Bytes on the wire.', type: Number, nullable: true, example: 4_096 })
  bytes!: number | null;

  @ApiProperty(textOrNull('Fingerprint, when parsed in the same breath.', null))
  signature!: string | null;

  @ApiProperty(textOrNull('FETCH job.', 'k1-default-FETCH-3'))
  job!: string | null;
}

export class PageInlink {
  @ApiProperty({ description: 'Page that links here.', example: 'http://other.test/' })
  url!: string;

  @ApiProperty(textOrNull('Text of the link.', 'docs'))
  anchor!: string | null;

  @ApiProperty({
    description: 'Score that the link handed over when last paid; null where no inlink of it is stored.',
    type: Number,
    nullable: true,
    example: 0.5,
  })
  score!: number | null;
}

export class PageOutlink {
  @ApiProperty({ description: 'Page that is linked to.', example: 'http://example.org/docs/api' })
  url!: string;

  @ApiProperty({ description: 'Text of the link.', example: 'API' })
  anchor!: string;
}

export class PageContentFacts {
  @ApiProperty({ description: 'Bytes kept, after decoding.', type: Number, nullable: true, example: 4_096 })
  length!: number | null;

  @ApiProperty({ description: 'Characters of text.', type: Number, nullable: true, example: 1_024 })
  textLength!: number | null;

  @ApiProperty(textOrNull('Encoding the content was read in.', 'UTF-8'))
  charset!: string | null;

  @ApiProperty(textOrNull('Why the content is not whole; null when it is.', null))
  truncated!: string | null;
}

/** A page with all that is known about it. */
export class PageDetail extends PageDto {
  @ApiProperty({ description: 'Visits, newest first, at most 100.', type: [PageVisit] })
  history!: PageVisit[];

  @ApiProperty({
    description:
      'Links to the page, best first, at most 100. Those inside a host are stored only with `db.ignore.internal.links` false; of a page to which links are broken (`GET /v1/broken-links`) they are looked for in the pages of its host, and stand behind those that are stored.',
    type: [PageInlink],
  })
  inlinks!: PageInlink[];

  @ApiProperty(
    textOrNull(
      'Where not all pages of the host were looked through for such links: the `cursor` of `GET /v1/broken-links` with this URL as `target` that goes on behind them. Else null.',
      null,
    ),
  )
  inlinksCursor!: string | null;

  @ApiProperty({ description: 'Links of the page, in page order, at most 1,000.', type: [PageOutlink] })
  outlinks!: PageOutlink[];

  @ApiProperty({ description: 'How many links of the page are stored.', example: 1 })
  outlinkCount!: number;

  @ApiProperty({
    description: 'Headers of the answer.',
    type: 'object',
    additionalProperties: true,
    example: { 'content-type': 'text/html' },
  })
  headers!: Record<string, unknown>;

  @ApiProperty({
    description: 'What is stored of the content; null before the first.',
    type: PageContentFacts,
    nullable: true,
  })
  content!: PageContentFacts | null;
}
