/** indexer-opensearch-1x: sends documents by the official client of OpenSearch (Nutch `OpenSearch1xIndexWriter`). */
import type { PluginFor } from '../extension-points.js';
import { type BulkClient, itemsOf } from './bulk.js';
import { bulkUrl, bulkWriter } from './elastic.js';
import { type Engine, agentOf, authorization, engineOf } from './engine.js';

export const openSearchWriter: PluginFor<'makeIndexWriter'> = {
  id: 'indexer-opensearch-1x',
  className: 'org.apache.nutch.indexwriter.opensearch1x.OpenSearch1xIndexWriter',
  description: 'Writes documents to OpenSearch.',
  writesConcurrently: true,
  makeIndexWriter: (conf, parameters, context) =>
    bulkWriter(parameters, engineOf(conf, bulkUrl(parameters), context), openSearchClient),
};

/** The client is loaded on first use. */
async function openSearchClient(engine: Engine, index: string): Promise<BulkClient> {
  const { Client } = await import('@opensearch-project/opensearch');
  const client = new Client({
    node: engine.url.href,
    agent: () => agentOf(engine),
    maxRetries: 0,
    requestTimeout: engine.timeoutMs,
    headers: authorization(engine.credentials),
  });
  return {
    bulk: async (lines) => itemsOf(await client.bulk({ body: [...lines] as unknown as Record<string, never>[] })),
    refresh: async () => void (await client.indices.refresh({ index, ignore_unavailable: true })),
    close: () => client.close(),
  };
}
