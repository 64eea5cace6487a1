/** indexer-elastic: sends documents by the official client of Elasticsearch, 8.x (Nutch `ElasticIndexWriter`). */
import { type PluginFor, type WriterParameters } from '../extension-points.js';
import { type BulkClient, BulkWriter, MAX_BULK_ANSWER_BYTES, MAX_COMPRESSED_BYTES, itemsOf } from './bulk.js';
import { type Engine, agentOf, engineOf, integerParameter, refuseCredentials } from './engine.js';

export const elasticWriter: PluginFor<'makeIndexWriter'> = {
  id: 'indexer-elastic',
  className: 'org.apache.nutch.indexwriter.elastic.ElasticIndexWriter',
  description: 'Writes documents to Elasticsearch.',
  writesConcurrently: true,
  makeIndexWriter: (conf, parameters, context) =>
    bulkWriter(parameters, engineOf(conf, bulkUrl(parameters), context), elasticClient),
};

/** The URL of an engine: from `url`, or as in Nutch from scheme, host and port. @throws Error with a reason */
export function bulkUrl({ url, host, port = '9200', scheme = 'http' }: WriterParameters): string | undefined {
  if (url !== undefined && url !== '') return url;
  if (host === undefined || host === '') return undefined;
  const hostUrl = `${scheme}://${host.split(',')[0]!.trim()}:${port}`;
  if (!URL.canParse(hostUrl)) throw new Error('its parameters scheme, host and port make no URL');
  return hostUrl;
}

/** Index names that both engines accept. */
const INDEX_SHAPE = /^[a-z0-9][a-z0-9._-]{0,254}$/;

export function bulkWriter(
  parameters: WriterParameters,
  engine: Engine,
  open: (engine: Engine, index: string) => Promise<BulkClient>,
): BulkWriter {
  refuseCredentials(parameters);
  const index = parameters['index'] || 'nutch';
  if (!INDEX_SHAPE.test(index)) throw new Error('its parameter index is a name in lower case');
  const limits = {
    maxCount: integerParameter(parameters, 'max.bulk.docs', { otherwise: 250, max: 10_000 }),
    maxSize: integerParameter(parameters, 'max.bulk.size', { otherwise: 2_500_500, max: 100_000_000 }),
  };
  let client: Promise<BulkClient> | undefined;
  return new BulkWriter(() => (client ??= open(engine, index)), { ...engine, index }, limits);
}

/** The client is loaded on first use: it takes megabytes, and most processes never use it. */
async function elasticClient(engine: Engine, index: string): Promise<BulkClient> {
  const { Client, HttpConnection } = await import('@elastic/elasticsearch');
  const { user, password, bearer } = engine.credentials;
  const client = new Client({
    node: engine.url.href,
    Connection: HttpConnection,
    agent: () => agentOf(engine),
    maxRetries: 0,
    maxResponseSize: MAX_BULK_ANSWER_BYTES,
    maxCompressedResponseSize: MAX_COMPRESSED_BYTES,
    requestTimeout: engine.timeoutMs,
    ...(bearer !== undefined && { auth: { bearer } }),
    ...(user !== undefined && { auth: { username: user, password: password! } }),
  });
  return {
    bulk: async (lines) => itemsOf(await client.bulk({ operations: [...lines] }, { meta: true })),
    refresh: async () => void (await client.indices.refresh({ index, ignore_unavailable: true })),
  };
}
