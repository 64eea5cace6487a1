/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { type CallOptions, type Transport } from '../transport.js';
import type { WorkersDto } from './schemas.js';

/** Calls of the group `worker`. */
export class WorkerCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List workers
   * The worker processes of all machines, sorted by id, with their current tasks. A worker sends a heartbeat every 5 s; one without a heartbeat for longer than a lease (20 s) is `lost`: other workers claim its tasks, and its row is deleted after an hour. A worker that is stopping is `leaving` while it releases its tasks.
   * `GET /v1/workers`
   */
  list(
    query: {
      /** Maximum number of workers. */
      limit?: number;
      /** `cursor` of the previous answer: continues after its last worker. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<WorkersDto> {
    return this.transport.json<WorkersDto>({
      method: 'GET',
      path: '/v1/workers',
      accept: 'application/json',
      query,
      options,
    });
  }
}
