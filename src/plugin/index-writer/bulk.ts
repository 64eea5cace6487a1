/**
 * Sends documents by bulk requests to Elasticsearch or OpenSearch, whose responses have a status for each item. Items
 * that fail because the engine is busy are retried with a growing pause; rejected ones are reported. If a whole request
 * is rejected (429, 503), both clients throw, and the caller retries.
 */
import { STORED_LENGTHS } from '../../core/page/stored-lengths.js';
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { documentJson } from '../../core/indexing/document-json.js';
import type { IndexDocument } from '../../core/indexing/index-document.js';
import { type IndexWriter, type RefusedDocument, WriteFailed } from '../../core/indexing/index-writer.js';
import { type Engine, failedAnswer, refuseUnnamed } from './engine.js';
import { boundedChunks } from '../../core/bounded-chunks.js';
import { deleteInHalves, sendInHalves } from './send-in-halves.js';
import { answerWithin, noAnswer } from './requests.js';
import type { GuardedAgents } from '../../net/guarded-agents.js';
import { isTrouble } from '../../core/politeness/back-off.js';

/** One line, or two, of a bulk request. */
type Operation = readonly object[];

export interface BulkItem {
  readonly status: number;
  readonly error?: {
    readonly type?: string;
    readonly reason?: string;
    readonly caused_by?: { readonly reason?: string };
  };
}

/** The common interface of both clients. */
export interface BulkClient {
  /** @param lines of JSON @returns the items of the response, in order */
  bulk(lines: readonly string[]): Promise<readonly BulkItem[]>;
  refresh(): Promise<void>;
}

/** Maximum size of a response, and of a compressed one, which nobody asked for: it may have a thousand times as much content. */
export const MAX_BULK_ANSWER_BYTES = 16_777_216;
export const MAX_COMPRESSED_BYTES = 65_536;

export interface BulkLimits {
  /** Limits of a request: number of operations, and characters. */
  readonly maxCount: number;
  readonly maxSize: number;
}

interface Sent {
  id: string;
  lines: string[];
}

/** Longest id that these engines accept, in bytes: a longer one is replaced by its hash. */
const MAX_ID_BYTES = 512;
/** Attempts for items that fail because the engine is busy, and the base of the pause between them. */
const MAX_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 100;

interface BulkEngine extends Pick<Engine, 'lacksName' | 'timeoutMs'> {
  readonly index: string;
  readonly agents: Pick<GuardedAgents, 'close'>;
}

export class BulkWriter implements IndexWriter {
  readonly hasOwnLimits = true;

  constructor(
    private readonly client: () => Promise<BulkClient>,
    private readonly engine: BulkEngine,
    private readonly limits: BulkLimits,
  ) {}

  async write(documents: readonly IndexDocument[]): Promise<RefusedDocument[]> {
    const refused: RefusedDocument[] = [];
    const added = documents.map((document) =>
      sentOf(document.id, [{ index: this.target(document.id) }, documentJson(document)]),
    );
    for (const chunk of this.chunks(added))
      refused.push(...(await sendInHalves(chunk, (some) => this.sendChunk(some))));
    return refused;
  }

  async delete(ids: readonly string[]): Promise<void> {
    const deletions = ids.map((id) => sentOf(id, [{ delete: this.target(id) }]));
    for (const chunk of this.chunks(deletions)) await deleteInHalves(chunk, (some) => this.sendChunk(some));
  }

  async commit(): Promise<void> {
    const client = await this.client();
    await this.answerOf(client.refresh());
  }

  /** Not by the clients' own `close`, which waits for requests that may never be answered. */
  close(): Promise<void> {
    this.engine.agents.close();
    return Promise.resolve();
  }

  private target(id: string): { _index: string; _id: string } {
    return {
      _index: this.engine.index,
      _id: Buffer.byteLength(id) <= MAX_ID_BYTES ? id : `sha256:${hash('sha256', id)}`,
    };
  }

  private answerOf<T>(request: Promise<T>): Promise<T> {
    return answerWithin(this.engine.timeoutMs, request).catch((error: unknown) => {
      refuseUnnamed(this.engine, (error as { meta?: { statusCode?: number | null } }).meta?.statusCode);
      return rethrow(error);
    });
  }

  private chunks(sent: readonly Sent[]): Iterable<readonly Sent[]> {
    const size = ({ lines }: Sent): number => lines.reduce((sum, line) => sum + line.length + 1, 0);
    return boundedChunks(sent, size, this.limits);
  }

