import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsDefined, IsIn, IsObject, IsOptional, Matches } from 'class-validator';
import {
  type CounterGroups,
  type JobResult,
  type JobRow,
  type JobType,
  jobTypes,
  requestedTypes,
} from '../../job/job-row.js';
import { type Cure, type CureCode, cureOf, endCodes, failureCodes } from '../../job/job-cure.js';
import { type JobState, isFinal, jobStates } from '../../job/job-states.js';
import { masked } from '../../conf/conf-texts.js';
import { crawlIdShape, idShape, mustBeCrawlId, mustBeId } from '../request/ids.js';
import { WholeNumber } from '../request/whole-number.js';

export const DEFAULT_CONF = 'default';

/** JobConfig: the job that is to be made. */
export class JobConfig {
  @ApiProperty({
    description: 'What the job does.',
    enum: requestedTypes,
    example: 'INJECT',
  })
  @IsIn(requestedTypes)
  type!: JobType;

  @ApiPropertyOptional({
    description: 'The crawl that the job works on; crawls never see each other.',
    example: 'k1',
    default: '',
  })
  @Transform(({ value }) => value ?? '')
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId: string = '';

  @ApiPropertyOptional({
    description: 'The configuration that the job takes a copy of.',
    example: 'default',
    default: DEFAULT_CONF,
  })
  @Transform(({ value }) => (value === null || value === undefined || value === '' ? DEFAULT_CONF : value))
  @Matches(idShape, mustBeId)
  confId: string = DEFAULT_CONF;

  @ApiProperty({
    description:
      'Arguments of the job: text (1.x) or JSON values (2.x). Required, {} when there are none. Unknown ones are kept, change nothing, and stand in the header `Orbweaver-Notice`; an unknown `seed` is not kept.',
    type: 'object',
    additionalProperties: true,
    example: { seed: 'http://example.org/' },
  })
  @IsDefined()
  @IsObject()
  args!: Record<string, unknown>;
}

/** What can be done about a job that did not do what it was asked for. */
export class JobCure implements Cure {
  @ApiProperty({
    description: 'What went wrong: of a failed job its `result.failure`.',
    enum: [...failureCodes, ...endCodes],
    enumName: 'JobCureCode',
    example: 'AGENT_NAME_MISSING',
  })
  code!: CureCode;

  @ApiProperty({
    description: 'What to do.',
    example:
      'Say who crawls: set http.agent.name in configuration "default" (PUT /config/default/http.agent.name), then run it again.',
  })
  message!: string;

  @ApiProperty({
    description: 'The property of its configuration that is to be set; null where it is none.',
    example: 'http.agent.name',
    nullable: true,
    type: String,
  })
  property!: string | null;

  @ApiProperty({
    description: 'Whether the same job may do better once that is done: `POST /v1/jobs/{id}/run-again`.',
    example: true,
  })
  again!: boolean;
}

/** JobInfo: a job as it is now. */
export class JobInfo {
  @ApiProperty({ description: '`[<crawlId>-]<confId>-<TYPE>-<number>`.', example: 'k1-default-INJECT-1' })
  id!: string;

  @ApiProperty({ description: 'What the job does.', enum: jobTypes, enumName: 'JobType', example: 'INJECT' })
  type!: JobType;

  @ApiProperty({ description: 'The configuration it was made with.', example: 'default' })
  confId!: string;

  @ApiProperty({
    description: 'Its arguments.',
    type: 'object',
    additionalProperties: true,
    example: { seedName: 's1' },
  })
  args!: Record<string, unknown>;

  @ApiProperty({
    description:
      'Null until the job has ended. `result`: "0" done, "1" nothing to do, "-1" failed; `reason`: done, stopped, no-urls, time-limit …; `counters`: group, name, number. GENERATE adds `generate.batch.id` and `generate.count`.',
    type: 'object',
    additionalProperties: true,
    nullable: true,
    example: { result: '0', reason: 'done', counters: { injector: { urls_injected: 1 } } },
  })
  result!: JobResult | null;

  @ApiProperty({ description: 'Its state.', enum: jobStates, enumName: 'JobState', example: 'FINISHED' })
  state!: JobState;

  @ApiProperty({ description: 'What it does or waits for; OK; or why it failed.', example: 'OK' })
  msg!: string;

  @ApiPropertyOptional({
    description:
      'What can be done about a job that failed, was aborted, or is a crawl that fetched no page; else it is left out.',
    type: JobCure,
  })
  cure?: JobCure;

