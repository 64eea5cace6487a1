import { type Fragment, fragment } from '../db/sql.js';

/**
 * A crawl as a column of rows that are joined with a table of the web, `n` times: `w.crawl = page.crawl`.
 *
 * If it were compared with a constant, the planner would look up in its statistics how many rows that crawl has. They contain
 * nothing about a newer crawl, for which it then assumes one row: it scans the whole crawl, and compares each of its rows
 * with each of ours (20 million pairs for 500 pages of 100,000). With a column it can only look the rows up by their key.
 */
export const crawlColumn = (crawl: number, n: number): Fragment =>
  fragment`array_fill(${crawl}::int, array[${n}::int])`;
