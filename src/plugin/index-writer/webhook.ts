/**
 * indexer-webhook: posts documents as JSON: `{"writer": …, "crawlId": …, "job": …, "documents": […], "deleted": […]}`.
 * A 2xx response accepts them; `{"refused": [{"id": …, "reason": …}]}` in its body names documents that are rejected.
 */
import { STORED_LENGTHS } from '../../core/page/stored-lengths.js';
import { documentJson } from '../../core/indexing/document-json.js';
import type { IndexDocument } from '../../core/indexing/index-document.js';
import type { IndexWriter, RefusedDocument } from '../../core/indexing/index-writer.js';
import type { PluginFor, WriterContext } from '../extension-points.js';
import { engineOf, failedAnswer, integerParameter, refuseCredentials } from './engine.js';
import { boundedChunks } from '../../core/bounded-chunks.js';
import { deleteInHalves, sendInHalves } from './send-in-halves.js';
import { EngineRequests, jsonObject } from './requests.js';

const MAX_REQUEST_LENGTH = 2_097_152;

export const webhookWriter: PluginFor<'makeIndexWriter'> = {
  id: 'indexer-webhook',
  className: 'orbweaver.index.WebhookIndexWriter',
  description: 'Sends documents as JSON to a URL.',
  makeIndexWriter(conf, parameters, context) {
    refuseCredentials(parameters);
    const engine = engineOf(conf, parameters['url'], context);
    // That of other engines is the beginning of many URLs.
    engine.url.search = new URL(parameters['url']!).search;
    return new WebhookWriter(
      new EngineRequests(engine),
      integerParameter(parameters, 'batch', { otherwise: 100, max: 10_000 }),
      context,
    );
  },
};

class WebhookWriter implements IndexWriter {
  readonly hasOwnLimits = true;
  private readonly limits: { readonly maxCount: number; readonly maxSize: number };

  constructor(
    private readonly requests: EngineRequests,
    maxCount: number,
    private readonly context: WriterContext,
  ) {
    this.limits = { maxCount, maxSize: MAX_REQUEST_LENGTH };
  }

  async write(documents: readonly IndexDocument[]): Promise<RefusedDocument[]> {
    const refused: RefusedDocument[] = [];
    const encoded = documents.map((document) => ({ id: document.id, json: JSON.stringify(documentJson(document)) }));
    const send = (some: readonly { json: string }[]): Promise<RefusedDocument[]> =>
      this.post(
        some.map(({ json }) => json),
        [],
      );
    for (const chunk of boundedChunks(encoded, ({ json }) => json.length, this.limits))
      refused.push(...(await sendInHalves(chunk, send)));
    return refused;
  }

  async delete(ids: readonly string[]): Promise<void> {
    const deletions = ids.map((id) => ({ id }));
    const send = async (some: readonly { id: string }[]): Promise<RefusedDocument[]> => {
      await this.post(
        [],
        some.map(({ id }) => id),
      );
      return [];
    };
    for (const chunk of boundedChunks(deletions, ({ id }) => id.length, this.limits)) await deleteInHalves(chunk, send);
  }

  commit(): Promise<void> {
    return Promise.resolve();
  }

  close(): Promise<void> {
    this.requests.close();
    return Promise.resolve();
  }

  private async post(documents: readonly string[], deleted: readonly string[]): Promise<RefusedDocument[]> {
    const { writerId: writer, crawlId, job } = this.context;
    const about = JSON.stringify({ writer, crawlId, job, deleted }).slice(0, -1);
    const { status, body, retryAfter } = await this.requests.post(
      '',
      `${about},"documents":[${documents.join()}]}`,
      'application/json',
    );
    if (status < 200 || status >= 300) throw failedAnswer(status, retryAfter, '');
    return refusedIn(body);
  }
}

/** The refusals in an answer. Entries that name no document are ignored, and so is an answer of another shape. */
function refusedIn(body: string): RefusedDocument[] {
  const { refused } = jsonObject<{ refused?: unknown }>(body) ?? {};
  if (!Array.isArray(refused)) return [];
  return (refused as (Partial<RefusedDocument> | null)[]).slice(0, 10_000).flatMap((entry) => {
    const { id, reason = 'no reason given' } = entry ?? {};
    const words: string = typeof reason === 'string' ? reason : JSON.stringify(reason);
    // No document has a longer id.
    return typeof id === 'string'
      ? { id: id.slice(0, STORED_LENGTHS.url), reason: words.slice(0, STORED_LENGTHS.refusal) }
      : [];
  });
}
