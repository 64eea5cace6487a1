import { OmitType } from '@nestjs/swagger';
import { CrawlArgs } from '../../cycle/crawl/crawl.args.js';
import { type JobState, jobStates } from '../../core/job/job-states.js';
// Adds the descriptions of the inherited fields.
import '../job/args-by-type.js';
import { DEFAULT_CONF_ID } from '../../conf/conf-reading.js';
import { type JobInfo, JobsCursor } from '../job/job.dto.js';
import { Field, FieldWithDefault, OptionalField, OptionalFieldOf } from '../openapi/fields.js';
import { CopiedConfId, CrawlIdField, OptionalCrawlIdField } from '../request/ids.js';
import { NextCursor } from '../request/list-cursor.js';
import { OneWord } from '../request/one-word.js';
import { WholeNumber } from '../request/whole-number.js';

/** The body of POST /v1/crawls. */
export class CrawlRequest extends OmitType(CrawlArgs, [
  'seed',
  'skipInvalid',
  'seedName',
  'url_dir',
  'seedDir',
] as const) {
  @OptionalFieldOf(
    [String],
    'Where the crawl begins: seed lines, each a URL, optionally followed by TAB key=value. Without `seeds` and `seedName` the crawl continues with the pages it has.',
    ['http://example.org/'],
  )
  seeds?: string[];

  @OptionalField('The name of a stored seed list, instead of `seeds`.', 'docs')
  seedName?: string;

  @CrawlIdField('The crawl. Crawls are independent of each other.')
  crawlId: string = '';

  @FieldWithDefault(DEFAULT_CONF_ID, 'The configuration of which the crawl takes a copy.')
  @CopiedConfId()
  confId: string = DEFAULT_CONF_ID;
}

export class CrawlsQuery {
  @OptionalCrawlIdField('Only crawls with this crawl id.')
  crawlId?: string;

  @OneWord([...jobStates, 'ANY'], 'Only crawls in this state.', { default: 'ANY' })
  state: JobState | 'ANY' = 'ANY';

  @JobsCursor()
  cursor?: string;

  @WholeNumber({ description: 'Maximum number of crawls, newest first.', default: 100, minimum: 1, maximum: 1_000 })
  limit: number = 100;
}

export class CrawlList {
  @Field('CRAWL jobs, the newest first.', undefined, {
    type: 'array',
    items: { $ref: '#/components/schemas/CrawlJobInfo' },
  })
  crawls!: JobInfo[];

  @NextCursor(null)
  cursor!: string | null;
}
