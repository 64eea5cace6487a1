import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { listWorkers } from '../../job/worker.store.js';
import { Needs } from '../access/access.guard.js';
import { Database } from '../database.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { AdmittedQuery } from '../request/admit.js';
import { listPage } from '../request/list-cursor.js';
import { WorkersDto, WorkersQuery, workerView } from './worker.dto.js';

@ApiTags('worker')
@Controller('v1/workers')
export class WorkerController {
  constructor(private readonly database: Database) {}

  @Get()
  @Needs('read')
  @Operation(
    'List workers',
    'The worker processes of all machines, sorted by id, with their current tasks. A worker sends a heartbeat every 5 s; one without a heartbeat for longer than a lease (20 s) is `lost`: other workers claim its tasks, and its row is deleted after an hour. ' +
      'A worker that is stopping is `leaving` while it releases its tasks.',
  )
  @ApiOkResponse({ description: 'The workers.', type: WorkersDto })
  @Problems(refusalOf(WorkersQuery, { limit: '5000' }))
  async list(@AdmittedQuery(WorkersQuery) { limit, cursor = '' }: WorkersQuery): Promise<WorkersDto> {
    const workers = await listWorkers(this.database.pool, { after: cursor, limit: limit + 1 });
    const { items, cursor: next } = listPage(workers, limit, ({ id }) => id);
    return { workers: items.map(workerView), cursor: next };
  }
}
