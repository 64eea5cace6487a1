/**
 * The status bytes of CrawlDBs older than Nutch 1.0 (CrawlDatum version 5 and below), which had other meanings.
 * Nutch translates them when it reads such a table (`CrawlDatum.oldToNew`). Nothing here reads one: the map is for programs that
 * bring the pages of one into `webpage`.
 */

/** Codes of 1.x for the old bytes 0 to 7; those above 9 are intermediate states, not page statuses. */
const NEW_OF_OLD: readonly number[] = [
  65, // signature
  1, // unfetched
  2, // fetched
  3, // gone
  67, // linked
  33, // fetch success
  34, // fetch retry
  37, // fetch gone
];

/** The 1.x code of an old status byte; null for an unknown one. */
export const statusOfOldByte = (byte: number): number | null => NEW_OF_OLD[byte] ?? null;
