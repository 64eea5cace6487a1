/** What sends documents to an engine (Nutch `IndexWriter`). */
import type { IndexDocument } from './index-document.js';

/** A document that the engine will not have, or not as a whole, whatever is sent again: a field of another type, say. */
export interface RefusedDocument {
  readonly id: string;
  readonly reason: string;
  /** It is in the index all the same, without what the reason says. */
  readonly isTakenInPart?: boolean;
}

/** A part did not arrive: it may be sent again, unless the engine said that it never will be taken. */
export class WriteFailed extends Error {
  override readonly name = 'WriteFailed';

  constructor(
    message: string,
    readonly again: boolean,
    /** Milliseconds after which the engine wants to be asked again (`Retry-After`). */
    readonly retryAfter: number | null = null,
  ) {
    super(message);
  }
}

/**
 * Sends documents in parts. A document replaces the one of its id, so that a part may be sent twice; `write` and `delete`
 * resolve when the engine has what they were given, whether or not searches find it yet.
 */
export interface IndexWriter {
  /** It bounds its own time, as a merge of segments takes what it takes: a try of it has no limit. */
  readonly hasOwnLimits?: boolean;
  /** @returns documents that the engine refuses, which are not sent again; rejects when the part did not arrive */
  write(documents: readonly IndexDocument[]): Promise<readonly RefusedDocument[]>;
  /** Takes documents out of the index; one that is not there is no error. */
  delete(ids: readonly string[]): Promise<void>;
  /** Makes what was written visible: at the end of a job, unless it says `noCommit`. */
  commit(): Promise<void>;
  close(): Promise<void>;
  /**
   * Of a writer that gathers documents beyond a part: what it was given is in the engine once this resolves, not before.
   * INDEX notes how far it came behind it only.
   */
  flush?(): Promise<void>;
  /**
   * Where a later attempt of the task goes on, for a writer of files: kept with the progress of the task, and given to the
   * writer of that attempt, which forgets what was written behind it.
   */
  position?(): readonly number[];
}
