import { type JobEvent, eventKinds } from '../../job/job-event.store.js';
import { JobEventsQuery } from '../job/job.dto.js';
import { Field, RecordField } from '../openapi/fields.js';
import { OneWord } from '../request/one-word.js';

const UNTIL = ['end'] as const;

export class CrawlEventsQuery extends JobEventsQuery {
  @OneWord(
    UNTIL,
    '`end`: the stream of a crawl id ends when the crawl has no open job; that of a CRAWL job always ends.',
    { example: 'end' },
  )
  until?: (typeof UNTIL)[number];
}

/** An event of a job, in event streams and lists. */
export class EventDto {
  @Field('Within a job and within a crawl ids are in ascending order; resume after the last one you have.', '17')
  id!: string;

  @Field('The job that wrote it.', 'k1-default-FETCH-3')
  jobId!: string;

  @Field('When it was written, ISO 8601 UTC.', '2026-11-21T08:00:00.000Z')
  time!: string;

  @Field('The kind of the event.', 'state', { enum: eventKinds, enumName: 'EventKind' })
  kind!: string;

  @RecordField(
    'state: `state`, `msg`. task: `part`, `state`, `reason`, `msg`, and `lost` (true) for an attempt whose worker died. progress: `part`, `counters`. warning: `message` and details.',
    { state: 'RUNNING', msg: 'OK' },
  )
  data!: Record<string, unknown>;
}

export const eventOf = ({ id, job, time, kind, data }: JobEvent): EventDto => ({
  id,
  jobId: job,
  time: time.toISOString(),
  kind,
  data,
});
