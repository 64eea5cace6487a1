/** Positions in a batch. Its pages are read by mark, then hash of the key, then key. */
import { MIN_INT32 } from '../int32.js';

/** The page read last. */
export interface BatchCursor {
  mark: string;
  hash: number;
  key: string;
}

export const cursorOf = ({ mark, hash, key }: BatchCursor): BatchCursor => ({ mark, hash, key });

/** Before all pages. */
export const BATCH_START: BatchCursor = { mark: '', hash: MIN_INT32, key: '' };

/** The order in which a batch is read: that of PostgreSQL, with collation "C". */
export function compareCursors(a: BatchCursor, b: BatchCursor): number {
  return compareTexts(a.mark, b.mark) || a.hash - b.hash || compareTexts(a.key, b.key);
}

const compareTexts = (a: string, b: string): number => (a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b)));
