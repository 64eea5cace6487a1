/**
 * indexer-solr: sends documents by Solr's JSON update (Nutch `SolrIndexWriter`, type http). Solr processes a request up to
 * the first document that it rejects, and does not name it reliably: so the request is halved until that one is found.
 */
import { STORED_LENGTHS } from '../../core/page/stored-lengths.js';
import { documentJson } from '../../core/indexing/document-json.js';
import { type IndexWriter, type RefusedDocument, WriteFailed } from '../../core/indexing/index-writer.js';
import type { PluginFor } from '../extension-points.js';
import { engineOf, failedAnswer, integerParameter, refuseCredentials } from './engine.js';
import { boundedChunks } from '../../core/bounded-chunks.js';
import { deleteInHalves, sendInHalves } from './send-in-halves.js';
import { EngineRequests } from './requests.js';

const JSON_TYPE = 'application/json';
const MAX_REQUEST_LENGTH = 5_242_880;

interface Encoded {
  id: string;
  json: string;
}

export const solrWriter: PluginFor<'makeIndexWriter'> = {
  id: 'indexer-solr',
  className: 'org.apache.nutch.indexwriter.solr.SolrIndexWriter',
  description: 'Writes documents to Apache Solr.',
  writesConcurrently: true,
  makeIndexWriter(conf, parameters, context) {
    refuseCredentials(parameters);
    const type = parameters['type'] ?? 'http';
    if (type !== 'http') throw new Error('its parameter type is http: other ways to Solr are not supported');
    const collection = parameters['collection'] ?? '';
    const base = parameters['url']?.replace(/\/+$/, '');
    const url = collection === '' || !base ? base : `${base}/${encodeURIComponent(collection)}`;
    const maxCount = integerParameter(parameters, 'commitSize', { otherwise: 1_000, max: 10_000 });
    return new SolrWriter(new EngineRequests(engineOf(conf, url, context)), maxCount);
  },
};

class SolrWriter implements IndexWriter {
  private readonly limits: { readonly maxCount: number; readonly maxSize: number };

  constructor(
    private readonly requests: EngineRequests,
    maxCount: number,
  ) {
    this.limits = { maxCount, maxSize: MAX_REQUEST_LENGTH };
  }

  async write(documents: Parameters<IndexWriter['write']>[0]): Promise<RefusedDocument[]> {
    const refused: RefusedDocument[] = [];
    const encoded = documents.map((document) => ({ id: document.id, json: JSON.stringify(documentJson(document)) }));
    for (const chunk of boundedChunks(encoded, ({ json }) => json.length, this.limits))
      refused.push(...(await sendInHalves(chunk, (some) => this.add(some))));
    return refused;
  }

  async delete(ids: readonly string[]): Promise<void> {
    const deletions = ids.map((id) => ({ id, json: JSON.stringify(id) }));
    for (const chunk of boundedChunks(deletions, ({ json }) => json.length, this.limits))
      await deleteInHalves(chunk, (some) => this.remove(some));
  }

  async commit(): Promise<void> {
    await this.update(JSON.stringify({ commit: {} }));
  }

  close(): Promise<void> {
    this.requests.close();
    return Promise.resolve();
  }

  /** Solr refuses all documents of a request for one of them. */
  private async add(documents: readonly Encoded[]): Promise<RefusedDocument[]> {
    const { status, body, retryAfter } = await this.requests.post(
      '/update',
      `[${documents.map(({ json }) => json).join()}]`,
      JSON_TYPE,
    );
    if (status >= 200 && status < 300) {
      requireSolr(status, body);
      return [];
    }
    if (status === 400) throw new WriteFailed(messageOf(body) || 'it answered 400', false, null, true);
    throw failedAnswer(status, retryAfter, messageOf(body));
  }

  private async remove(deletions: readonly Encoded[]): Promise<RefusedDocument[]> {
    await this.update(`{"delete":[${deletions.map(({ json }) => json).join()}]}`);
    return [];
  }

  private async update(body: string): Promise<void> {
    const answer = await this.requests.post('/update', body, JSON_TYPE);
    if (answer.status < 200 || answer.status >= 300)
      throw failedAnswer(answer.status, answer.retryAfter, messageOf(answer.body));
    requireSolr(answer.status, answer.body);
  }
}

/** The page of a proxy, or of another server at the URL, has the status of success, too. */
function requireSolr(status: number, body: string): void {
  if (jsonOf(body) === null) throw new WriteFailed(`it answered ${status}, but not with the JSON of Solr`, true);
}

function jsonOf(body: string): object | null {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === 'object' ? answer : null;
  } catch {
    return null;
  }
}

/** The message in Solr's error response. */
function messageOf(body: string): string {
  const message = (jsonOf(body) as { error?: { msg?: unknown } } | null)?.error?.msg;
  return typeof message === 'string' ? message.slice(0, STORED_LENGTHS.refusal) : '';
}
