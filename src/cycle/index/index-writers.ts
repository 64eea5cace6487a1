/**
 * The open index writers of a job (Nutch `IndexWriters`): each chunk of documents is sent to all of them concurrently. A writer
 * that fails is retried with growing pauses, or the pause its engine asks for, and given up for the rest of the job if it keeps
 * failing: from then on the others do not wait for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { STORED_LENGTHS } from '../../core/page/stored-lengths.js';
import { growingPause } from '../../core/queueing/growing-pause.js';
import { storableStart } from '../../db/sql.js';
import { type FieldMapping, mapped } from '../../core/indexing/field-mapping.js';
import type { IndexDocument } from '../../core/indexing/index-document.js';
import {
  type IndexWriter,
  MAX_RETRY_AFTER_MS,
  type RefusedDocument,
  WriteFailed,
} from '../../core/indexing/index-writer.js';

export interface OpenWriter {
  readonly id: string;
  readonly mapping: FieldMapping;
  readonly writer: IndexWriter;
}

/** Documents to be added, and ids to be deleted. */
export interface DocumentChunk {
  readonly documents: readonly IndexDocument[];
  readonly deleted: readonly string[];
}

/** What became of a chunk. */
export interface SentChunk {
  /** The refused documents by writer. */
  readonly refused: ReadonlyMap<string, readonly RefusedDocument[]>;
  /** The ids of documents that are refused by each writer that they go to. */
  readonly refusedByAll: ReadonlySet<string>;
  /** The ids of documents that exchanges route to none of the writers. */
  readonly unrouted: ReadonlySet<string>;
}

export interface WriteLimits {
  /** Attempts after the first one. */
  readonly retries: number;
  /** Of one attempt, ms. */
  readonly timeoutMs: number;
  /** Aborts pauses: its reason is thrown. */
  readonly signal: AbortSignal;
  /** Which writers a document goes to; null, and default: all. */
  readonly route?: (document: IndexDocument) => ReadonlySet<string> | null;
}

/** The ids of documents that are not even accepted in part. */
const wholly = (refusals: readonly RefusedDocument[]): Set<string> =>
  new Set(refusals.flatMap(({ id, isPartial = false }) => (isPartial ? [] : id)));

const RETRY_PAUSE = { firstMs: 250, maxMs: 30_000 };

export class IndexWriters {
  /** Writers that have failed and are retried: how often and why. */
  private readonly failing = new Map<string, string>();

  /** @param givenUp writers that an earlier attempt has given up, with the reason */
  constructor(
    private readonly writers: readonly OpenWriter[],
    private readonly limits: WriteLimits,
    readonly givenUp: Map<string, string> = new Map(),
  ) {}

  /** Sends a chunk to every writer that is not given up. */
  async send({ documents, deleted }: DocumentChunk): Promise<SentChunk> {
    const refused = new Map<string, readonly RefusedDocument[]>();
    const kept = new Map<string, number>();
    const routes = documents.map((document) => this.limits.route?.(document) ?? null);
    await this.each(async (to) => {
      const { id, mapping, writer } = to;
      if (deleted.length > 0) await this.retried(to, () => writer.delete(deleted));
      const routed = documents.flatMap((document, at) =>
        routes[at]?.has(id) === false ? [] : mapped(document, mapping),
      );
      if (routed.length === 0) return;
      for (const document of routed) kept.set(document.id, (kept.get(document.id) ?? 0) + 1);
      const refusals = await this.retried(to, () => writer.write(routed));
      if (refusals.length > 0) refused.set(id, refusals);
      for (const document of wholly(refusals)) kept.set(document, (kept.get(document) ?? 0) - 1);
    });
    const refusedByAll = new Set([...kept].flatMap(([document, writers]) => (writers === 0 ? document : [])));
    const unrouted = documents.flatMap(({ id }, at) => (this.takes(routes[at] ?? null) ? [] : id));
    return { refused, refusedByAll, unrouted: new Set(unrouted) };
  }

