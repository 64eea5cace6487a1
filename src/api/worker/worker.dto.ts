/** Workers under /v1. */
import { type CounterGroups, type JobType, jobTypes } from '../../core/job/job-types.js';
import { type WorkerRow, type WorkerState, workerStates } from '../../job/worker.store.js';
import { Field, FieldOf, FieldOrNull, RecordField, TimeField } from '../openapi/fields.js';
import { IdCursorField, NextCursor } from '../request/list-cursor.js';
import { WholeNumber } from '../request/whole-number.js';
import { WaitDto } from './wait.dto.js';

export class WorkersQuery {
  @WholeNumber({ description: 'Maximum number of workers.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @IdCursorField(/^(?=.{1,1000}$)[^\0]*\/\d+$/, 'its last worker')
  cursor?: string;
}

export class WorkerTaskDto {
  @Field('The job to which it belongs.', 'k1-default-FETCH-3')
  job!: string;

  @Field('The type of the job.', 'FETCH', { enum: jobTypes, enumName: 'JobType' })
  type!: JobType;

  @Field('The crawl of the job.', 'k1')
  crawlId!: string;

  @Field('Which partition of the job, from 0.', 1)
  part!: number;

  @TimeField('When this worker claimed it, ISO 8601 UTC.', '2026-11-21T08:00:00.000Z')
  since!: string;

  @RecordField(
    'Counters of this part so far, over all attempts: group, name, number.',
    { FetcherStatus: { SUCCESS: 12 } },
    { type: 'object', additionalProperties: { type: 'integer' } },
  )
  progress!: CounterGroups;

  @FieldOrNull(WaitDto, 'What it has been waiting for, for more than a second; null: nothing.')
  waitsFor!: WaitDto | null;
}

export class WorkerDto {
  @Field(
    'Machine, boot id, and process id and start time of the server and of the worker.',
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

  @Field('`leaving`: releasing its tasks. `lost`: no heartbeat for longer than a lease.', 'alive', {
    enum: workerStates,
    enumName: 'WorkerState',
  })
  state!: WorkerState;

  @Field('Tasks that it can run at once (`WORKER_SLOTS`).', 10)
  slots!: number;

  @FieldOf([WorkerTaskDto], 'Its running tasks, oldest first, at most 100.')
  tasks!: WorkerTaskDto[];

  @Field('Pages fetched or parsed per second, in the last seconds.', 212.4)
  pagesPerSecond!: number;

  @Field('Fraction of the time in which its event loop was busy, 0 to 1.', 0.63)
  load!: number;

  @Field('Resident memory, bytes.', 231_000_000)
  memoryBytes!: number;

  @TimeField('When it was started, ISO 8601 UTC.', '2026-11-21T07:00:00.000Z')
  startedAt!: string;

  @TimeField('When it last sent a heartbeat, ISO 8601 UTC.', '2026-11-21T08:00:03.000Z')
  lastSeen!: string;
}

export class WorkersDto {
  @FieldOf([WorkerDto], 'Workers, by their ids.')
  workers!: WorkerDto[];

  @NextCursor(null)
  cursor!: string | null;
}

const tenths = (value: number): number => Math.round(value * 10) / 10;

/** Converts a row of the table of workers for clients. */
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
  const measured = {
    pagesPerSecond: tenths(worker.pagesPerSecond),
    load: Math.round(worker.load * 100) / 100,
    memoryBytes,
  };
  const times = { startedAt: worker.startedAt.toISOString(), lastSeen: worker.seenAt.toISOString() };
  return { id, host, pid, role, version, state, slots, tasks, ...measured, ...times };
}
