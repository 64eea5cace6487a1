/** Broken links as /v1 shows them. */
import { Field, FieldOf, FieldOrNull } from '../openapi/fields.js';
import { OptionalText } from '../request/text-field.js';
import { WholeNumber } from '../request/whole-number.js';
import { PageQuery } from './page-list.params.js';

export class BrokenLinksQuery extends PageQuery {
  @OptionalText(
    255,
    'Links on the pages of one host: `www.site.test`, or reversed, `test.site.www`. Default: of every host; with `target` of its own.',
  )
  host?: string;

  @OptionalText(4_096, 'Only links to this URL, which the crawl must know.')
  target?: string;

  @WholeNumber({ description: 'Links at most.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @OptionalText(4_096, '`cursor` of the answer before: goes on behind it.')
  cursor?: string;
}

export class BrokenLink {
  @Field('Page that is linked to.', 'http://example.org/old')
  target!: string;

  @Field('Its status.', 'db_gone')
  status!: string;

  @Field('Protocol status of its last visit, by name.', 'NOTFOUND')
  protocol!: string;

  @FieldOrNull(Number, 'HTTP status of its last visit; null without an answer.', 404)
  httpStatus!: number | null;

  @Field('Page that links there.', 'http://example.org/docs/')
  source!: string;

  @Field('Text of the link.', 'the old docs')
  anchor!: string;
}

export class BrokenLinkList {
  @FieldOf([BrokenLink], 'Links in the order of the pages that have them.')
  links!: BrokenLink[];

  @FieldOrNull(
    String,
    'Give it as `cursor` to read on; null when there are no more pages. An answer may have few links, or none, and a cursor: a call reads some pages, however many of their links are broken.',
    null,
  )
  cursor!: string | null;
}
