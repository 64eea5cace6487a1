import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsIn, IsOptional, Matches } from 'class-validator';
import { CrawlArgs } from '../../cycle/crawl/crawl.args.js';
import { type JobState, jobStates } from '../../job/job-states.js';
// The words of what it takes over.
import '../job/args-of.js';
import { DEFAULT_CONF, type JobInfo, JobsCursor } from '../job/job.dto.js';
import { crawlIdShape, idShape, mustBeCrawlId, mustBeId } from '../request/ids.js';
import { WholeNumber } from '../request/whole-number.js';

/** A crawl that is to be made: POST /v1/crawls. */
export class CrawlRequest extends OmitType(CrawlArgs, [
  'seed',
  'skipInvalid',
  'seedName',
  'url_dir',
  'seedDir',
] as const) {
  @ApiPropertyOptional({
    description:
      'Where the crawl begins: seed lines, each a URL, perhaps with TAB key=value behind it. Without `seeds` and `seedName` the crawl goes on with the pages it has.',
    type: [String],
    example: ['http://example.org/'],
  })
  seeds?: string[];

  @ApiPropertyOptional({ description: 'The name of a stored seed list, in place of `seeds`.', example: 'docs' })
  seedName?: string;

  @ApiPropertyOptional({ description: 'The crawl; crawls never see each other.', example: 'k1', default: '' })
  @Transform(({ value }) => value ?? '')
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId: string = '';

  @ApiPropertyOptional({ description: 'The configuration that the crawl takes a copy of.', default: DEFAULT_CONF })
  @Transform(({ value }) => (value === null || value === undefined || value === '' ? DEFAULT_CONF : value))
  @Matches(idShape, mustBeId)
  confId: string = DEFAULT_CONF;
}

export class CrawlsQuery {
  @ApiPropertyOptional({ description: 'Crawls of this crawl id only.', example: 'k1' })
  @IsOptional()
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId?: string;

  @ApiPropertyOptional({ description: 'Crawls in this state only.', enum: [...jobStates, 'ANY'], default: 'ANY' })
  @IsIn([...jobStates, 'ANY'])
  state: JobState | 'ANY' = 'ANY';

  @JobsCursor()
  cursor?: string;

  @WholeNumber({ description: 'Crawls at most, the newest first.', default: 100, minimum: 1, maximum: 1_000 })
  limit: number = 100;
}

export class CrawlList {
  @ApiProperty({
    description: 'CRAWL jobs, the newest first.',
    type: 'array',
    items: { $ref: '#/components/schemas/CrawlJobInfo' },
  })
  crawls!: JobInfo[];

  @ApiProperty({
    description: 'Give it as `cursor` to read on; null when there is nothing more.',
    example: null,
    nullable: true,
    type: String,
  })
  cursor!: string | null;
}