  private async sendChunk(chunk: readonly Sent[]): Promise<RefusedDocument[]> {
    const refused: RefusedDocument[] = [];
    const client = await this.client();
    let left = chunk;
    let why = '';
    for (let attempt = 0; left.length > 0; attempt++) {
      if (attempt === MAX_ATTEMPTS) throw new WriteFailed(`it is too busy for ${left.length} documents: ${why}`, true);
      if (attempt > 0) await sleep(FIRST_PAUSE_MS * 2 ** attempt);
      const items = await this.answerOf(client.bulk(left.flatMap(({ lines }) => lines)));
      if (items.length !== left.length)
        throw new WriteFailed(`it answered ${items.length} items to ${left.length} documents`, true);
      refuseIndex(left, items);
      refused.push(...left.flatMap((sent, at) => refusedDocument(sent, items[at]!)));
      why = wordsOf(items.find(isBusy)) || why;
      left = left.filter((_, at) => isBusy(items[at]!));
    }
    return refused;
  }
}

const sentOf = (id: string, operation: Operation): Sent => ({
  id,
  lines: operation.map((line) => JSON.stringify(line)),
});

const isBusy = ({ status }: BulkItem): boolean => isTrouble(status);

/** Whether an item has deleted nothing, since there is no such document, or no index yet: a bulk request makes none for it. */
const hadNothing = ({ lines }: Sent, { status, error }: BulkItem): boolean =>
  status === 404 && (error === undefined || (lines.length === 1 && error.type === 'index_not_found_exception'));

/** The rejection of an item, if any. Deleting a missing document is not one. */
function refusedDocument(sent: Sent, item: BulkItem): RefusedDocument[] {
  if (item.status < 400 || isBusy(item) || hadNothing(sent, item)) return [];
  return [{ id: sent.id, reason: wordsOf(item) }];
}

/** The error of an item. */
function wordsOf(item: BulkItem | undefined): string {
  if (item === undefined) return '';
  const { type = `status ${item.status}`, reason = '', caused_by: cause } = item.error ?? {};
  return [type, reason, cause?.reason ?? '']
    .filter((words) => words !== '')
    .join(': ')
    .slice(0, STORED_LENGTHS.refusal);
}

/** Errors of an item that concern its index, whatever the document is. */
const INDEX_ERRORS: ReadonlySet<string> = new Set(['index_not_found_exception', 'index_closed_exception']);

/** The index is missing or blocked, or the user may not write to it: no document is at fault. @throws WriteFailed with the reason */
function refuseIndex(chunk: readonly Sent[], items: readonly BulkItem[]): void {
  const item = items.find(
    (each, at) =>
      each.status === 401 ||
      each.status === 403 ||
      (INDEX_ERRORS.has(each.error?.type ?? '') && !hadNothing(chunk[at]!, each)),
  );
  if (item) throw new WriteFailed(`it answered ${item.status}: ${wordsOf(item)}`, false);
}

/** The items of a response, in order. @throws WriteFailed for another answer, such as the page of a proxy */
export function itemsOf({ statusCode, body }: { statusCode: number | null; body: unknown }): BulkItem[] {
  const { items } = (body ?? {}) as { items?: unknown };
  const results = Array.isArray(items)
    ? items.map((item) => Object.values((item ?? {}) as object)[0] as unknown)
    : null;
  if (results === null || !results.every(isBulkItem))
    throw new WriteFailed(`it answered ${statusCode}, but not with the items of a bulk request`, true);
  return results;
}

const isBulkItem = (result: unknown): result is BulkItem =>
  typeof (result as Partial<BulkItem> | null | undefined)?.status === 'number';

/** Converts the errors of both clients: a `ResponseError` with a status, or an error without a response. */
function rethrow(error: unknown): never {
  const { name, meta } = error as {
    name?: string;
    meta?: { statusCode?: number | null; headers?: Record<string, unknown> | null; body?: unknown };
  };
  if (name === 'ProductNotSupportedError')
    throw new WriteFailed('it is no Elasticsearch: another writer speaks to it', false);
  // The clients drop the status of such an answer.
  if (name === 'DeserializationError') throw new WriteFailed('its answer is no valid JSON', true);
  // Without a response one of them sets status 0; where it was cut, the other one sets that of its header.
  if (name !== 'ResponseError' || !meta?.statusCode) throw noAnswer(error);
  const body = meta.body as { error?: { reason?: unknown } } | undefined;
  const reason = body?.error?.reason;
  throw failedAnswer(meta.statusCode, meta.headers?.['retry-after'], typeof reason === 'string' ? reason : '');
}
