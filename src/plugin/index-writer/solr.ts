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
import { EngineRequests, jsonObject } from './requests.js';

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
  readonly hasOwnLimits = true;
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

  private add(documents: readonly Encoded[]): Promise<RefusedDocument[]> {
    return this.update(`[${documents.map(({ json }) => json).join()}]`, true);
  }

  private remove(deletions: readonly Encoded[]): Promise<RefusedDocument[]> {
    return this.update(`{"delete":[${deletions.map(({ json }) => json).join()}]}`);
  }

  /**
   * @param isDivisible Solr refuses all documents of the request for one of them
   * @returns what it refuses although the request succeeded
   */
  private async update(request: string, isDivisible = false): Promise<RefusedDocument[]> {
    const { status: httpStatus, body, retryAfter } = await this.requests.post('/update', request, JSON_TYPE);
    const answer = jsonObject<SolrAnswer>(body);
    // The page of a proxy, or of another server at the URL, has the status of success, too.
    if (isSuccess(httpStatus) && answer === null)
      throw new WriteFailed(`it answered ${httpStatus}, but not with the JSON of Solr`, true);
    const status = isSuccess(httpStatus) ? (failureIn(answer) ?? httpStatus) : httpStatus;
    if (isSuccess(status)) return toleratedIn(answer);
    const message = messageOf(answer);
    if (isDivisible && REFUSALS.has(status))
      throw new WriteFailed(message || `it answered ${status}`, false, null, true);
    throw failedAnswer(status, retryAfter, message);
  }
}

/** Of a document: wrong values, and another version than its field `_version_` asks for. */
const REFUSALS: ReadonlySet<number> = new Set([400, 409]);

const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** The parts of an answer that are read, of any type. */
interface SolrAnswer {
  readonly responseHeader?: { readonly status?: unknown; readonly errors?: unknown } | null;
  readonly error?: { readonly code?: unknown; readonly msg?: unknown } | null;
}

/** The status of a failure that has the HTTP status of success. */
function failureIn(answer: SolrAnswer | null): number | undefined {
  const status = answer?.error?.code ?? answer?.responseHeader?.status;
  return typeof status === 'number' && status !== 0 ? status : undefined;
}

/** The message in Solr's error response. */
function messageOf(answer: SolrAnswer | null): string {
  const message = answer?.error?.msg;
  return typeof message === 'string' ? message.slice(0, STORED_LENGTHS.refusal) : '';
}

/** What a TolerantUpdateProcessor of Solr refuses: the request succeeds for all others. */
function toleratedIn(answer: SolrAnswer | null): RefusedDocument[] {
  const errors = answer?.responseHeader?.errors;
  if (!Array.isArray(errors)) return [];
  return (errors as ({ id?: unknown; message?: unknown } | null)[]).flatMap((error) => {
    const { id, message } = error ?? {};
    if (typeof id !== 'string') return [];
    return { id: id.slice(0, STORED_LENGTHS.url), reason: String(message).slice(0, STORED_LENGTHS.refusal) };
  });
}
