import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { type JobEvent, eventKinds } from '../../job/job-events.js';
import { JobEventsQuery } from '../job/job.dto.js';

const UNTIL = ['end'] as const;

export class CrawlEventsQuery extends JobEventsQuery {
  @ApiPropertyOptional({
    description:
      '`end`: the stream of a crawl id ends when no job of the crawl is under way; that of a CRAWL job ends anyway.',
    enum: UNTIL,
  })
  @IsOptional()
  @IsIn(UNTIL)
  until?: (typeof UNTIL)[number];
}

/** An event of a job, as event streams and lists show it. */
export class EventDto {
  @ApiProperty({
    description: 'Within a job and within a crawl ids appear in ascending order; resume behind the last one you have.',
    example: '17',
  })
  id!: string;

  @ApiProperty({ description: 'The job that it is of.', example: 'k1-default-FETCH-3' })
  jobId!: string;

  @ApiProperty({ description: 'When it was written, ISO 8601 UTC.', example: '2026-11-21T08:00:00.000Z' })
  time!: string;

  @ApiProperty({ description: 'What it tells of.', enum: eventKinds, enumName: 'EventKind', example: 'state' })
  kind!: string;

  @ApiProperty({
    description:
      'state: `state`, `msg`. task: `part`, `state`, `reason`, `msg`. progress: `part`, `counters`. warning: `message` and particulars.',
    type: 'object',
    additionalProperties: true,
    example: { state: 'RUNNING', msg: 'OK' },
  })
  data!: Record<string, unknown>;
}

export const eventOf = ({ id, job, time, kind, data }: JobEvent): EventDto => ({
  id,
  jobId: job,
  time: time.toISOString(),
  kind,
  data,
});
