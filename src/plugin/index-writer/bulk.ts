/**
 * Documents by the bulk request of Elasticsearch and OpenSearch, through the client of either: each answers item by item. An
 * item that the engine is too busy for is sent again, with pauses; one that it refuses is named. A request that is refused as a
 * whole (429, 503) makes both clients throw at once: whoever called us tries it again.
 */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { documentJson } from '../../core/indexing/document-json.js';
import type { IndexDocument } from '../../core/indexing/index-document.js';
import { type IndexWriter, type RefusedDocument, WriteFailed } from '../../core/indexing/index-writer.js';
import { failedAnswer } from './engine.js';
import { pieces } from './pieces.js';
import { noAnswer } from './requests.js';

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

/** What both clients can do. */
export interface BulkClient {
  /** @param lines of JSON @returns the items of the answer, in order */
  bulk(lines: readonly string[]): Promise<readonly BulkItem[]>;
  refresh(): Promise<void>;
  close(): Promise<void>;
}

export interface BulkLimits {
  /** Operations of a request, and their characters. */
  readonly maxCount: number;
  readonly maxSize: number;
}

interface Sent {
  id: string;
  lines: string[];
}

/** Longest id that these engines take, in bytes: a longer one is replaced by its hash. */
const MAX_ID_BYTES = 512;
/** Tries of items that an engine is too busy for, and the pause before the first. */
const BUSY_TRIES = 6;
const FIRST_PAUSE_MS = 100;

export class BulkWriter implements IndexWriter {
  constructor(
    private readonly client: () => Promise<BulkClient>,
    private readonly index: string,
    private readonly limits: BulkLimits,
  ) {}

  write(documents: readonly IndexDocument[]): Promise<RefusedDocument[]> {
    return this.send(
      documents.map((document) => sentOf(document.id, [{ index: this.target(document.id) }, documentJson(document)])),
    );
  }

  async delete(ids: readonly string[]): Promise<void> {
    const refused = await this.send(ids.map((id) => sentOf(id, [{ delete: this.target(id) }])));
    if (refused[0]) throw new WriteFailed(`it did not delete ${refused[0].id}: ${refused[0].reason}`, false);
  }

  async commit(): Promise<void> {
    const client = await this.client();
    await client.refresh().catch(rethrow);
  }

  async close(): Promise<void> {
    await (await this.client()).close();
  }

  private target(id: string): { _index: string; _id: string } {
    return { _index: this.index, _id: Buffer.byteLength(id) <= MAX_ID_BYTES ? id : `sha256:${hash('sha256', id)}` };
  }

  private async send(all: readonly Sent[]): Promise<RefusedDocument[]> {
    const refused: RefusedDocument[] = [];
    const size = ({ lines }: Sent): number => lines.reduce((sum, line) => sum + line.length + 1, 0);
    for (const piece of pieces(all, size, this.limits)) refused.push(...(await this.sendPiece(piece)));
    return refused;
  }

  private async sendPiece(piece: readonly Sent[]): Promise<RefusedDocument[]> {
    const refused: RefusedDocument[] = [];
    const client = await this.client();
    let left = piece;
    for (let tries = 0; left.length > 0; tries++) {
      if (tries === BUSY_TRIES) throw new WriteFailed(`it is too busy for ${left.length} documents`, true);
      if (tries > 0) await sleep(FIRST_PAUSE_MS * 2 ** tries);
      const items = await client.bulk(left.flatMap(({ lines }) => lines)).catch(rethrow);
      if (items.length !== left.length)
        throw new WriteFailed(`it answered ${items.length} items to ${left.length} documents`, true);
      refused.push(...left.flatMap(({ id }, at) => refusalOf(id, items[at]!)));
      left = left.filter((_, at) => isBusy(items[at]!));
    }
    return refused;
  }
}

const sentOf = (id: string, operation: Operation): Sent => ({
  id,
  lines: operation.map((line) => JSON.stringify(line)),
});

const isBusy = ({ status }: BulkItem): boolean => status === 429 || status >= 500;

/** A document that is not there is as good as deleted. */
function refusalOf(id: string, item: BulkItem): RefusedDocument[] {
  if (item.status < 400 || isBusy(item) || (item.status === 404 && item.error === undefined)) return [];
  const { type = `status ${item.status}`, reason = '', caused_by: cause } = item.error ?? {};
  return [
    {
      id,
      reason: [type, reason, cause?.reason ?? '']
        .filter((words) => words !== '')
        .join(': ')
        .slice(0, 1_000),
    },
  ];
}

/** What both clients throw: `ResponseError` with a status, or one without an answer. */
function rethrow(error: unknown): never {
  const { name, meta } = error as {
    name?: string;
    meta?: { statusCode?: number | null; headers?: Record<string, unknown> | null; body?: unknown };
  };
  if (name === 'ProductNotSupportedError')
    throw new WriteFailed('it is no Elasticsearch: another writer speaks to it', false);
  // Without an answer one of them says 0.
  if (!meta?.statusCode) throw noAnswer(error);
  const body = meta.body as { error?: { reason?: unknown } } | undefined;
  const reason = body?.error?.reason;
  throw failedAnswer(meta.statusCode, meta.headers?.['retry-after'], typeof reason === 'string' ? reason : '');
}
