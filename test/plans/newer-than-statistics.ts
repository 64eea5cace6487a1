/**
 * Whether the crawl of the plan tests is newer than the statistics of its tables: then the planner estimates one row for it,
 * as it does with the second crawl of a large table until a tenth of the table has changed.
 */
let newer = false;

export const isNewerThanStatistics = (): boolean => newer;

export function makeNewerThanStatistics(): void {
  newer = true;
}
