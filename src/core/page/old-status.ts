/**
 * The status bytes of crawl tables older than Nutch 1.0 (CrawlDatum version 5 and below), whose numbers meant other things.
 * Nutch translates them when it reads such a table (`CrawlDatum.oldToNew`); so does whoever brings one in here.
 */

/** Codes of 1.x for the old bytes 0 to 7; those above 9 are no page status but states on the way. */
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

/** The 1.x code of an old status byte; null for one that never was. */
export const statusOfOldByte = (byte: number): number | null => NEW_OF_OLD[byte] ?? null;
