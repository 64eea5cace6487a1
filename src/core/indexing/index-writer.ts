/** The interface of index writers (Nutch `IndexWriter`). */
import type { IndexDocument } from './index-document.js';

/** A document that the engine rejects permanently, or accepts incomplete: for example for a field of the wrong type. */
export interface RefusedDocument {
  readonly id: string;
  readonly reason: string;
  /** It is indexed nevertheless, without what the reason names. */
  readonly isPartial?: boolean;
}

/** Maximum pause before a request is sent again that an engine may ask for, ms. */
export const MAX_RETRY_AFTER_MS = 120_000;

/** A bulk request failed. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed';

  constructor(
    message: string,
    /** Whether to send it again. */
    readonly again: boolean,
    /** Milliseconds to wait before (`Retry-After`). */
    readonly retryAfter: number | null = null,
    /** A half of the request may be accepted: it was too large (413), or one of its documents is refused. */
    readonly isDivisible = false,
  ) {
    super(message);
  }
}

/**
 * Sends documents in bulk. A document replaces the one with its id, so a bulk request may be sent twice; `write` and
 * `delete` resolve when the engine has accepted the request, whether or not searches reflect it yet.
 */
export interface IndexWriter {
  /**
   * The caller sets no timeout: a merge of segments may take long, lines of a file that were written late would be written
   * twice, and a writer to an engine, which sends many requests in a call, bounds the time of each.
   */
  readonly hasOwnLimits?: boolean;
  /** @returns documents that the engine rejects, which are not sent again; the promise rejects when the request failed */
  write(documents: readonly IndexDocument[]): Promise<readonly RefusedDocument[]>;
  /** Deletes documents from the index; a missing one is not an error. */
  delete(ids: readonly string[]): Promise<void>;
  /** Makes all writes visible to searches: at the end of a job, unless `noCommit` is set. */
  commit(): Promise<void>;
  close(): Promise<void>;
  /**
   * For a writer that buffers documents across calls: they are in the engine only once this resolves. INDEX records its
   * progress only after it.
   */
  flush?(): Promise<void>;
  /**
   * The position from which a later attempt of the task continues, for a writer of files. It is stored with the progress
   * of the task and passed to the writer of that attempt, which truncates the files there.
   */
  position?(): readonly number[];
}
