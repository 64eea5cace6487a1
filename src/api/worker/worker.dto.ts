/** Workers as /v1 shows them. */
import { type CounterGroups, type JobType, jobTypes } from '../../job/job-row.js';
import { type WorkerRow, type WorkerState, workerStates } from '../../job/worker.store.js';
import { Field, FieldOf, FieldOrNull, NextCursor, RecordField, TimeField } from '../openapi/fields.js';
import { CursorField } from '../request/cursor-field.js';
import { WholeNumber } from '../request/whole-number.js';
import { WaitDto } from './wait.dto.js';

export class WorkersQuery {
  @WholeNumber({ description: 'Workers at most.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @CursorField(/^(?=.{1,1000}$)[^\0]*\/\d+$/, 'its last worker')
  cursor?: string;
}

export class WorkerTaskDto {
  @Field('The job it is a part of.', 'k1-default-FETCH-3')
  job!: string;

  @Field('What the job does.', 'FETCH', { enum: jobTypes, enumName: 'JobType' })
  type!: JobType;

  @Field('The crawl it works on.', 'k1')
  crawlId!: string;

  @Field('Which part of the job, from 0.', 1)
  part!: number;

  @TimeField('Since when it is with this worker, ISO 8601 UTC.', '2026-11-21T08:00:00.000Z')
  since!: string;

  @RecordField(
    'Counters of this part so far, over all attempts: group, name, number.',
    { FetcherStatus: { SUCCESS: 12 } },
    { type: 'object', additionalProperties: { type: 'integer' } },
  )
  progress!: CounterGroups;

  @FieldOrNull(WaitDto, 'What it has waited for longer than a second; null: for nothing.')
  waitsFor!: WaitDto | null;
}

export class WorkerDto {
  @Field(
    'Machine, boot, and id and start of the server and of the process.',
    'crawl-2/1f0e92ab/4026531836/811/5120/830/5177',
  )
  id!: string;

  @Field('Name of its machine.', 'crawl-2')
  host!: string;

  @Field('Process id on that machine.', 830)
  pid!: number;

  @Field('Role of its server.', 'worker', { enum: ['all', 'worker'] })
  role!: string;

  @Field('Version of the program.', '0.1.0')
  version!: string;

  @Field('`leaving`: hands back what it holds. `lost`: silent for longer than a lease.', 'alive', {
    enum: workerStates,
    enumName: 'WorkerState',
  })
  state!: WorkerState;

  @Field('Tasks that it may have at work at once (`WORKER_SLOTS`).', 10)
  slots!: number;

  @FieldOf([WorkerTaskDto], 'What it has at work now, oldest first, 100 at most.')
  tasks!: WorkerTaskDto[];

  @Field('Pages fetched, or parsed, a second in the last seconds.', 212.4)
  pagesPerSecond!: number;

  @Field('Share of the time in which its event loop was busy, 0 to 1.', 0.63)
  load!: number;

  @Field('Resident memory, bytes.', 231_000_000)
  memoryBytes!: number;

  @TimeField('ISO 8601 UTC.', '2026-11-21T07:00:00.000Z')
  startedAt!: string;

  @TimeField('When it last said that it lives, ISO 8601 UTC.', '2026-11-21T08:00:03.000Z')
  lastSeen!: string;
}

export class WorkersDto {
  @FieldOf([WorkerDto], 'Workers, by their ids.')
  workers!: WorkerDto[];

  @NextCursor(null)
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