  @ApiProperty({ description: 'The crawl it works on.', example: 'k1' })
  crawlId!: string;

  @ApiProperty({ description: 'The CRAWL job that made it.', example: null, nullable: true, type: String })
  parent!: string | null;

  @ApiProperty({
    description: 'The round of that crawl; 0 is what goes before the first.',
    example: null,
    nullable: true,
    type: Number,
  })
  round!: number | null;

  @ApiProperty({ description: 'Whether it is paused; `state` stays as it was.', example: false })
  paused!: boolean;

  @ApiProperty({ description: 'When it was made.', format: 'date-time', example: '2026-11-20T02:40:00.000Z' })
  createdAt!: string;

  @ApiProperty({
    description: 'When a worker took it; null while it waits.',
    format: 'date-time',
    example: '2026-11-20T02:40:00.100Z',
    nullable: true,
    type: String,
  })
  startedAt!: string | null;

  @ApiProperty({
    description: 'When it ended; null until then.',
    format: 'date-time',
    example: '2026-11-20T02:40:01.000Z',
    nullable: true,
    type: String,
  })
  endedAt!: string | null;
}

/** A job with what it has counted so far. */
export class JobProgress extends JobInfo {
  @ApiProperty({
    description: 'Counters so far: group, name, number. They move while the job runs.',
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: { type: 'integer' } },
    example: { FetcherStatus: { SUCCESS: 12 } },
  })
  counters!: CounterGroups;

  @ApiPropertyOptional({
    description: 'Of a CRAWL: the jobs it made, oldest first; of more than 1,000 the newest.',
    type: [JobInfo],
  })
  children?: JobInfo[];
}

/** A row of the job table as clients see it; arguments that look like secrets are masked. */
export function jobInfoOf(job: JobRow): JobInfo {
  const { id, type, confId, result, state, crawlId, parent, round } = job;
  const paused = job.pausedAt !== null && !isFinal(state);
  const msg = paused ? `paused; ${job.msg}` : job.msg;
  const args = masked(job.args);
  const times = {
    createdAt: job.createdAt.toISOString(),
    startedAt: job.startedAt?.toISOString() ?? null,
    endedAt: job.endedAt?.toISOString() ?? null,
  };
  const cure = cureOf(job);
  return {
    id,
    type,
    confId,
    args,
    result,
    state,
    msg,
    ...(cure && { cure }),
    crawlId,
    parent,
    round,
    paused,
    ...times,
  };
}

/** The number of the last job that was shown: it stays true when that job is deleted. */
export const JobsCursor = (): PropertyDecorator =>
  applyDecorators(
    Matches(/^\d{1,18}$/, { message: 'cursor must be the cursor of an answer' }),
    IsOptional(),
    ApiPropertyOptional({ description: '`cursor` of the answer before: goes on behind its last job.' }),
  );

export class JobsQuery {
  @ApiPropertyOptional({ description: 'Jobs of this crawl only.', example: 'k1' })
  @IsOptional()
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId?: string;

  @ApiPropertyOptional({
    description: 'Jobs in this state only; ANY for all.',
    enum: [...jobStates, 'ANY'],
    default: 'ANY',
  })
  @IsIn([...jobStates, 'ANY'])
  state: JobState | 'ANY' = 'ANY';

  @JobsCursor()
  cursor?: string;

  @WholeNumber({
    description:
      'Jobs at most, the newest first; without a cursor, those that have not ended are shown besides, however old.',
    default: 100,
    minimum: 1,
    maximum: 1_000,
  })
  limit: number = 100;
}

export class JobEventsQuery {
  @ApiPropertyOptional({ description: 'Events after the one of this id.', default: '0' })
  @Matches(/^\d{1,18}$/, { message: 'after must be the id of an event' })
  after: string = '0';

  @WholeNumber({ description: 'Events at most.', default: 1_000, minimum: 1, maximum: 10_000 })
  limit: number = 1_000;
}

/** An entry of the log of a job. */
export class JobEventDto {
  @ApiProperty({ description: 'Grows with time; give the last one as `after` to go on.', example: '17' })
  id!: string;

  @ApiProperty({ description: 'When it happened.', format: 'date-time', example: '2026-11-20T02:40:00.100Z' })
  time!: string;

  @ApiProperty({ description: 'What it tells of.', enum: ['state', 'task', 'progress', 'warning'], example: 'state' })
  kind!: string;

  @ApiProperty({
    description: 'The particulars.',
    type: 'object',
    additionalProperties: true,
    example: { state: 'RUNNING' },
  })
  data!: Record<string, unknown>;
}