  /** Whether a route leads to a writer; one that was given up is counted for itself. */
  private takes(route: ReadonlySet<string> | null): boolean {
    return route === null || this.writers.some(({ id }) => route.has(id));
  }

  /** The number of writers that are not given up. */
  get open(): number {
    return this.writers.length - this.givenUp.size;
  }

  /** Which writers are retried, and why; null: none. */
  get trouble(): string | null {
    return this.failing.size === 0 ? null : [...this.failing.values()].join('; ');
  }

  /** Whether a writer buffers: its documents are not in its engine before `flush`. */
  get buffers(): boolean {
    return this.writers.some(({ id, writer }) => writer.flush !== undefined && !this.givenUp.has(id));
  }

  flush(): Promise<void> {
    return this.each((to) => this.retried(to, async () => to.writer.flush?.()));
  }

  commit(): Promise<void> {
    return this.each((to) => this.retried(to, () => to.writer.commit()));
  }

  /**
   * Ends also when a writer does not: each has the time of one call, unless it has limits of its own. One whose end fails is
   * given up, too: it may not have stored all that it took.
   */
  async close(): Promise<void> {
    const ends = this.writers.map(async ({ id, writer }) => {
      try {
        await this.inTime(() => writer.close(), writer.hasOwnLimits === true);
      } catch (error) {
        const reason = storableStart(`close: ${(error as Error).message}`, STORED_LENGTHS.error);
        if (!this.limits.signal.aborted && !this.givenUp.has(id)) this.givenUp.set(id, reason);
      }
    });
    await Promise.all(ends);
  }

  /** The positions at which writers of files continue. */
  positions(): Record<string, readonly number[]> {
    return Object.fromEntries(
      this.writers.flatMap(({ id, writer }) => {
        const at = writer.position?.();
        return at === undefined ? [] : [[id, at]];
      }),
    );
  }

  private async each(work: (writer: OpenWriter) => Promise<void>): Promise<void> {
    const left = this.writers.filter(({ id }) => !this.givenUp.has(id));
    await Promise.all(
      left.map(async (writer) => {
        try {
          await work(writer);
        } catch (error) {
          this.limits.signal.throwIfAborted();
          this.givenUp.set(writer.id, storableStart((error as Error).message, STORED_LENGTHS.error));
        }
      }),
    );
  }

  private async retried<T>({ id, writer }: OpenWriter, work: () => Promise<T>): Promise<T> {
    const { retries, signal } = this.limits;
    for (let tries = 0; ; tries++) {
      try {
        const done = await this.inTime(work, writer.hasOwnLimits === true);
        this.failing.delete(id);
        return done;
      } catch (error) {
        signal.throwIfAborted();
        this.failing.delete(id);
        const { again = true, retryAfter = null } = error instanceof WriteFailed ? error : {};
        if (!again || tries >= retries) throw error;
        const reason = (error as Error).message.slice(0, STORED_LENGTHS.refusal);
        this.failing.set(id, `index writer ${id} has failed ${tries + 1} of ${retries + 1} times: ${reason}`);
        const pause = growingPause(tries, RETRY_PAUSE, Math.random());
        const serverPause = Math.min(retryAfter ?? 0, MAX_RETRY_AFTER_MS);
        await sleep(Math.max(pause, serverPause), undefined, { signal });
      }
    }
  }

  private async inTime<T>(work: () => Promise<T>, isUnlimited: boolean): Promise<T> {
    const late = Promise.withResolvers<never>();
    const { timeoutMs, signal } = this.limits;
    const giveUp = (): void => late.reject(new Error(`it took longer than ${timeoutMs} ms`));
    const timer = isUnlimited ? undefined : setTimeout(giveUp, timeoutMs);
    const onAbort = (): void => late.reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([work(), late.promise]);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  }
}
