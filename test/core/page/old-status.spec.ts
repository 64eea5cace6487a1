import { describe, expect, it } from 'vitest';
import { statusOfOldByte } from '../../../src/core/page/old-status.js';

/** `CrawlDatum.oldToNew` of Nutch 1.x (feature row F21). */
describe('a status byte of an old crawl table', () => {
  it.each([
    [0, 65, 'signature'],
    [1, 1, 'db_unfetched'],
    [2, 2, 'db_fetched'],
    [3, 3, 'db_gone'],
    [4, 67, 'linked'],
    [5, 33, 'fetch_success'],
    [6, 34, 'fetch_retry'],
    [7, 37, 'fetch_gone'],
  ])('%i maps to %i (%s)', (old, now) => {
    expect(statusOfOldByte(old)).toBe(now);
  });

  it.each([8, -1, 1.5, 66, Number.NaN])('%d maps to null', (old) => {
    expect(statusOfOldByte(old)).toBeNull();
  });
});
