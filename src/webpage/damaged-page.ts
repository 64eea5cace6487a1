/** The content and the text of a page as they were before compression, or the error that the stored bytes are damaged. */
import { unreverseUrl } from '../core/url/row-key.js';
import { decompressSmall, decompressSync } from './compression.js';
import type { PageKey } from '../core/page/page-row.js';

/** What is stored compressed. */
type Compressed = 'content' | 'text';

/** What bulk readers show in its place. */
export const damagedText = (column: Compressed): string => `(damaged: the stored ${column} cannot be decompressed)`;

export class DamagedPage extends Error {
  readonly url: string;

  constructor(
    readonly key: string,
    readonly column: Compressed,
    cause: unknown,
  ) {
    const url = unreverseUrl(key);
    super(`the stored ${column} of ${url} is damaged: it cannot be decompressed`, { cause });
    this.url = url;
  }
}

/** Throws the error as it is if the data may be fine. */
function damaged({ key }: Pick<PageKey, 'key'>, column: Compressed, error: unknown): never {
  if ((error as NodeJS.ErrnoException).code === 'ZSTD_error_memory_allocation') throw error;
  throw new DamagedPage(key, column, error);
}

/** @throws DamagedPage */
export async function restored(page: Pick<PageKey, 'key'>, column: Compressed, stored: Buffer): Promise<Buffer> {
  try {
    return await decompressSmall(stored);
  } catch (error) {
    return damaged(page, column, error);
  }
}

/** @throws DamagedPage */
export function restoredSync(page: Pick<PageKey, 'key'>, column: Compressed, stored: Buffer): Buffer {
  try {
    return decompressSync(stored);
  } catch (error) {
    return damaged(page, column, error);
  }
}

/** The result of `work`, or `otherwise` if the page is damaged. */
export const unlessDamaged = <T, O>(work: Promise<T>, otherwise: (error: DamagedPage) => O): Promise<T | O> =>
  work.catch((error: unknown) => {
    if (error instanceof DamagedPage) return otherwise(error);
    throw error;
  });
