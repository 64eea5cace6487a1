/** Broken links under /v1. */
import { Field, FieldOf, FieldOrNull } from '../openapi/fields.js';
import { OptionalText } from '../request/text-field.js';
import { WholeNumber } from '../request/whole-number.js';
import { PageQuery } from './page-list.params.js';

export class BrokenLinksQuery extends PageQuery {
  @OptionalText(
    255,
    'Only links on the pages of one host: `www.site.test`, or reversed, `test.site.www`. Default: every host; with `target`, the host of the target.',
  )
  host?: string;

  @OptionalText(4_096, 'Only links to this URL, which the crawl must know.')
  target?: string;

  @WholeNumber({ description: 'Maximum number of links.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @OptionalText(4_096, '`cursor` of the previous answer: continues after it.')
  cursor?: string;
}

export class BrokenLink {
  @Field('Target page.', 'http://example.org/old')
  target!: string;

  @Field('Its status.', 'db_gone')
  status!: string;

  @Field('Protocol status of its last visit, by name.', 'NOTFOUND')
  protocol!: string;

  @FieldOrNull(Number, 'HTTP status of its last visit; null without a response.', 404)
  httpStatus!: number | null;

  @Field('Source page.', 'http://example.org/docs/')
  source!: string;

  @Field('Text of the link.', 'the old docs')
  anchor!: string;
}

export class BrokenLinkList {
  @FieldOf([BrokenLink], 'Links in the order of their source pages.')
  links!: BrokenLink[];

  @FieldOrNull(
    String,
    'Pass it as `cursor` to continue; null when there are no more pages. A response may contain few links, or none, and still a cursor: a call reads a fixed number of pages, however many of their links are broken.',
    null,
  )
  cursor!: string | null;
}
