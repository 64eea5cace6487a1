/** Jobs in requests and answers: the body that creates one, and the forms in which routes return one. */
import { IsDefined, IsIn, IsObject, Matches } from 'class-validator';
import {
  type CounterGroups,
  type JobResult,
  type JobType,
  jobTypes,
  requestedTypes,
} from '../../core/job/job-types.js';
import type { JobRow } from '../../job/job-row.js';
import { type Cure, type CureCode, cureOf, endCodes, failureCodes } from '../../core/job/failure-codes.js';
import { type JobState, isFinal, jobStates } from '../../core/job/job-states.js';
import { type EventKind, eventKinds } from '../../job/job-event.store.js';
import { DEFAULT_CONF_ID } from '../../conf/conf-reading.js';
import { masked } from '../../conf/secret-masks.js';
import {
  Field,
  FieldOf,
  FieldOrNull,
  FieldWithDefault,
  OptionalField,
  OptionalFieldOf,
  RecordField,
  TimeField,
  TimeOrNull,
} from '../openapi/fields.js';
import { CopiedConfId, CrawlIdField, OptionalCrawlIdField } from '../request/ids.js';
import { IdCursorField } from '../request/list-cursor.js';
import { OneWord } from '../request/one-word.js';
import { WholeNumber } from '../request/whole-number.js';
import { WaitDto } from '../worker/wait.dto.js';

export class JobConfig {
  @Field('The type of the job.', 'INJECT', { enum: requestedTypes })
  @IsIn(requestedTypes)
  type!: JobType;

  @CrawlIdField('The crawl that the job works on. Crawls are independent of each other.')
  crawlId: string = '';

  @OptionalField('The configuration of which the job takes a copy.', 'default', { default: DEFAULT_CONF_ID })
  @CopiedConfId()
  confId: string = DEFAULT_CONF_ID;

  @RecordField(
    'Arguments of the job: text (1.x) or JSON values (2.x). Required; {} if there are none. Unknown ones are stored, have no effect, and are named in the header `Orbweaver-Notice`; an unknown `seed` is not stored.',
    { seed: 'http://example.org/' },
  )
  @IsDefined()
  @IsObject()
  args!: Record<string, unknown>;
}

/** What a user can do about a job that failed. */
export class JobCure implements Cure {
  @Field('What went wrong: for a failed job, its `result.failure`.', 'AGENT_NAME_MISSING', {
    enum: [...failureCodes, ...endCodes],
    enumName: 'JobCureCode',
  })
  code!: CureCode;

  @Field(
    'What to do.',
    'Say who crawls: set http.agent.name in configuration "default" (PUT /config/default/http.agent.name), then run it again.',
  )
  message!: string;

  @FieldOrNull(String, 'The property of its configuration to set; null if there is none.', 'http.agent.name')
  property!: string | null;

  @Field('Whether running the same job again may then succeed: `POST /v1/jobs/{id}/run-again`.', true)
  again!: boolean;
}

export class JobInfo {
  @Field('`[<crawlId>-]<confId>-<TYPE>-<number>`.', 'k1-default-INJECT-1')
  id!: string;

  @Field('The type of the job.', 'INJECT', { enum: jobTypes, enumName: 'JobType' })
  type!: JobType;

  @Field('The configuration with which it was created.', 'default')
  confId!: string;

  @RecordField('Its arguments.', { seedName: 's1' })
  args!: Record<string, unknown>;

  @Field(
    'Null until the job has ended. `result`: "0" done, "1" nothing to do, "-1" failed; `reason`: done, stopped, no-urls, time-limit …; `counters`: group, name, number. GENERATE adds `generate.batch.id` and `generate.count`.',
    { result: '0', reason: 'done', counters: { injector: { urls_injected: 1 } } },
    { type: 'object', additionalProperties: true, nullable: true },
  )
  result!: JobResult | null;

  @Field('Its state.', 'FINISHED', { enum: jobStates, enumName: 'JobState' })
  state!: JobState;

  @Field('What it is doing or waiting for; OK; or why it failed.', 'OK')
  msg!: string;

  @OptionalFieldOf(
    JobCure,
    'What to do about a job that failed, was aborted, or is a crawl that fetched no page; otherwise omitted.',
  )
  cure?: JobCure;

  @Field('The crawl that it works on.', 'k1')
  crawlId!: string;

  @FieldOrNull(String, 'The CRAWL job that created it.', null)
  parent!: string | null;

  @FieldOrNull(Number, 'The round of that crawl; 0 for steps before the first round.', null)
  round!: number | null;

  @Field('Whether it is paused; a pause does not change `state`.', false)
  paused!: boolean;

  @TimeField('When it was created.', '2026-11-20T02:40:00.000Z')
  createdAt!: string;

  @TimeOrNull('When a worker first claimed it; null while it waits.', '2026-11-20T02:40:00.100Z')
  startedAt!: string | null;

  @TimeOrNull('When it ended; null until then.', '2026-11-20T02:40:01.000Z')
  endedAt!: string | null;
}

export class JobWait extends WaitDto {
  @Field('The job that waits: this one, or a child of it.', 'k1-default-FETCH-3')
  job!: string;
}

export class JobProgress extends JobInfo {
  @RecordField(
    'Counters so far: group, name, number. They change while the job runs.',
    { FetcherStatus: { SUCCESS: 12 } },
    { type: 'object', additionalProperties: { type: 'integer' } },
  )
  counters!: CounterGroups;

  @FieldOf(
    [JobWait],
    'What its running tasks, and those of its children, have been waiting for, for more than a second; the longest first, at most 20.',
  )
  waitsFor!: JobWait[];

  @OptionalFieldOf([JobInfo], 'For a CRAWL: its children, oldest first; if more than 1,000, the newest.')
  children?: JobInfo[];
}

/** Converts a row of the job table for clients; arguments that look like secrets are masked. */
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

/** The number of the last job returned: it remains valid when that job is deleted. */
export const JobsCursor = (): PropertyDecorator => IdCursorField(/^\d{1,18}$/, 'its last job');

export class JobsQuery {
  @OptionalCrawlIdField('Only jobs of this crawl.')
  crawlId?: string;

  @OneWord([...jobStates, 'ANY'], 'Only jobs in this state; ANY for all.', { default: 'ANY' })
  state: JobState | 'ANY' = 'ANY';

  @JobsCursor()
  cursor?: string;

  @WholeNumber({
    description:
      'Maximum number of jobs, newest first; without a cursor, all jobs that have not ended are added, however old.',
    default: 100,
    minimum: 1,
    maximum: 1_000,
  })
  limit: number = 100;
}

export class JobEventsQuery {
  @FieldWithDefault('0', 'Only events after the one with this id.')
  @Matches(/^\d{1,18}$/, { message: 'after must be the id of an event' })
  after: string = '0';

  @WholeNumber({ description: 'Maximum number of events.', default: 1_000, minimum: 1, maximum: 10_000 })
  limit: number = 1_000;

  @OneWord(eventKinds, 'Only events of this kind. A stream still ends with `end`.')
  kind?: EventKind;
}

export class JobEventDto {
  @Field('Increases with time; pass the last one as `after` to continue.', '17')
  id!: string;

  @TimeField('When it happened.', '2026-11-20T02:40:00.100Z')
  time!: string;

  @Field('The kind of the event.', 'state', { enum: eventKinds })
  kind!: string;

  @RecordField('The details.', { state: 'RUNNING' })
  data!: Record<string, unknown>;
}
