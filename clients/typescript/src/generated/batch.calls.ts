/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { BatchDetail, BatchList } from './schemas.js';

/** Calls of the group `batch`. */
export class BatchCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List batches
   * The batches that GENERATE made in a crawl, which 1.x calls segments, in the order of their making.
   * `GET /v1/batches`
   */
  list(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Batches at most. */
      limit?: number;
      /** `cursor` of the answer before, or a segment name: goes on behind it. */
      cursor?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<BatchList> {
    return this.transport.json<BatchList>({
      method: 'GET',
      path: '/v1/batches',
      accept: 'application/json',
      query,
      options,
    });
  }

  /**
   * Read a batch
   * A batch, and how many pages there are in each of the six parts of a segment. Counted by the marks of its pages, behind UPDATEDB by their visits; a page that is generated again leaves it.
   * `GET /v1/batches/{id}`
   */
  read(
    id: string,
    query: {
      /** The crawl. */
      crawlId?: string;
    } = {},
    options: CallOptions = {},
  ): Promise<BatchDetail> {
    return this.transport.json<BatchDetail>({
      method: 'GET',
      path: `/v1/batches/${segment(id)}`,
      accept: 'application/json',
      query,
      options,
    });
  }
}
