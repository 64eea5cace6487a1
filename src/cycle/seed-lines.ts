/**
 * The lines of a stored seed list, read in chunks by a job that may be killed and taken up again in between. A position means
 * something in one list only, so the list has to stay the one that it was at the first chunk: a job that went on in
 * another would be done with seeds missing.
 */
import { seedChunk } from '../conf/seed-list.store.js';
import type { Sql } from '../db/sql.js';
import { StepError } from './step.js';

/** How far a list has been read. */
export interface SeedCursor extends Record<string, unknown> {
  position: number;
  /** When the list was stored that the position belongs to; undefined: nothing was read yet. */
  savedAt?: number | undefined;
  /** Whether the last line has been read: what becomes of the list then does not matter. */
  isAtEnd?: boolean;
}

export class SeedLines {
  private at: SeedCursor;

  /** @param from where an earlier attempt came to */
  constructor(
    private readonly list: string,
    from: SeedCursor | null = null,
  ) {
    this.at = from ?? { position: 0 };
  }

  get cursor(): SeedCursor {
    return this.at;
  }

  /** The next lines, at most `limit`; none at the end. Throws StepError when the list is not there, or not the same any more. */
  async next(db: Sql, limit: number): Promise<string[]> {
    const { position, savedAt, isAtEnd } = this.at;
    if (isAtEnd) return [];
    const chunk = await seedChunk(db, this.list, position, limit);
    if (chunk === undefined) throw new StepError(this.missing(), 'LIST_GONE');
    if (savedAt !== undefined && savedAt !== chunk.savedAt) {
      throw new StepError(`seed list "${this.list}" was replaced while it was read`, 'LIST_CHANGED');
    }
    const { lines } = chunk;
    this.at = { position: position + lines.length, savedAt: chunk.savedAt, isAtEnd: lines.length < limit };
    return lines;
  }

  private missing(): string {
    return this.at.savedAt === undefined
      ? `there is no seed list "${this.list}"; make one with POST /seed/create`
      : `seed list "${this.list}" was deleted while it was read`;
  }
}
