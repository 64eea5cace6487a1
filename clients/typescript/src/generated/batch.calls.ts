/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { segment, type CallOptions, type Transport } from '../transport.js';
import type { BatchDetail, BatchList } from './schemas.js';

/** Calls of the group `batch`. */
export class BatchCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * List batches
   * The batches that GENERATE created in a crawl (segments in Nutch 1.x), in order of creation.
   * `GET /v1/batches`
   */
  list(
    query: {
      /** The crawl. */
      crawlId?: string;
      /** Maximum number of batches. */
      limit?: number;
      /** `cursor` of the previous answer, or a segment name: continues after it. */
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
   * A batch, and the number of its pages in each of the six parts of a segment. Pages are counted by their marks, after UPDATEDB by their visits; a page that is generated again is no longer counted.
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
