/** Workers as /v1 shows them. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import { type CounterGroups, type JobType, jobTypes } from '../../job/job-row.js';
import { type WorkerRow, type WorkerState, workerStates } from '../../job/worker.store.js';
import { WholeNumber } from '../request/whole-number.js';
import { WaitDto } from './wait.dto.js';

export class WorkersQuery {
  @WholeNumber({ description: 'Workers at most.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @ApiPropertyOptional({ description: '`cursor` of the answer before: goes on behind its last worker.' })
  @IsOptional()
  @Matches(/^(?=.{1,1000}$)[^\0]*\/\d+$/, { message: 'cursor must be the cursor of an answer' })
  cursor?: string;
}

/** A task that a worker has at work. */
export class WorkerTaskDto {
  @ApiProperty({ description: 'The job it is a part of.', example: 'k1-default-FETCH-3' })
  job!: string;

  @ApiProperty({ description: 'What the job does.', enum: jobTypes, enumName: 'JobType', example: 'FETCH' })
  type!: JobType;

  @ApiProperty({ description: 'The crawl it works on.', example: 'k1' })
  crawlId!: string;

  @ApiProperty({ description: 'Which part of the job, from 0.', example: 1 })
  part!: number;

  @ApiProperty({
    description: 'Since when it is with this worker, ISO 8601 UTC.',
    example: '2026-11-21T08:00:00.000Z',
    format: 'date-time',
  })
  since!: string;

  @ApiProperty({
    description: 'Counters of this part so far, over all attempts: group, name, number.',
    type: 'object',
    additionalProperties: { type: 'object', additionalProperties: { type: 'integer' } },
    example: { FetcherStatus: { SUCCESS: 12 } },
  })
  progress!: CounterGroups;

  @ApiProperty({
    description: 'What it has waited for longer than a second; null: for nothing.',
    type: WaitDto,
    nullable: true,
  })
  waitsFor!: WaitDto | null;
}

/** A worker process. */
export class WorkerDto {
  @ApiProperty({
    description: 'Machine, boot, and id and start of the server and of the process.',
    example: 'crawl-2/1f0e92ab/4026531836/811/5120/830/5177',
  })
  id!: string;

  @ApiProperty({ description: 'Name of its machine.', example: 'crawl-2' })
  host!: string;

  @ApiProperty({ description: 'Process id on that machine.', example: 830 })
  pid!: number;

  @ApiProperty({ description: 'Role of its server.', enum: ['all', 'worker'], example: 'worker' })
  role!: string;

  @ApiProperty({ description: 'Version of the program.', example: '0.1.0' })
  version!: string;

  @ApiProperty({
    description: '`leaving`: hands back what it holds. `lost`: silent for longer than a lease.',
    enum: workerStates,
    enumName: 'WorkerState',
    example: 'alive',
  })
  state!: WorkerState;

  @ApiProperty({ description: 'Tasks that it may have at work at once (`WORKER_SLOTS`).', example: 10 })
  slots!: number;

  @ApiProperty({ description: 'What it has at work now, oldest first, 100 at most.', type: [WorkerTaskDto] })
  tasks!: WorkerTaskDto[];

  @ApiProperty({ description: 'Pages fetched, or parsed, a second in the last seconds.', example: 212.4 })
  pagesPerSecond!: number;

  @ApiProperty({ description: 'Share of the time in which its event loop was busy, 0 to 1.', example: 0.63 })
  load!: number;

  @ApiProperty({ description: 'Resident memory, bytes.', example: 231_000_000 })
  memoryBytes!: number;

  @ApiProperty({ description: 'ISO 8601 UTC.', example: '2026-11-21T07:00:00.000Z', format: 'date-time' })
  startedAt!: string;

  @ApiProperty({
    description: 'When it last said that it lives, ISO 8601 UTC.',
    example: '2026-11-21T08:00:03.000Z',
    format: 'date-time',
  })
  lastSeen!: string;
}

export class WorkersDto {
  @ApiProperty({ description: 'Workers, by their ids.', type: [WorkerDto] })
  workers!: WorkerDto[];

  @ApiProperty({
    description: 'Give it as `cursor` to read on; null when there is nothing more.',
    example: null,
    nullable: true,
    type: String,
  })
  cursor!: string | null;
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

/** A row of the table of workers as clients see it. */
export function workerView(worker: WorkerRow): WorkerDto {
  const { id, machine: host, pid, role, version, state, slots, memoryBytes } = worker;
  const tasks = worker.tasks.map(({ job, type, crawlId, part, since, counters, waitsFor }) => ({
    job,
    type,
    crawlId,
    part,
    since: since.toISOString(),
    progress: counters,
    waitsFor,
  }));
  const figures = {
    pagesPerSecond: tenths(worker.pagesPerSecond),
    load: Math.round(worker.load * 100) / 100,
    memoryBytes,
  };
  const times = { startedAt: worker.startedAt.toISOString(), lastSeen: worker.seenAt.toISOString() };
  return { id, host, pid, role, version, state, slots, tasks, ...figures, ...times };
}
