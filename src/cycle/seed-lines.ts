/**
 * The lines of a stored seed list, read in chunks by a job that may be killed and continued in between. A position is
 * valid in one list only, so the list has to stay the one that it was at the first chunk: a job that continued in
 * another would finish without some of its seeds.
 */
import { seedChunk } from '../conf/seed-list.store.js';
import type { Sql } from '../db/sql.js';
import { StepError } from './step.js';

/** How far a list has been read. */
export interface SeedCursor extends Record<string, unknown> {
  position: number;
  /** When the list of this position was stored; undefined: nothing was read yet. */
  savedAt?: number | undefined;
  /** Whether the last line was read: later changes of the list do not matter. */
  isAtEnd?: boolean;
}

export class SeedLines {
  private at: SeedCursor;

  /** @param from where an earlier attempt has stopped */
  constructor(
    private readonly list: string,
    from: SeedCursor | null = null,
  ) {
    this.at = from ?? { position: 0 };
  }

  get cursor(): SeedCursor {
    return this.at;
  }

  /** The next lines, at most `limit`; none at the end. Throws StepError if the list is missing, or was replaced. */
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
