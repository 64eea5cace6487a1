import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { listWorkers } from '../../job/worker.store.js';
import { Needs } from '../access/access.guard.js';
import { Database } from '../database.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { fieldsInvalid } from '../problem.js';
import { AdmittedQuery } from '../request/admit.js';
import { WorkersDto, WorkersQuery, workerView } from './worker.dto.js';

@ApiTags('worker')
@Controller('v1/workers')
export class WorkerController {
  constructor(private readonly database: Database) {}

  @Get()
  @Needs('read')
  @Operation(
    'List workers',
    'The worker processes of all machines, by their ids, and what each does now. A worker says every 5 s that it lives; one that has been silent for longer than a lease (20 s) is `lost`: its tasks go to others, and its row goes after an hour. ' +
      'A worker that was asked to end is `leaving` while it hands back what it holds.',
  )
  @ApiOkResponse({ description: 'The workers.', type: WorkersDto })
  @Problems(fieldsInvalid('limit must not be greater than 1000 (given: 5000).'))
  async list(@AdmittedQuery(WorkersQuery) { limit, cursor = '' }: WorkersQuery): Promise<WorkersDto> {
    const found = await listWorkers(this.database.pool, { after: cursor, limit: limit + 1 });
    const workers = found.slice(0, limit).map(workerView);
    return { workers, cursor: found.length > limit ? (workers.at(-1)?.id ?? null) : null };
  }
}
