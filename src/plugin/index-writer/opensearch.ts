/** indexer-opensearch-1x: sends documents by the official client of OpenSearch (Nutch `OpenSearch1xIndexWriter`). */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Connection as OpenSearchConnection } from '@opensearch-project/opensearch';
import type { PluginFor } from '../extension-points.js';
import { type BulkClient, MAX_BULK_ANSWER_BYTES, MAX_COMPRESSED_BYTES, itemsOf } from './bulk.js';
import { bulkUrl, bulkWriter } from './elastic.js';
import { type Engine, agentOf, authorization, engineOf } from './engine.js';
import { TOO_LARGE } from './requests.js';

export const openSearchWriter: PluginFor<'makeIndexWriter'> = {
  id: 'indexer-opensearch-1x',
  className: 'org.apache.nutch.indexwriter.opensearch1x.OpenSearch1xIndexWriter',
  description: 'Writes documents to OpenSearch.',
  writesConcurrently: true,
  makeIndexWriter: (conf, parameters, context) =>
    bulkWriter(parameters, engineOf(conf, bulkUrl(parameters), context), openSearchClient),
};

/** Ends a response that is too large; its first listener sees the bytes before the client does. */
function bound(response: IncomingMessage): void {
  const max = response.headers['content-encoding'] === undefined ? MAX_BULK_ANSWER_BYTES : MAX_COMPRESSED_BYTES;
  let size = 0;
  response.on('data', (chunk: Buffer | string) => {
    size += chunk.length;
    if (size <= max || response.destroyed) return;
    response.emit('error', new Error(TOO_LARGE));
    response.destroy();
  });
}

/** The client is loaded on first use. */
async function openSearchClient(engine: Engine, index: string): Promise<BulkClient> {
  const { Client, Connection } = await import('@opensearch-project/opensearch');
  /** The client has no limit of its own. */
  class BoundedConnection extends Connection {
    override request(...[params, answered]: Parameters<OpenSearchConnection['request']>): ClientRequest {
      return super.request(params, (error, response) => {
        if (response !== null) bound(response);
        answered(error, response);
      });
    }
  }
  const client = new Client({
    node: engine.url.href,
    Connection: BoundedConnection,
    agent: () => agentOf(engine),
    maxRetries: 0,
    requestTimeout: engine.timeoutMs,
    headers: authorization(engine.credentials),
  });
  return {
    bulk: async (lines) => itemsOf(await client.bulk({ body: [...lines] as unknown as Record<string, never>[] })),
    refresh: async () => void (await client.indices.refresh({ index, ignore_unavailable: true })),
  };
}
