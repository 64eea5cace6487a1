/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { type CallOptions, type Transport } from '../transport.js';
import type { WorkersDto } from './schemas.js';

/** Calls of the group `worker`. */
export class WorkerCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List workers
   * The worker processes of all machines, by their ids, and what each does now. A worker says every 5 s that it lives; one that has been silent for longer than a lease (20 s) is `lost`: its tasks go to others, and its row goes after an hour. A worker that was asked to end is `leaving` while it hands back what it holds.
   * `GET /v1/workers`
   */
  list(
    query: {
      /** Workers at most. */
      limit?: number;
      /** `cursor` of the answer before: goes on behind its last worker. */
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
